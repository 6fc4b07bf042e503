#!/usr/bin/env -S python3 -B
"""railgauge policies, and placements in the formats of others, as users give them."""
import csv
import io

from cli_testing import CliTestCase, main

P5 = "--emulate=p5.48xlarge"


class PoliciesTest(CliTestCase):
    def test_table_fits_and_says_emulated(self):
        outcome = self.railgauge("policies", P5)
        self.assert_status(outcome, 0)
        self.assertIn("p5.48xlarge (emulated): 32 EFA NICs", outcome.stdout)
        self.assertIn("\nnearest, nixl, nccl, mooncake: 32 of 32 NICs used\n", outcome.stdout)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)

    # What policies writes is what check takes, with the columns of other uses cut off.
    def test_rows_are_decisions(self):
        outcome = self.railgauge("policies", "--csv_out=-", P5)
        self.assert_status(outcome, 0)
        rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
        self.assertEqual({row["platform"] for row in rows}, {"emulated"})
        pairs = [f"{row['consumer']},{row['nic']}\n" for row in rows if row["policy"] == "ompi"]
        self.assertEqual(len(pairs), 8)
        decision = self.path("ompi.csv", "consumer,nic\n" + "".join(pairs))
        self.assert_status(self.railgauge("check", f"--placement={decision}", "--dry-run", P5), 0)

    def test_rules_name_their_sources(self):
        outcome = self.railgauge("policies", "--rules")
        self.assert_status(outcome, 0)
        self.assertIn("From: Open MPI common_ofi.c", outcome.stdout)


class PlacementFormatTest(CliTestCase):
    def dry_run(self, placement):
        return self.railgauge("check", f"--placement={placement}", "--dry-run", P5)

    def test_a_log_of_nccl(self):
        log = self.path("nccl.log", (
            "a:1:2 [0] NCCL INFO NET/OFI NIC group 0 device #0 0000:4f:00.0\n"
            "a:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 53000\n"
            "a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Libfabric/0/GDRDMA\n"))
        self.assert_status(self.dry_run(log), 0)
        self.assert_one_line(self.dry_run(f"nccl-topology:{log}"), f"{log}:1", "no XML")

    def test_ordinals_are_cudas(self):
        topology = self.path("mooncake.json", '{"cuda:7": [["rdmap198s0"], []]}')
        self.assert_status(self.dry_run(topology), 0)
        topology = self.path("mooncake.json", '{\n"cuda:8": [["rdmap198s0"], []]}')
        self.assert_one_line(self.dry_run(topology), "mooncake.json:2", "gpu8")

    def test_a_device_that_is_not_here(self):
        self.assert_one_line(self.dry_run("UCX_NET_DEVICES=rdmap79s1:1"), "rdmap79s1",
                             "The nearest spelling is rdmap79s0")

    def test_no_known_format(self):
        self.assert_one_line(self.dry_run(self.path("notes", "hello\n")), "notes:1", "nccl-log")

    def test_what_cannot_be_measured(self):
        outcome = self.railgauge("check", "--placement=vendor-map", "--emulate=trn1.32xlarge")
        self.assert_one_line(outcome, "no CUDA GPU")


if __name__ == "__main__":
    main()
