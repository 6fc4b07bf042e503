#!/usr/bin/env -S python3 -B
"""railgauge census and check --dry-run on every instance type: what a user of the type is told.

The census itself is held against the scenarios by //lib/interconnect:census_every_type_test.
"""
import os

from cli_testing import CliTestCase, main, read_csv, runfile

INSTANCES = runfile("scenarios/instances")
TYPES = sorted(name[:-len(".yaml")] for name in os.listdir(INSTANCES) if name.endswith(".yaml"))
WITHOUT_RDMA = {"c5n.18xlarge", "p3dn.24xlarge", "g5.48xlarge"}
WITH_CONNECTX = {"p6-b200.48xlarge", "p6-b300.48xlarge"}
WITH_TRAINIUM = {"trn1.32xlarge": 8, "trn1n.32xlarge": 16, "trn2.48xlarge": 16}


class EveryTypeTest(CliTestCase):
    def assert_readable(self, outcome):
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100, str(outcome))

    def census(self, instance_type):
        outcome = self.railgauge("census", f"--emulate={instance_type}", "--csv_out=census.csv")
        self.assert_readable(outcome)
        self.assertTrue(outcome.stdout.startswith(f"{instance_type} (emulated): "), str(outcome))
        return outcome, read_csv(self.path("census.csv"))

    def test_census(self):
        self.assertGreaterEqual(len(TYPES), 14)
        for instance_type in TYPES:
            with self.subTest(type=instance_type):
                outcome, rows = self.census(instance_type)
                self.assert_status(outcome, 0)
                self.assertEqual({row["instance_type"] for row in rows}, {instance_type})
                # Locality is never invented: it is unknown on flat trees and nowhere else.
                unknown = {row["relation"] == "unknown" for row in rows}
                self.assertEqual(unknown, {instance_type in WITHOUT_RDMA}, str(outcome))
                self.assertEqual("tree is flat" in outcome.stdout, instance_type in WITHOUT_RDMA, str(outcome))
                unsupported = [row for row in rows if row["status"] == "not_supported"]
                self.assertEqual(len(unsupported), 16 * WITH_TRAINIUM.get(instance_type, 0))
                for row in unsupported:
                    self.assertTrue(row["place"].startswith("accelerator:"), row)
                    self.assertIn("memory place not supported yet", row["reason"])
                text = " ".join(outcome.stdout.split())  # lines are broken anywhere
                self.assertEqual("memory place not supported yet" in text,
                                 instance_type in WITH_TRAINIUM, str(outcome))
                self.assertEqual("other RDMA device" in text, instance_type in WITH_CONNECTX, str(outcome))

    def test_dry_run(self):
        for instance_type in TYPES:
            with self.subTest(type=instance_type):
                outcome = self.railgauge("check", "--placement=nearest", "--dry-run",
                                         f"--emulate={instance_type}")
                self.assert_readable(outcome)
                self.assertEqual(outcome.stderr, "", str(outcome))
                if instance_type in WITHOUT_RDMA:
                    self.assert_status(outcome, 3)
                    self.assertIn("nothing can be measured", outcome.stdout)
                else:
                    self.assert_status(outcome, 0)
                    self.assertIn("windows of", outcome.stdout)

    def test_empty_numa_nodes_are_no_places(self):
        outcome, rows = self.census("p6e-gb200.36xlarge")
        self.assertIn("34 NUMA nodes (32 without memory)", outcome.stdout)
        self.assertEqual({row["place"] for row in rows if row["way"] == "host"}, {"numa0", "numa1"})
        named = self.railgauge("census", "--places=numa2", "--emulate=p6e-gb200.36xlarge")
        self.assert_one_line(named, "numa2", "no memory", "numa0, numa1")

    def test_connectx_is_left_out(self):
        outcome = self.railgauge("census", "--nics=0000:73:00.0", "--emulate=p6-b200.48xlarge")
        self.assert_one_line(outcome, "0000:73:00.0", "no EFA")

    def test_an_accelerator_cannot_be_selected(self):
        outcome = self.railgauge("census", "--places=accelerator:0000:10:1c.0",
                                 "--emulate=trn1.32xlarge")
        self.assert_one_line(outcome, "accelerator:0000:10:1c.0", "not supported yet")


class WithoutRdmaTest(CliTestCase):
    def test_check_says_why_nothing_is_measured(self):
        for instance_type in sorted(WITHOUT_RDMA):
            with self.subTest(type=instance_type):
                outcome = self.railgauge("check", "--placement=nearest", "--time-budget=20s",
                                         f"--emulate={instance_type}",
                                         f"--output={instance_type}")
                self.assert_status(outcome, 3)
                self.assertEqual(len(outcome.stderr.splitlines()), 1, str(outcome))
                self.assertIn("nothing can be measured", outcome.stderr)
                verdicts = {row["verdict"] for row in read_csv(self.path(f"{instance_type}/placement.csv"))}
                self.assertEqual(verdicts, {"UNDECIDED"})
                self.assertLess(outcome.seconds, 20)


class ScaledTest(CliTestCase):
    def test_a_scaled_machine_is_a_type_of_its_own(self):
        outcome = self.railgauge("census", "--nics=rdmap79s0", "--places=numa0",
                                 "--csv_out=census.csv", "--emulate=p5.48xlarge/16")
        self.assert_status(outcome, 0)
        self.assertEqual(read_csv(self.path("census.csv"))[0]["instance_type"], "p5.48xlarge/16")

    def test_bad_divisors(self):
        for divisor in ("0", "-1", "1.5", "fast", "", "1001"):
            with self.subTest(divisor=divisor):
                outcome = self.railgauge("census", f"--emulate=p5.48xlarge/{divisor}")
                self.assert_one_line(outcome, f"p5.48xlarge/{divisor}", "1 to 1000")


if __name__ == "__main__":
    main()
