#!/usr/bin/env python3
"""`railgauge report`: the page of a run, looked at in a browser as a reader would."""
import csv
import os
import shutil
import subprocess
import tempfile

import cli_testing
import report_testing
from cli_testing import CliTestCase, run, runfile

NODE_MODULES = os.path.join(os.environ.get("TEST_SRCDIR", ""), "npm_test", "node_modules")
MAX_BYTES = 3 << 20
RECORDED = "scenarios/checks/recorded/slow-nic"  # a p5.48xlarge, as check would leave it if it was killed
HOSTILE = '</script><img src=x onerror="globalThis.hacked=1">'


class ReportTestCase(CliTestCase):
    """Pages of staged runs, made once."""

    runs = {}

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)

    @classmethod
    def source(cls, machine):
        """A short real run on the emulated `machine`."""
        folder = os.path.join(cls.shared, "source-" + machine.replace("/", "-"))
        if not os.path.isdir(folder):
            outcome = run([runfile("cli/railgauge"), "check", f"--emulate={machine}", "--placement=nearest",
                           "--time-budget=1s", f"--output={folder}"], cwd=cls.shared)
            assert outcome.status in (0, 1, 3), str(outcome)
        return folder

    @classmethod
    def staged(cls, machine):
        folder = os.path.join(cls.shared, "staged-" + machine.replace("/", "-"))
        if machine not in cls.runs:
            cls.runs[machine] = report_testing.StagedRun(cls.source(machine), folder)
            outcome = run([runfile("cli/railgauge"), "report", folder], cwd=cls.shared)
            assert outcome.status == 0, str(outcome)
        return cls.runs[machine]

    def probe(self, page, name, *arguments):
        """What the probe of report_browser.cjs prints; it fails with what it says."""
        outcome = run(["node", runfile("cli/report_browser.cjs"), NODE_MODULES, page, name, *arguments],
                      env={**os.environ, "HOME": self.folder})
        self.assertEqual(outcome.status, 0, outcome.stderr)
        return outcome.stdout


class PageOfP5(ReportTestCase):
    """32 NICs × 10 places × 4 ways × 12 windows, with a slow NIC and a wrong choice."""

    def setUp(self):
        super().setUp()
        self.run_of_p5 = self.staged("p5.48xlarge/64")
        self.page = os.path.join(self.run_of_p5.folder, "report.html")

    def test_is_one_file_below_three_megabytes(self):
        self.assertLess(os.path.getsize(self.page), MAX_BYTES)
        self.assertEqual(len(self.run_of_p5.samples), 32 * 10 * 4 * report_testing.ROUNDS)

    def test_loads_and_says_what_was_found(self):
        text = self.probe(self.page, "loads", "p5.48xlarge")
        for part in ("emulated", "synthetic", "a staged run", "1 WRONG", "1 SLOW", "6 OK", "One NIC stands out",
                     "2 findings", "Two staged ids do not fit.",
                     self.run_of_p5.info["run_id"]):
            self.assertTrue(part in text.replace("▼ ", "").replace("✗ ", "").replace("✓ ", ""), part)

    def test_tooltip_shows_the_windows(self):
        cell = self.run_of_p5.summary[0]
        windows = [sample for sample in self.run_of_p5.samples
                   if all(sample[name] == cell[name] for name in ("nic_pci_address", "place", "operation", "direction"))]
        self.assertEqual(len(windows), report_testing.ROUNDS)
        figures = [f"{window['throughput_bytes_per_second'] / 1e9:.3g}" for window in windows]
        key = f"read/to_memory/1048576/32/alone {cell['nic_pci_address']} {cell['place']}"
        self.probe(self.page, "tooltip", key, "12 windows", "interval", ", ".join(
            f"{float(figure):.2f}" if float(figure) < 9.995 else f"{float(figure):.1f}" for figure in figures))

    def test_table_sorts(self):
        self.probe(self.page, "sort")

    def test_table_filters(self):
        slow = self.run_of_p5.slow[1]
        self.probe(self.page, "filter", f"{slow} slow", "40 of 1280 rows")
        self.probe(self.page, "filter", f"{slow} read to_memory numa1", "1 of 1280 rows")

    def test_keyboard_reaches_a_cell_and_its_details(self):
        self.probe(self.page, "keyboard")

    def test_the_bad_nic_is_one_click_away(self):
        self.probe(self.page, "evidence", self.run_of_p5.slow[1])

    def test_topology_shows_the_paths_of_a_device(self):
        self.probe(self.page, "topology", self.run_of_p5.slow[0])
        self.probe(self.page, "topology", "gpu:0000:53:00.0")

    def test_selectors_choose_what_the_map_shows(self):
        self.probe(self.page, "views")

    def test_light_and_dark(self):
        self.probe(self.page, "themes")

    def test_accessible(self):
        self.probe(self.page, "accessible")

    def test_narrow(self):
        self.probe(self.page, "narrow")

    def test_prints(self):
        pdf = self.path("page.pdf")
        self.probe(self.page, "print", pdf)
        self.assertGreater(os.path.getsize(pdf), 20_000)


