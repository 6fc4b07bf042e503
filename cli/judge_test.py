#!/usr/bin/env -S python3 -B
"""railgauge judge and policies RUNDIR: a run that check recorded, judged again from its files alone,
also edited, mixed and cut off, and as one of many."""
import csv
import json
import os
import shutil
import subprocess
import tempfile

from cli_testing import CliTestCase, main, run, runfile

P5 = "--emulate=p5.48xlarge/16"
NICS = "--nics=rdmap79s0,rdmap80s0,rdmap81s0,rdmap82s0,rdmap147s0,rdmap148s0"
IDENTITY = ["schema_version", "run_id", "host", "instance_id", "instance_type", "platform"]


class JudgeTestCase(CliTestCase):
    """Each case has its own copy of one recorded run, in `run`."""

    @classmethod
    def setUpClass(cls):
        cls.recorded = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.recorded, ignore_errors=True)
        # One NIC of nearest's choice is not among --nics, and one consumer not among --places.
        cls.check = run([runfile("cli/railgauge"), "check", "--placement=nearest", NICS,
                         "--places=gpu0,gpu4", "--time-budget=5s", "--output=run", P5], cwd=cls.recorded)
        assert cls.check.status in (0, 1, 3), str(cls.check)

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.recorded, "run"), self.path("run"))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write_rows(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def edit(self, name, change):
        """Rewrites the rows of a file of `run` as `change(rows)` leaves or returns them."""
        rows = self.rows(f"run/{name}")
        self.write_rows(f"run/{name}", change(rows) or rows)

    def rename(self, directory, run_id):
        """Makes the run in `directory` another one."""
        with open(self.path(f"{directory}/run.json"), encoding="utf-8") as file:
            old = json.load(file)["run_id"]
        for name in os.listdir(self.path(directory)):
            if name != "topology.xml":
                self.path(f"{directory}/{name}", self.read(f"{directory}/{name}").replace(old, run_id))

    def judge(self, *arguments, directory="run", placement="nearest"):
        return self.railgauge("judge", directory, f"--placement={placement}", *arguments)

    def first_ok(self, rows):
        return next(i for i, row in enumerate(rows) if row["status"] == "ok")

    def fleet(self, name, hosts, header_each=False):
        """A directory whose files hold the run of `hosts` hosts, each with an id and a host of its own."""
        os.makedirs(self.path(name))
        for file in ("census.csv", "samples.csv"):
            rows = self.rows(f"run/{file}")
            with open(self.path(f"{name}/{file}"), "w", encoding="utf-8", newline="") as out:
                writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                for host in range(hosts):
                    if header_each and host > 0:
                        writer.writeheader()
                    for row in rows:
                        row.update(run_id=f"run-{host}", host=f"host-{host}")
                        writer.writerow(row)
        shutil.copy(self.path("run/topology.xml"), self.path(f"{name}/topology.xml"))
        return name


class JudgeTest(JudgeTestCase):
    def test_says_what_check_said(self):
        # Without --emulate: nothing of the machine is at hand but the run directory.
        before = sorted(os.listdir(self.path("run")))
        outcome = self.judge("--csv_out=again.csv", "--findings_out=findings.csv")
        self.assertEqual(self.read("again.csv"), self.read("run/placement.csv"))
        self.assertEqual(self.read("findings.csv"), self.read("run/findings.csv"))
        self.assertGreater(self.read("again.csv").count("\n"), 2)
        self.assertIn("not among --nics", self.read("again.csv"))
        self.assert_status(outcome, self.check.status)
        self.assertIn("(emulated)", outcome.stdout)
        self.assertEqual(outcome.stderr, "")
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)
        self.assertEqual(sorted(os.listdir(self.path("run"))), before)

    def test_another_placement_by_the_same_records(self):
        outcome = self.judge("--csv_out=-", placement="UCX_NET_DEVICES=rdmap147s0:1")
        self.assertIn(outcome.status, (1, 3), str(outcome))
        self.assertIn("rdmap147s0", outcome.stdout)

    def test_what_is_missing_is_told(self):
        os.remove(self.path("run/topology.xml"))
        self.assert_one_line(self.judge(), "topology.xml", "--hwloc-xml")
        self.assert_one_line(self.judge(directory="none"), "none/census.csv", "ENOENT", "Give")
        os.makedirs(self.path("empty"))
        self.assert_one_line(self.judge(directory="empty"), "empty", "no run directory in it")

    def test_a_run_that_did_not_end(self):
        state = json.loads(self.read("run/run.json"))
        state["end"] = None
        self.path("run/run.json", json.dumps(state))
        outcome = self.judge()
        self.assert_status(outcome, self.check.status)
        self.assertIn("did not end", outcome.stderr)
        os.remove(self.path("run/run.json"))
        self.assertIn("has no run.json", self.judge().stderr)
        self.path("run/run.json", "{")
        self.assert_one_line(self.judge(), "run/run.json:1: it is no JSON from here on")

    # What gpu0 and gpu4 mean is the run's, and permuted ordinals in both change no verdict.
    def test_ordinals_are_the_runs(self):
        state = json.loads(self.read("run/run.json"))
        order = state["cuda_order"]
        self.assertEqual(len(order), 8)
        pairs = {}
        for row in self.rows("run/placement.csv"):
            if row["chosen_nic_names"]:
                pairs[row["consumer"].removeprefix("gpu:")] = row["chosen_nic_names"].split(";")
        verdicts = []
        for permuted in (order, order[::-1], order[3:] + order[:3]):
            state["cuda_order"] = permuted
            self.path("run/run.json", json.dumps(state))
            decision = self.path("decision.csv", "consumer,nic\n" + "".join(
                f"gpu{permuted.index(gpu)},{nic}\n" for gpu, nics in pairs.items() for nic in nics))
            outcome = self.judge("--csv_out=-", placement=decision)
            self.assertIn(outcome.status, (0, 1, 3), str(outcome))
            verdicts.append(outcome.stdout)
        self.assertEqual(len(set(verdicts)), 1)
        self.assertIn(f"gpu:{order[0]}", verdicts[0])
        # Without the order an ordinal says nothing.
        state["cuda_order"] = None
        self.path("run/run.json", json.dumps(state))
        self.assert_one_line(self.judge(placement=decision), "decision.csv:2", "by its PCI address")


