#!/usr/bin/env -S python3 -B
"""railgauge baseline and compare: recorded runs against each other, and what must not be compared.

Nothing is measured here: the runs are those of scenarios/checks/recorded.
"""
import json
import os
import shutil

from cli_testing import CliTestCase, main, read_csv, read_json, runfile

RECORDED = "scenarios/checks/recorded"
BASELINES = "results/baselines"
IDENTITY = ["schema_version", "run_id", "host", "instance_id", "instance_type", "platform"]


class CompareTestCase(CliTestCase):
    def recorded(self, name, copy=None):
        """A copy of a recorded run in this case's folder."""
        copy = copy or name
        shutil.copytree(runfile(f"{RECORDED}/{name}"), self.path(copy))
        os.chmod(self.path(copy), 0o755)
        # Recordings do not say when the run ended, which every command would note.
        self.edit_state(copy, end="2026-11-30T00:00:00.000Z")
        return copy

    def edit_state(self, run, **members):
        state = read_json(self.path(f"{run}/run.json"))
        os.remove(self.path(f"{run}/run.json"))
        self.path(f"{run}/run.json", json.dumps({**state, **members}))

    def replace(self, run, old, new):
        for file in ("samples.csv", "census.csv"):
            text = self.read(f"{run}/{file}")
            os.remove(self.path(f"{run}/{file}"))
            self.path(f"{run}/{file}", text.replace(old, new))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def narrow(self, outcome):
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100, str(outcome))


class BaselineTest(CompareTestCase):
    def test_says_how_many_runs_are_enough(self):
        outcome = self.railgauge("baseline", "make", self.recorded("healthy-p4d.24xlarge"), "--output=made.csv")
        self.assertIn("fewer than 8 runs, windows and like NICs", outcome.stdout)

    # Whoever changes what a baseline holds makes these anew: the command is in the failure.
    def test_the_examples_are_what_the_recordings_give(self):
        for kind in ("p5.48xlarge", "p4d.24xlarge"):
            run = self.recorded(f"healthy-{kind}")
            outcome = self.railgauge("baseline", "make", run, "--output=made.csv")
            self.assert_status(outcome, 0)
            self.assertIn(f"baseline of 1 run of {kind} (emulated): ", outcome.stdout)
            with open(runfile(f"{BASELINES}/{kind}.emulated.csv"), encoding="utf-8") as file:
                self.assertEqual(
                    self.read("made.csv"), file.read(),
                    f"railgauge baseline make {RECORDED}/healthy-{kind} "
                    f"--output={BASELINES}/{kind}.emulated.csv")

    def test_names_no_host(self):
        run = self.recorded("healthy-p4d.24xlarge")
        outcome = self.railgauge("baseline", "make", run, "--output=-")
        self.assert_status(outcome, 0)
        self.assertNotIn("recorded", outcome.stdout)
        rows = outcome.stdout.splitlines()
        self.assertEqual(rows[0].split(",")[:6], IDENTITY)
        for row in rows[1:]:
            self.assertEqual(row.split(",")[:6], ["1", "healthy-p4d.24xlarge", "", "", "p4d.24xlarge", "emulated"])

    def test_runs_of_two_kinds_are_refused(self):
        p5, p4d = self.recorded("healthy-p5.48xlarge"), self.recorded("healthy-p4d.24xlarge")
        outcome = self.railgauge("baseline", "make", p5, p4d, "--output=made.csv")
        self.assert_one_line(outcome, "compare healthy-p4d.24xlarge: its instance type is 'p4d.24xlarge'",
                             "that of healthy-p5.48xlarge 'p5.48xlarge'")
        self.assertFalse(os.path.exists(self.path("made.csv")))

    def test_bad_input_is_one_line(self):
        run = self.recorded("healthy-p4d.24xlarge")
        for arguments, parts in ((["make", "none", "--output=x"], ["none", "ENOENT"]),
                                 (["make", run], ["--output"]),
                                 (["make", run, "--output=none/x"], ["none/x", "ENOENT"]),
                                 (["make", "--output=x"], ["RUN"]),
                                 ([], ["subcommand"])):
            self.assert_one_line(self.railgauge("baseline", *arguments), *parts)


