#!/usr/bin/env -S python3 -B
"""Twenty seeded runs of railgauge check agree: on a machine that is noisy and well, no run accuses a
NIC; on one of which a path is 5 to 10 % slow, every run finds it.

The noise is the emulated machine's (faults seed, jitter and spikes): variance from message to message,
and a thousandth of the messages 2 ms late. The table of the runs is printed.
"""
import shutil

from cli_testing import CliTestCase, main, measured, read_csv

SEEDS = range(1, 21)
# Rates by 8: what is judged is noise, and the copying of a busy host would be some of its own. Sizes
# by 8, so that a window holds as many messages, and as much of their noise, as at true scale.
MACHINE = "--emulate=p5.48xlarge/8"
SIZE = "128KiB"
NOISE = "jitter=0.05,spikes=0.001"
NEAR = [f"rdmap{bus}s0" for bus in range(79, 83)]
FAR = [f"rdmap{bus}s0" for bus in range(147, 151)]
ACCUSATIONS = {"SLOW", "WRONG", "OVERSUBSCRIBED", "IDLE"}


class SeedsTest(CliTestCase):
    def check(self, seed, faults, nics, budget):
        """The placement row of the first GPU, and what was disturbed of how many windows."""
        def once():
            shutil.rmtree(self.path("run"), ignore_errors=True)
            return self.railgauge(
                "check", "--placement=nearest", f"--nics={','.join(nics)}", "--places=gpu0",
                f"--sizes={SIZE}", f"--time-budget={budget}", "--output=run",
                ",".join([MACHINE, f"seed={seed}", NOISE, *faults]))

        outcome = measured(once)
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        rows = read_csv(self.path("run/placement.csv"))
        samples = read_csv(self.path("run/samples.csv"))
        windows = f"{sum(row['disturbed'] == 'true' for row in samples)} of {len(samples)}"
        row = next(row for row in rows if row["verdict"] in ACCUSATIONS or row is rows[-1])
        print(f"{seed:4}  {' '.join(faults) or 'well':40}  {row['verdict']:14}  "
              f"{float(row['regret_fraction'] or 0):6.3f}  {windows:>9}  {outcome.seconds:5.1f}",
              flush=True)
        return row

    def head(self):
        print("\nseed  fault                                     verdict         regret  disturbed  seconds")

    def test_no_run_accuses_a_noisy_machine_that_is_well(self):
        self.head()
        verdicts = [self.check(seed, [], NEAR + FAR, "5s")["verdict"] for seed in SEEDS]
        self.assertEqual(ACCUSATIONS & set(verdicts), set())
        # Twenty shrugs would be no agreement.
        self.assertGreaterEqual(verdicts.count("OK"), 18, verdicts)

    def test_every_run_finds_a_path_that_is_five_to_ten_percent_slow(self):
        self.head()
        missed = []
        for seed in SEEDS:
            share = 0.95 - 0.05 * (seed - 1) / (len(SEEDS) - 1)
            row = self.check(seed, [f"slow-path:{NEAR[seed % 4]}/gpu0={share:.4f}"], NEAR + FAR, "6s")
            if row["verdict"] != "SLOW" or NEAR[seed % 4] not in row["reason"]:
                missed.append((seed, row["verdict"], row["reason"]))
        self.assertEqual(missed, [])


if __name__ == "__main__":
    main()
