#!/usr/bin/env -S python3 -B
"""scripts/hardware_ci, as a CI job runs it, on an emulated machine: good runs, a baseline of them, and a
run with a slow NIC."""
import os
import xml.etree.ElementTree as xml

from cli_testing import CliTestCase, main, measured, read_csv, read_json, run, runfile

SCRIPT = runfile("scripts/hardware_ci")
# Of two nodes, neither the other's partner; and so slow that its paths to the other node are it, too.
MACHINE = "p4d.24xlarge/16"
NICS = ("rdmap16s27", "rdmap144s27")
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

    # A consumer of which nothing was measured: nobody can tell, and that is no failure.
    def test_what_cannot_be_told_is_a_warning(self):
        outcome = self.ci("out", budget="1s", flags=("--places=numa0", f"--nics={NICS[1]}"))
        self.assert_status(outcome, 0)
        self.assertIn("warning: railgauge: cannot be told; ", outcome.stderr)

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