class CompareTest(CompareTestCase):
    def setUp(self):
        super().setUp()
        self.healthy = self.recorded("healthy-p5.48xlarge")
        self.baseline = "base.csv"
        shutil.copy(runfile(f"{BASELINES}/p5.48xlarge.emulated.csv"), self.path(self.baseline))

    def compare(self, run, *arguments, baseline=None):
        return self.railgauge("compare", baseline or self.baseline, run, *arguments)

    def test_the_same_run_is_the_same(self):
        for baseline in (self.baseline, self.healthy):
            outcome = self.compare(self.healthy, baseline=baseline)
            self.assert_status(outcome, 0)
            self.assertIn("SAME: of 384 cells, 384 SAME", outcome.stdout)
            self.assertIn("(emulated)", outcome.stdout)
            self.narrow(outcome)

    def test_a_slow_nic(self):
        run = self.recorded("slow-nic")
        outcome = self.compare(run, "--csv_out=compare.csv")
        self.assert_status(outcome, 1)
        self.narrow(outcome)
        self.assertIn("SLOWER 0000:4f:00.0 (rdmap79s0)", outcome.stdout)
        rows = read_csv(self.path("compare.csv"))
        self.assertEqual(list(rows[0])[:6], IDENTITY)
        self.assertEqual({row["run_id"] for row in rows}, {"slow-nic"})
        slower = [row for row in rows if row["verdict"] == "SLOWER"]
        for row in slower:
            # The slow one, or one whose partner it is, which says so.
            if row["nic_name"] != "rdmap79s0":
                self.assertIn("its partner in loopback, 0000:4f:00.0, is slower", row["reason"])
            self.assertLess(float(row["ratio"]), 0.9)
            self.assertLessEqual(float(row["adjusted_p_value"]), 0.05)
        own = [row for row in slower if row["nic_name"] == "rdmap79s0"]
        self.assertIn(("read", "to_memory"), {(row["operation"], row["direction"]) for row in own})
        self.assertIn("windows", {row["evidence"] for row in own})
        # What the run was not asked for is missing, and nothing is new.
        self.assertIn("MISSING", {row["verdict"] for row in rows})
        alone = self.compare(run, "--csv_out=-")
        self.assert_status(alone, 1)
        self.assertEqual(alone.stdout, self.read("compare.csv"))

    def test_a_missing_nic(self):
        outcome = self.compare(self.recorded("missing-nic"))
        text = " ".join(outcome.stdout.split())
        self.assertEqual(text.count("the machine shows no EFA NIC in this slot"), 1, str(outcome))
        self.assertIn("MISSING slot 0/00.0/00.0/01.0/00.0, 12 cells", text)
        # The others are where they were, and the same.
        self.assertIn("5 others 1.00 SAME", text)
        self.assert_status(outcome, 3)

    # The rest of the baseline is lost at a line's end, which no reader can see.
    def test_nics_that_a_baseline_lacks_are_new(self):
        short = self.path("short.csv", "".join(self.read("base.csv").splitlines(True)[:50]))
        outcome = self.compare(self.healthy, "--csv_out=compare.csv", baseline=short)
        rows = read_csv(self.path("compare.csv"))
        known = {row["nic_slot"] for row in rows if row["verdict"] != "NEW"}
        new = {row["nic_slot"] for row in rows} - known
        self.assertTrue(known and new)
        self.assertRegex(outcome.stdout, rf"(?m)^{len(known)} others? +1\.00 SAME")
        self.assertRegex(outcome.stdout, rf"(?m)^{len(new)} NICs +NEW$")

    def test_before_a_run_the_baseline_can_be_checked(self):
        outcome = self.compare("later", "--baseline-only")
        self.assert_status(outcome, 0)
        self.assertIn("nothing was compared", outcome.stdout)
        self.assert_one_line(self.compare("later", "--baseline-only", baseline="none.csv"), "none.csv: ENOENT")
        self.assert_one_line(self.compare("later", "--baseline-only", "--margin=10"), "--margin")

    def test_another_machine_is_refused(self):
        outcome = self.compare(self.recorded("healthy-p4d.24xlarge"))
        self.assert_one_line(outcome, "its instance type is 'p4d.24xlarge'", "'p5.48xlarge'")

    def test_another_platform_is_refused(self):
        self.edit_state(self.healthy, platform="hardware")
        self.replace(self.healthy, ",emulated,", ",hardware,")
        self.assert_one_line(self.compare(self.healthy), "its platform is 'hardware'", "'emulated'",
                             "compare with a baseline of the same")

    def test_a_baseline_that_nobody_made_is_refused(self):
        rows = self.read("base.csv").splitlines()
        for change, part in ((lambda row: row + [row[0]], "the cell is in line 2 already"),
                             (lambda row: [row[0].replace(",loopback,,1,", ",loopback,,0,")], "run_count is 0"),
                             (lambda row: [row[0].replace(",class", ",guess")], "interval_source is 'guess'"),
                             (lambda row: [row[0].replace(",1048576,", ",1MiB,")], "no value of column size_bytes")):
            other = self.path("other.csv", "\n".join(rows[:1] + change(rows[1:2])) + "\n")
            self.assert_one_line(self.compare(self.healthy, baseline=other), "other.csv:", part)

    def test_other_parameters_are_refused(self):
        self.edit_state(self.healthy, queue_pairs=1)
        for before, after, parts in (
                (",1048576,32,", ",65536,32,", ["with messages of 1MiB", "64KiB", "--sizes"]),
                (",1048576,32,", ",1048576,8,", ["had 32 in flight", "8"]),
                (",loopback,,", ",two_hosts,,", ["in loopback", "with another host"]),
                (",loopback,,", ",loopback,4,", ["with 1 queue pairs", "with 4"])):
            text = self.read("base.csv")
            self.assertIn(before, text)
            other = self.path("other.csv", text.replace(before, after))
            self.assert_one_line(self.compare(self.healthy, baseline=other), *parts)

    def test_bad_input_is_one_line(self):
        cut = self.path("cut.csv", self.read("base.csv")[:5000])
        garbage = self.path("garbage.csv", "hello\n")
        empty = self.path("empty.csv", self.read("base.csv").splitlines()[0] + "\n")
        for baseline, parts in ((cut, ["cut.csv", "cut off"]), (garbage, ["garbage.csv:1", "hello"]),
                                (empty, ["empty.csv", "no row"]), ("none.csv", ["none.csv", "ENOENT"])):
            self.assert_one_line(self.compare(self.healthy, baseline=baseline), *parts)
        self.assert_one_line(self.compare("none"), "none", "ENOENT")
        self.assert_one_line(self.compare("base.csv", baseline=self.healthy), "read RUN base.csv: it is a file",
                             "The baseline comes first: railgauge compare BASELINE RUN")
        for margin in ("10", "-1%", "x%", "100%", ""):
            self.assert_one_line(self.compare(self.healthy, f"--margin={margin}"), "--margin")
        os.makedirs(self.path("two"))
        for name in ("a", "b"):
            shutil.copytree(self.path(self.healthy), self.path(f"two/{name}"))
        self.assert_one_line(self.compare("two"), "it holds 2 runs")
        # As a baseline, two are two runs; and a run twice is none.
        self.assert_one_line(self.compare(self.healthy, baseline="two"), "read two/b: run", "two/a already")
        outcome = self.railgauge("baseline", "make", "two/a", self.healthy, "--output=doubled.csv")
        self.assert_one_line(outcome, f"read {self.healthy}: run", "is in two/a already")
        self.edit_state("two/b", run_id="another")
        self.replace("two/b", f",{self.healthy},", ",another,")
        outcome = self.compare(self.healthy, baseline="two")
        self.assert_status(outcome, 0)
        self.assertIn("baseline two: 2 runs", outcome.stdout)


if __name__ == "__main__":
    main()
