#!/usr/bin/env -S python3 -B
"""scripts/hardware_ci, as a CI job runs it, on an emulated machine: good runs, a baseline of them, and a
run with a slow NIC."""
import os
import shutil
import stat
import xml.etree.ElementTree as xml

from cli_testing import CliTestCase, main, measured, read_csv, read_json, run, runfile

SCRIPT = runfile("scripts/hardware_ci")
# Of two nodes, neither the other's partner; and so slow that its paths to the other node are it, too.
MACHINE = "p4d.24xlarge/16"
NICS = ("rdmap16s27", "rdmap144s27")
BASELINE = "results/baselines/p5.48xlarge.emulated.csv"
OK_METRIC = 'railgauge_exit_status{command="check"} 0'
FAILED_METRIC = 'railgauge_exit_status{command="check"} 2'
SLOW = f"{MACHINE},slow-nic:{NICS[0]}=0.2"


class HardwareCiTest(CliTestCase):
    def ci(self, output, *options, machine=MACHINE, budget="9s", flags=(), **more):
        """A job; what an earlier try left is removed."""
        return run([SCRIPT, f"--railgauge={runfile('cli/railgauge')}", f"--output={output}",
                    f"--time-budget={budget}", f"--placement={self.path('decision.csv')}", *options, "--",
                    f"--emulate={machine}", f"--nics={','.join(NICS)}", *flags], cwd=self.folder, **more)

    def setUp(self):
        super().setUp()
        self.path("decision.csv", f"consumer,nic\nnuma0,{NICS[0]}\nnuma1,{NICS[1]}\n")
        self.tries = 0

    def metrics(self, name):
        with open(self.path(f"textfile/{name}"), encoding="utf-8") as file:
            return file.read().splitlines()

    def job(self, *options, **more):
        """A job that had the CPUs to itself, and its folder."""
        def once():
            self.tries += 1
            return self.ci(f"job-{self.tries}", *options, **more)
        return measured(once), self.path(f"job-{self.tries}")

    def test_good_runs_a_baseline_and_a_slow_nic(self):
        good = []
        for _ in range(2):
            outcome, folder = self.job()
            self.assert_status(outcome, 0)
            self.assertIn("not compared: give --baseline=FILE", outcome.stderr)
            good.append(f"{folder}/run")
        self.assertEqual(sorted(os.listdir(folder)),
                         ["census.err", "census.json", "census.txt", "check.err", "check.txt", "junit", "metrics",
                          "run", "summary.md"])
        self.assertEqual(read_json(f"{folder}/census.json")["platform"], "emulated")
        self.assertEqual(xml.parse(f"{folder}/junit/placement.xml").getroot().get("failures"), "0")
        self.assert_status(self.railgauge("baseline", "make", *good, "--output=base.csv"), 0)

        os.makedirs(self.path("textfile"))
        outcome, folder = self.job("--baseline=base.csv", "--publish=published", "--textfile=textfile")
        self.assert_status(outcome, 0)
        self.assertNotIn("SLOWER", {row["verdict"] for row in read_csv(f"{folder}/compare.csv")})
        self.assertEqual(sorted(os.listdir(self.path("textfile"))), ["railgauge-compare.prom", "railgauge.prom"])
        with open(self.path("textfile/railgauge.prom"), encoding="utf-8") as file:
            told = file.read()
        self.assertIn('railgauge_exit_status{command="check"} ', told)
        published = os.listdir(self.path("published"))
        self.assertTrue(all(name.startswith("job-") for name in published), published)
        self.assertIn("compare.csv", os.listdir(self.path(f"published/{published[0]}")))

        outcome, folder = self.job("--baseline=base.csv", machine=SLOW,
                                   env={**os.environ, "GITHUB_ACTIONS": "true",
                                        "GITHUB_STEP_SUMMARY": self.path("step.md")})
        self.assert_status(outcome, 1)
        slower = {row["nic_name"] for row in read_csv(f"{folder}/compare.csv") if row["verdict"] == "SLOWER"}
        self.assertEqual(slower, {NICS[0]})
        failures = xml.parse(f"{folder}/junit/compare.xml").getroot().iter("failure")
        self.assertTrue(all("slower" in failure.get("message") for failure in failures))
        self.assertIn("::error title=railgauge::", outcome.stdout)
        with open(self.path("step.md"), encoding="utf-8") as file:
            self.assertIn("### compare: BAD", file.read())

        # A later job that measures nothing: its metrics replace the good ones, in their words.
        self.assert_status(self.ci("none", "--baseline=base.csv", "--textfile=textfile", machine="p6.none"), 2)
        failed = self.metrics("railgauge.prom")
        self.assertEqual([line for line in failed if line not in told.splitlines()], [FAILED_METRIC])

    # A consumer of which nothing was measured: nobody can tell, and that is no failure.
    def test_what_cannot_be_told_is_a_warning(self):
        outcome = self.ci("out", budget="1s", flags=("--places=numa0", f"--nics={NICS[1]}"))
        self.assert_status(outcome, 0)
        self.assertIn("warning: railgauge: cannot be told; ", outcome.stderr)

    # What an earlier job told would say for ever that all is well.
    def test_metrics_are_of_the_last_job(self):
        os.makedirs(self.path("textfile"))
        compared = FAILED_METRIC.replace("check", "compare")
        shutil.copy(runfile(BASELINE), self.path("base.csv"))
        for options, machine in (((), "p6.none"), (("--baseline=base.csv",), "p6.none"),
                                 (("--baseline=none.csv",), MACHINE), (("--frob",), MACHINE),
                                 (("--baseline=base.csv", "--placement=nearest"), "c5n.18xlarge")):
            with self.subTest((options, machine)):
                for name in ("railgauge.prom", "railgauge-compare.prom"):
                    self.path(f"textfile/{name}", f"{OK_METRIC}\n# EOF\n")
                self.tries += 1
                outcome = run([SCRIPT, f"--railgauge={runfile('cli/railgauge')}", "--textfile=textfile",
                               f"--output=of-{self.tries}", *options, "--", f"--emulate={machine}"], cwd=self.folder)
                self.assert_status(outcome, 2)
                if machine != "c5n.18xlarge":  # which has no RDMA, and says so itself
                    self.assertIn(FAILED_METRIC, self.metrics("railgauge.prom"))
                self.assertNotIn(OK_METRIC, self.metrics("railgauge.prom"))
                if "--baseline=" in "".join(options):
                    self.assertIn(compared, self.metrics("railgauge-compare.prom"))
                    mode = os.stat(self.path("textfile/railgauge-compare.prom")).st_mode
                    self.assertTrue(mode & stat.S_IROTH, oct(mode))
                else:
                    self.assertEqual(os.listdir(self.path("textfile")), ["railgauge.prom"])

    # A baseline was given, and nothing can be held against it.
    def test_what_is_not_compared_is_not_ok(self):
        shutil.copy(runfile(BASELINE), self.path("base.csv"))
        outcome = run([SCRIPT, f"--railgauge={runfile('cli/railgauge')}", "--output=out", "--baseline=base.csv", "--",
                       "--emulate=c5n.18xlarge"], cwd=self.folder)
        self.assert_status(outcome, 2)
        self.assertIn("not compared with base.csv: nothing was measured", outcome.stderr)

    def test_all_is_checked_before_anything_is_measured(self):
        shutil.copy(runfile(BASELINE), self.path("base.csv"))
        self.path("file", "x")
        for options, flags, parts in (
                ((), ["--dry-run"], ["-- --dry-run", "nothing is measured"]),
                ((), ["--output=elsewhere"], ["-- --output=elsewhere", "before the --"]),
                ((), ["--junit", "x"], ["-- --junit"]),
                (["--baseline=none.csv"], [], ["none.csv", "ENOENT"]),
                (["--baseline=file"], [], ["file:1"]),
                (["--baseline=base.csv", "--margin=200%"], [], ["--margin"]),
                (["--margin=10"], [], ["--margin=10"]),
                (["--publish=file/x"], [], ["--publish=file/x"]),
                (["--publish=gs://bucket"], [], ["gs://bucket"]),
                (["--output="], [], ["--output=", "empty"])):
            with self.subTest((options, flags)):
                outcome = self.ci("new", *options, flags=flags)
                self.assert_status(outcome, 2)
                for part in parts:
                    self.assertIn(part, outcome.stderr)
                self.assertFalse(os.path.exists(self.path("new")))

    def test_set_up_errors_are_one_line(self):
        self.assert_one_line(run([SCRIPT, "--frob"]), "'--frob' is no option", "--help")
        self.assert_one_line(run([SCRIPT, "--railgauge=none"], cwd=self.folder), "none does not run here")
        self.path("job", "a file")
        self.assertEqual(self.ci("job").status, 2)
        os.makedirs(self.path("full/x"))
        self.assert_one_line(self.ci("full"), "full is not empty")
        self.assert_one_line(self.ci("new", "--textfile=none"), "--textfile=none is no directory")
        outcome = self.ci("bad", machine="p6.none")
        self.assert_status(outcome, 2)
        self.assertIn("p6.none", outcome.stderr)



if __name__ == "__main__":
    main()