class PageOfOtherRuns(ReportTestCase):
    """What a run may lack, and names that are no names."""

    def report(self, folder, *arguments, status=0):
        outcome = self.railgauge("report", folder, *arguments)
        self.assert_status(outcome, status)
        return outcome

    def copy(self, machine="g5.48xlarge"):
        folder = self.path("run")
        shutil.copytree(self.source(machine), folder)
        return folder

    def test_hostile_names(self):
        folder = self.path("run")
        staged = report_testing.StagedRun(self.source("p4d.24xlarge/64"), folder)
        staged.info["notes"] = [HOSTILE]
        staged.info["machine"]["nics"][0]["name"] = HOSTILE
        staged.info["machine"]["kernel"] = HOSTILE
        staged.write_info()
        for row in staged.census + staged.samples + staged.summary:
            for column in ("nic_name", "partner_name"):
                if row.get(column) == staged.nics[0][1]:
                    row[column] = HOSTILE
        staged.placement[0]["reason"] = HOSTILE
        staged.write("census.csv", staged.census)
        staged.write("samples.csv", staged.samples)
        staged.write("summary.csv", staged.summary)
        staged.write("placement.csv", staged.placement)
        self.report(folder)
        self.probe(os.path.join(folder, "report.html"), "hostile", HOSTILE)

    def test_flat_machine_with_one_nic(self):
        self.report(self.copy(), "--output=page.html")
        self.assertIn("g5.48xlarge", self.probe(self.path("page.html"), "loads", "g5.48xlarge"))

    def test_killed_run(self):
        folder = self.copy("p4d.24xlarge/64")
        for name in ("run.json", "summary.csv", "placement.csv", "interconnects.csv"):
            os.unlink(os.path.join(folder, name))
        outcome = self.report(folder)
        self.assertIn("summary.csv: missing", outcome.stderr)
        text = self.probe(os.path.join(folder, "report.html"), "loads", "p4d.24xlarge")
        self.assertIn("summary.csv: missing", text)
        self.assertIn("NUMA node 0", text)

    def test_verdicts_of_a_run_that_judged_nothing(self):
        folder = self.path("run")
        shutil.copytree(runfile(RECORDED), folder)
        page = os.path.join(folder, "report.html")
        files = sorted(os.listdir(folder))
        outcome = self.report(folder)
        command = f"railgauge report {folder} --placement=nearest"
        self.assertEqual(outcome.stderr.count(f"no verdicts: {command}\n"), 1, outcome.stderr)
        self.assertIn(f"No placement was judged in this run, so no verdict stands here. This makes the page with verdicts: {command}",
                      self.probe(page, "loads", "p5.48xlarge"))

        outcome = self.report(*command.split()[2:])
        self.assertNotIn("no verdicts", outcome.stderr)
        self.assertEqual(sorted(os.listdir(folder)), sorted([*files, "report.html"]))
        text = self.probe(page, "loads", "p5.48xlarge")
        self.assertIn("Judged for this page, by what the run recorded: placement policy nearest.", text)
        for part in ("No placement was judged", "missing:"):
            self.assertNotIn(part, text)
        # What judge says, word for word.
        self.railgauge("judge", folder, "--placement=nearest", "--csv_out=verdicts.csv")
        with open(self.path("verdicts.csv"), encoding="utf-8", newline="") as file:
            verdicts = list(csv.DictReader(file))
        self.assertEqual([row["verdict"] for row in verdicts], ["SLOW", "OK"])
        self.assertIn(" ".join(verdicts[0]["reason"].split()), text)
        command = self.probe(page, "evidence", "rdmap79s0").split()
        self.assertEqual(command, "railgauge explain . gpu:0000:53:00.0 0000:4f:00.0".split())
        outcome = run([runfile("cli/railgauge"), *command[1:]], cwd=folder)
        self.assert_status(outcome, 0)
        self.assertIn("SLOW", outcome.stdout)
        # README.md has it.
        self.probe(page, "picture", self.path("run.png"), "1200", "light")
        self.assertGreater(os.path.getsize(self.path("run.png")), 20_000)

    def test_placement_that_cannot_be_judged(self):
        folder = self.copy()
        self.assert_one_line(self.railgauge("report", folder, "--placement=nearset"), "nearset", "nearest")
        self.assertFalse(os.path.exists(os.path.join(folder, "report.html")))
        os.unlink(os.path.join(folder, "topology.xml"))
        self.assert_one_line(self.railgauge("report", folder, "--placement=nearest"), "topology.xml", "--hwloc-xml")

    def test_scale_has_no_outlier_and_disturbed_cells_are_marked(self):
        folder = self.path("run")
        staged = report_testing.StagedRun(self.source("p4d.24xlarge/64"), folder)
        place = f"gpu:{staged.info['machine']['gpus'][0]['pci_address']}"
        self.report(folder)
        page = os.path.join(folder, "report.html")
        self.probe(page, "scale", "12.5 GB/s, the line rate", staged.nics[0][0], "share-4", "numa1", "share-2")
        # Nobody knows a line rate, and one cell is much too fast.
        nic = staged.nics[0][0]
        for row in staged.summary:
            row["ceiling_fraction"] = ""
            if (row["nic_pci_address"], row["place"]) == (staged.nics[1][0], "numa0"):
                for column in ("median", "low", "high"):
                    row[f"throughput_{column}_bytes_per_second"] *= 3
            if (row["nic_pci_address"], row["place"]) == (nic, place):
                row["findings"] = "disturbed"
        some = 0
        for row in staged.samples:
            if (row["nic_pci_address"], row["operation"], row["direction"]) != (nic, "read", "to_memory"):
                continue
            some += row["place"] == "numa0"
            if row["place"] == place or (row["place"] == "numa0" and some <= 2):
                row["disturbed"] = "true"
        staged.write("summary.csv", staged.summary)
        staged.write("samples.csv", staged.samples)
        self.report(folder)
        self.probe(page, "scale", "10.5 GB/s, the median of the fastest class", nic, "share-5", "numa1", "share-2")
        self.probe(page, "disturbed", nic, place, "numa0", "2 of 12 windows")

    def test_a_slow_nic_is_blamed_and_not_its_partner(self):
        folder = self.path("run")
        staged = report_testing.StagedRun(self.source("p4d.24xlarge/64"), folder)
        # Each is the partner of the one before; 3 and 0 are with each other alone.
        nics = staged.nics
        place = f"gpu:{staged.info['machine']['gpus'][0]['pci_address']}"
        said = {nics[2][0]: "", nics[1][0]: "slow_partner", nics[3][0]: "slow_pair"}
        for row in staged.summary:
            row.update({"verdict": "OK", "reason": ""})
            if row["place"] == place and row["nic_pci_address"] in said:
                row.update({"verdict": "UNDECIDED", "reason": "staged", "findings": said[row["nic_pci_address"]]})
        staged.write("summary.csv", staged.summary)
        self.report(folder)
        self.probe(os.path.join(folder, "report.html"), "partners", nics[2][1], nics[1][1], nics[0][1], nics[3][1])

    def test_broken_file(self):
        folder = self.copy()
        with open(os.path.join(folder, "samples.csv"), "w", encoding="utf-8") as file:
            file.write("no,such,columns\n1,2,3\n")
        outcome = self.report(folder, status=3)
        self.assertIn("samples.csv", outcome.stderr)
        self.assertIn("samples.csv", self.probe(os.path.join(folder, "report.html"), "loads", "g5.48xlarge"))

    def test_what_is_no_run(self):
        self.assert_one_line(self.railgauge("report", "nowhere"), "nowhere", "There is no run")
        os.mkdir(self.path("empty"))
        self.assert_one_line(self.railgauge("report", "empty"), "empty", "Give a directory")
        self.assert_one_line(self.railgauge("report"), "RUNDIR")
        self.assert_one_line(self.railgauge("report", self.copy(), "--output=no/such/folder.html"), "no/such/folder.html")


if __name__ == "__main__":
    if subprocess.run(["node", "--version"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SystemExit("there is no node: scripts/setup --test installs it")
    cli_testing.main()
