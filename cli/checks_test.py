#!/usr/bin/env -S python3 -B
"""The checks of scenarios/checks that say end_to_end, as a user runs them: the emulated machine, the
command, and what it said held against what is expected of it.

That all checks are judged as expected from their recordings is //lib/scenario/check's subject; here
the same must come out of a run. On a host that is busy with something else a NIC is slow that is
none: whether it was busy is known without a look at the outcome, and then the run is made once more.
"""
import os
import shutil
import subprocess

from cli_testing import BUSY_SHARE, CliTestCase, cpu_pressure_us, main, read_csv, run, runfile

CHECKS = runfile("scenarios/checks")
TOOL = runfile("lib/scenario/check/check_tool")
# More windows than this are not disturbed on a host that has time (results/README.md).
DISTURBED_SHARE = 0.01


def ask(*arguments):
    """What the tool says of a check."""
    return subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


class CheckTest(CliTestCase):
    """One test for each check; they are added below."""

    def run_check(self, name):
        """Runs the check, and returns its outcome and how busy the host was with something else."""
        shutil.rmtree(self.path("run"), ignore_errors=True)
        check = f"{CHECKS}/{name}.yaml"
        decision = self.path("decision.csv", ask("decision", check))
        before = cpu_pressure_us()
        outcome = self.railgauge(*ask("arguments", check, decision, self.path("run")).splitlines())
        waited = 0 if before is None else (cpu_pressure_us() - before) / 1e6 / outcome.seconds
        return outcome, waited, self.disturbed_share()

    def disturbed_share(self):
        if not os.path.exists(self.path("run/samples.csv")):
            return 0
        rows = [row["disturbed"] for row in read_csv(self.path("run/samples.csv")) if row["disturbed"]]
        return rows.count("true") / max(1, len(rows))

    def differences(self, name, outcome):
        """What is not as expected, as text; empty when all is."""
        check = f"{CHECKS}/{name}.yaml"
        error = ask("error", check)
        if error:
            self.assert_one_line(outcome, error)
            return ""
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        return run([TOOL, "compare", check, self.path("run"), str(outcome.status)]).stdout

    def hold(self, name):
        outcome, waited, disturbed = self.run_check(name)
        differences = self.differences(name, outcome)
        busy = waited > BUSY_SHARE or disturbed > DISTURBED_SHARE
        print(f"{name}: {outcome.seconds:.1f} s, waited for CPUs {waited:.1%} of it, "
              f"{disturbed:.1%} of the windows disturbed")
        if differences and busy:
            print(f"{name}: the host was busy, so once more, instead of:\n{differences}")
            outcome, waited, disturbed = self.run_check(name)
            differences = self.differences(name, outcome)
        self.assertEqual(differences, "", f"\nwaited for CPUs {waited:.1%} of the time, {disturbed:.1%} of the "
                         f"windows disturbed\n{outcome}")


def add_tests():
    names = ask("end-to-end", CHECKS).split()
    assert len(names) >= 10, names
    for name in names:
        setattr(CheckTest, "test_" + name.replace("-", "_").replace(".", "_"),
                lambda self, name=name: self.hold(name))


add_tests()

if __name__ == "__main__":
    main()