class EditedTest(JudgeTestCase):
    """Rows that no run wrote are refused; windows that contradict themselves count for nothing."""

    def assert_refused(self, name, change, *parts):
        before = self.read(f"run/{name}")
        self.edit(name, change)
        self.assert_one_line(self.judge(), *parts)
        self.path(f"run/{name}", before)

    def test_rows_that_no_run_wrote(self):
        def set_first_ok(column, value):
            def change(rows):
                rows[self.first_ok(rows)][column] = value
            return change

        for column, value in (("throughput_bytes_per_second", "nan"), ("throughput_bytes_per_second", "-1"),
                              ("throughput_bytes_per_second", "inf"), ("duration_ns", "1e9"),
                              ("status", "fine"), ("place", "numa"), ("payload_bytes", "-5")):
            self.assert_refused("samples.csv", set_first_ok(column, value), "samples.csv:", column, value,
                                "as it was written")
        self.assert_refused("samples.csv", set_first_ok("duration_ns", "-5"), "samples.csv:", "below zero")
        self.assert_refused("samples.csv", set_first_ok("post_fraction", "7"), "samples.csv:",
                            "between 0 and 1")
        self.assert_refused("samples.csv", set_first_ok("platform", "hardware"), "samples.csv:",
                            "platform is '", "rows of different machines were mixed")
        self.assert_refused("samples.csv", set_first_ok("nic_pci_address", "0000:99:00.0"), "samples.csv:",
                            "has no row of 0000:99:00.0")
        self.assert_refused("samples.csv", lambda rows: rows + [rows[self.first_ok(rows)]], "samples.csv:",
                            "already")
        for column, value, part in (("skip_cause", "no_time", "skip_cause is no_time"),
                                    ("load", "bogus", "load is 'bogus'"), ("load", "all", "no other NIC"),
                                    ("nic_name", "mlx5_0", "nic_name of"), ("peer", "else", "peer is"),
                                    ("depth", "1", "depth of messages"), ("start_offset_ns", "-1", "below zero")):
            self.assert_refused("samples.csv", set_first_ok(column, value), "samples.csv:", part)
        self.assert_refused("census.csv", lambda rows: rows[:-1], "cut off")
        self.assert_refused("census.csv", lambda rows: rows + rows[:1], "census.csv:", "in line 2 already")
        self.assert_refused("census.csv", lambda rows: rows[:5], "census.csv")

    def test_a_census_that_ends_inside_a_line(self):
        self.path("run/census.csv", self.read("run/census.csv")[:-20])
        self.assert_one_line(self.judge(), "run/census.csv", "cut off", "Copy")

    # As a crash leaves it.
    def test_samples_that_end_inside_a_line(self):
        self.path("run/samples.csv", self.read("run/samples.csv") + "1,2026")
        outcome = self.judge()
        self.assert_status(outcome, self.check.status)
        self.assertIn("run/samples.csv ends inside a line", outcome.stderr)

    # Somebody mixed two run directories.
    def test_files_of_another_run(self):
        for name in ("summary.csv", "placement.csv", "run.json"):
            with self.subTest(name):
                before = self.read(f"run/{name}")
                run_id = json.loads(self.read("run/run.json"))["run_id"]
                self.path(f"run/{name}", before.replace(run_id, "another"))
                for command in (("judge", "run", "--placement=nearest"), ("plan", "run"),
                                ("topology", "run"), ("explain", "run", "rdmap79s0")):
                    self.assert_one_line(self.railgauge(*command), f"run/{name}", "run 'another'", run_id)
                self.path(f"run/{name}", before)

    def test_rows_that_contradict_themselves(self):
        consumer = next(row["consumer"] for row in self.rows("run/placement.csv") if row["chosen_nic_names"])
        for column, value in (("throughput_bytes_per_second", "1e300"), ("counter_bytes", "0"),
                              ("counter_bytes", ""), ("duration_ns", "1"), ("payload_bytes", "1"),
                              ("messages_per_second", "0"), ("retransmitted_bytes", "100000000"),
                              ("interval_modes", "2"), ("latency_p50_ns", "1"), ("idle_fraction", "0.5")):
            with self.subTest(f"{column}={value}"):
                def change(rows):
                    for row in rows:
                        if row["status"] == "ok" and row["place"] == consumer:
                            row[column] = value
                before = self.read("run/samples.csv")
                self.edit("samples.csv", change)
                outcome = self.judge()
                self.assert_status(outcome, 3 if self.check.status != 1 else outcome.status)
                self.assertIn("contradict themselves, and count as not valid", outcome.stderr)
                self.assertRegex(outcome.stdout, rf"INVALID +{consumer}\n")
                self.assertRegex(outcome.stdout.replace("\n    ", " "),
                                 r"the row contradicts itself \(run/samples.csv:\d+\)")
                self.path("run/samples.csv", before)

    def test_another_machines_topology(self):
        xml = self.path("p4d.xml", self.emulated_xml("p4d.24xlarge"))
        self.assert_one_line(self.judge(f"--hwloc-xml={xml}"), "p4d.xml", "another machine", "rdmap79s0",
                             "--hwloc-xml")

    def emulated_xml(self, machine):
        """The topology of an emulated machine."""
        outcome = self.railgauge("check", "--placement=nearest", "--time-budget=1s", "--output=other",
                                 f"--emulate={machine}")
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        return self.read("other/topology.xml")

    def test_files_that_are_no_topology(self):
        xml = self.read("run/topology.xml")
        for content, part in ((xml[:len(xml) // 2], "cut off"), ("hello\n", "not XML"),
                              ("<html></html>\n", "<html>"), ("", "empty"),
                              (xml.replace('version="2', 'version="9'), "hwloc")):
            self.assert_one_line(self.judge(f"--hwloc-xml={self.path('bad.xml', content)}"), "bad.xml", part)
        commented = self.path("commented.xml", "<!-- a licence\n -->\n" + xml)
        self.assert_status(self.judge(f"--hwloc-xml={commented}"), self.check.status)
        self.assert_one_line(self.judge("--hwloc-xml=none.xml"), "none.xml", "ENOENT")
        self.assert_one_line(self.judge("--hwloc-xml=p5.48xlarge="), "it names no file")


    # What other versions of lstopo write, and what they leave out.
    def test_topologies_as_lstopo_exports_them(self):
        lstopo = shutil.which("lstopo-no-graphics")
        if lstopo is None:
            self.skipTest("no lstopo here (package hwloc-nox)")
        def export(name, *flags):
            run([lstopo, "-i", "run/topology.xml", *flags, "-f", name], cwd=self.folder)
            return f"--hwloc-xml={name}"
        for xml in (export("v2.xml", "--filter", "io:all"),
                    export("v1.xml", "--filter", "io:all", "--export-xml-flags", "1")):
            outcome = self.judge(xml, "--csv_out=again.csv")
            self.assert_status(outcome, self.check.status)
            self.assertEqual(self.read("again.csv"), self.read("run/placement.csv"))
        self.assert_one_line(self.judge(export("noio.xml", "--filter", "io:none")), "noio.xml",
                             "no PCI devices", "io:all")

    # The captures of real machines, where they are at hand: the emulated p5 has the same devices, at
    # lower rates. So the sentence of a slow NIC may give its part of the line rate for one only.
    def test_captures_with_recorded_rows(self):
        data = os.environ.get("RAILGAUGE_SHARED_DATA")
        if not data:
            self.skipTest("RAILGAUGE_SHARED_DATA is not set: no captures of real machines here")
        self.assert_status(self.judge(f"--hwloc-xml={data}/hwloc/p5.48xlarge.xml", "--csv_out=again.csv"),
                           self.check.status)
        judged, checked = self.rows("again.csv"), self.rows("run/placement.csv")
        for row in judged + checked:
            self.assertNotEqual(row.pop("reason"), "")
        self.assertEqual(judged, checked)
        self.assert_one_line(self.judge(f"--hwloc-xml={data}/hwloc/p4d.24xlarge.xml"), "another machine")


class ManyRunsTest(JudgeTestCase):
    def test_files_of_many_runs(self):
        self.fleet("fleet", 5, header_each=True)
        outcome = self.judge("--csv_out=all.csv", directory="fleet")
        self.assert_status(outcome, self.check.status)
        self.assertIn("5 runs judged: ", outcome.stdout)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)
        rows = self.rows("all.csv")
        one = self.rows("run/placement.csv")
        self.assertEqual([row["host"] for row in rows],
                         [f"host-{host}" for host in range(5) for _ in one])
        verdicts = [(row["consumer"], row["verdict"], row["reason"]) for row in one]
        self.assertEqual([(row["consumer"], row["verdict"], row["reason"]) for row in rows], verdicts * 5)
        # A file of it names the directory, and rows in turn are the same rows.
        rows = self.rows("fleet/samples.csv")
        rows.sort(key=lambda row: int(row["start_offset_ns"]) if row["run_id"] != "run_id" else 0)
        self.write_rows("fleet/samples.csv", [row for row in rows if row["run_id"] != "run_id"])
        again = self.judge("--csv_out=-", directory="fleet/samples.csv")
        self.assert_status(again, self.check.status)
        self.assertEqual(sorted(again.stdout.splitlines()), sorted(self.read("all.csv").splitlines()))

    def test_a_tree_of_run_directories(self):
        os.makedirs(self.path("tree/deeper"))
        for name in ("tree/b", "tree/deeper/a"):
            shutil.copytree(self.path("run"), self.path(name))
            self.rename(name, "run-of-" + os.path.basename(name))
        shutil.copytree(self.path("run"), self.path("tree/census"))
        os.remove(self.path("tree/census/topology.xml"))
        outcome = self.judge(directory="tree")
        self.assert_status(outcome, self.check.status)
        self.assertIn("2 runs judged: ", outcome.stdout)
        self.assertIn("left out a directory without a run of check", outcome.stderr)
        # One bad run is told, and the others are judged.
        self.path("tree/b/samples.csv", "hello\n")
        outcome = self.judge(directory="tree")
        self.assert_status(outcome, 2)
        self.assertIn("1 run judged: ", outcome.stdout)
        self.assertIn("tree/b/samples.csv:1: column 1 is 'hello'", outcome.stderr)
        self.assertIn("1 run could not be judged", outcome.stderr)

    def test_a_run_counts_once(self):
        for name in ("tree/a", "tree/b"):
            shutil.copytree(self.path("run"), self.path(name))
        outcome = self.judge(directory="tree")
        self.assert_status(outcome, 2)
        self.assertRegex(outcome.stderr, "read tree/b: run '.*' of host '.*' is in tree/a already")
        self.assertIn("1 run judged: ", outcome.stdout)

    def test_a_topology_per_instance_type(self):
        self.fleet("fleet", 2)
        os.rename(self.path("fleet/topology.xml"), self.path("p5.xml"))
        kind = self.rows("run/census.csv")[0]["instance_type"]
        outcome = self.judge("--hwloc-xml=other=p5.xml", f"--hwloc-xml={kind}=p5.xml", directory="fleet")
        self.assert_status(outcome, self.check.status)
        self.assertIn("--hwloc-xml=other=p5.xml was not read: no run is of that instance type", outcome.stderr)
        self.assert_one_line(self.judge("--hwloc-xml=other=none.xml", f"--hwloc-xml={kind}=p5.xml",
                                        directory="fleet"), "none.xml", "ENOENT")
        outcome = self.judge("--hwloc-xml=other=p5.xml", directory="fleet")
        self.assert_status(outcome, 2)
        self.assertIn(f"--hwloc-xml={kind}=FILE", outcome.stderr)

    # The memory is that of one run, however many there are.
    def test_memory_does_not_grow_with_rows(self):
        peaks = {}
        for hosts in (4, 80):
            directory = self.fleet(f"fleet{hosts}", hosts)
            script = ("import resource,subprocess,sys; status=subprocess.call(sys.argv[1:],"
                      "stdout=subprocess.DEVNULL);"
                      "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            ended = subprocess.run(["python3", "-c", script, runfile("cli/railgauge"), "judge", directory,
                                    "--placement=nearest"], cwd=self.folder, check=True, text=True,
                                   stdout=subprocess.PIPE, timeout=100)
            status, peak = ended.stdout.split()
            self.assertEqual(int(status), self.check.status)
            peaks[hosts] = int(peak)
        rows = self.read("fleet80/samples.csv").count("\n") - 1
        print(f"peak memory of judge: {peaks[4]} KiB for {rows // 20} rows, {peaks[80]} KiB for {rows}")
        self.assertLess(peaks[80], 1.15 * peaks[4])


