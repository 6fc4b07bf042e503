#!/usr/bin/env -S python3 -B
"""railgauge judge: a run that check recorded, judged again from its files alone."""
import os

from cli_testing import CliTestCase, main

P5 = "--emulate=p5.48xlarge/16"
NICS = "--nics=rdmap79s0,rdmap80s0,rdmap81s0,rdmap82s0,rdmap147s0,rdmap148s0"


class JudgeTest(CliTestCase):
    def setUp(self):
        super().setUp()
        # One NIC of nearest's choice is not among --nics, and one consumer not among --places.
        self.check = self.railgauge("check", "--placement=nearest", NICS, "--places=gpu0,gpu4",
                                    "--time-budget=5s", "--output=run", P5)
        self.assertIn(self.check.status, (0, 1, 3), str(self.check))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_says_what_check_said(self):
        # Without --emulate: nothing of the machine is at hand but the run directory.
        before = sorted(os.listdir(self.path("run")))
        outcome = self.railgauge("judge", "run", "--placement=nearest", "--csv_out=again.csv",
                                 "--findings_out=findings.csv")
        self.assertEqual(self.read("again.csv"), self.read("run/placement.csv"))
        self.assertEqual(self.read("findings.csv"), self.read("run/findings.csv"))
        self.assertGreater(self.read("again.csv").count("\n"), 2)
        self.assertIn("not among --nics", self.read("again.csv"))
        self.assert_status(outcome, self.check.status)
        self.assertIn("(emulated)", outcome.stdout)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)
        self.assertEqual(sorted(os.listdir(self.path("run"))), before)

    def test_another_placement_by_the_same_records(self):
        outcome = self.railgauge("judge", "run", "--placement=UCX_NET_DEVICES=rdmap147s0:1",
                                 "--csv_out=-")
        self.assertIn(outcome.status, (1, 3), str(outcome))
        self.assertIn("rdmap147s0", outcome.stdout)

    def test_what_is_missing_is_told(self):
        os.remove(self.path("run/topology.xml"))
        self.assert_one_line(self.railgauge("judge", "run", "--placement=nearest"), "topology.xml",
                             "--hwloc-xml")
        self.assert_one_line(self.railgauge("judge", "none", "--placement=nearest"),
                             "none/census.csv", "ENOENT")


if __name__ == "__main__":
    main()