class PoliciesOfRunTest(JudgeTestCase):
    def test_what_each_policy_would_cost(self):
        outcome = self.railgauge("policies", "run", "--csv_out=costs.csv")
        self.assert_status(outcome, 0)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)
        rows = {row["policy"]: row for row in self.rows("costs.csv")}
        self.assertEqual(list(rows["nearest"])[:6], IDENTITY)
        # gpu0 has all of its NICs among --nics, gpu4 two of four: nothing is claimed of all eight.
        self.assertIn("not measured", outcome.stdout)
        nearest = rows["nearest"]
        judged = [row["verdict"] for row in self.rows("run/placement.csv")]
        for verdict in set(judged):
            self.assertEqual(int(nearest[f"{verdict.lower()}_count"]), judged.count(verdict))
        self.assertNotEqual(rows["vendor-map"]["reason"], "")
        self.assertEqual(rows["vendor-map"]["ok_count"], "")

    def test_nothing_measured(self):
        self.edit("samples.csv", lambda rows: [dict(rows[0], status="failed", reason="it failed")])
        self.assert_status(self.railgauge("policies", "run"), 3)

    def test_errors(self):
        self.assert_one_line(self.railgauge("policies", "none"), "none/census.csv", "ENOENT")


if __name__ == "__main__":
    main()
