#!/usr/bin/env -S python3 -B
"""railgauge plan: the best assignment from a recorded run, and what it writes.

One short run of check gives the files of a machine; its samples are replaced by rows that say what
each case is about, so that nothing here depends on how fast this host is.
"""
import csv
import json
import os
import shutil

from cli_testing import CliTestCase, main

P4D = "--emulate=p4d.24xlarge"
GB = 1e9


class PlanTest(CliTestCase):
    recorded = None  # the run directory that all cases begin with

    def setUp(self):
        super().setUp()
        if PlanTest.recorded is None:
            outcome = self.railgauge("check", "--placement=nearest", "--time-budget=2s", "--output=run", P4D)
            self.assertIn(outcome.status, (0, 1, 3), str(outcome))
            PlanTest.recorded = os.path.join(os.environ.get("TEST_TMPDIR", "/tmp"), "recorded-run")
            shutil.copytree(self.path("run"), PlanTest.recorded)
        else:
            shutil.copytree(PlanTest.recorded, self.path("run"))

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write_rows(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def set_rates(self, rate_of):
        """One window of every pair, operation and direction, of rate_of(nic address, place, relation)."""
        sample = next(row for row in self.rows("run/samples.csv") if row["status"] == "ok")
        rows = []
        for census in self.rows("run/census.csv"):
            rate = rate_of(census["nic_pci_address"], census["place"], census["relation"])
            completions = 1000
            payload = completions * int(sample["size_bytes"])
            nanoseconds = round(payload / rate * 1e9)
            window = {"completions": completions, "payload_bytes": payload, "posted_bytes": payload,
                      "counter_bytes": payload, "duration_ns": nanoseconds,
                      "throughput_bytes_per_second": repr(payload / (nanoseconds / 1e9)),
                      "messages_per_second": repr(completions / (nanoseconds / 1e9))}
            for operation in ("read", "write"):
                for direction in ("to_memory", "from_memory"):
                    rows.append({**sample, "nic_pci_address": census["nic_pci_address"],
                                 "nic_name": census["nic_name"], "place": census["place"],
                                 "way": census["way"], "operation": operation,
                                 "direction": direction, "interconnect_id": "", "load": "alone", "round": "0", "disturbed": "false",
                                 **window})
        self.write_rows("run/samples.csv", rows)

    @staticmethod
    def near_is_fast(_nic, _place, relation):
        return 12 * GB if relation in ("same_host_bridge", "same_numa_node") else 6 * GB

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_a_directory_of_several_runs(self):
        for name in ("a", "b"):
            shutil.copytree(PlanTest.recorded, self.path(f"runs/{name}"))
        for command in (["plan", "runs"], ["explain", "runs", "numa0"], ["topology", "runs"]):
            self.assert_one_line(self.railgauge(*command), "it holds 2 runs", "Give the directory of one")

    def test_a_right_placement_is_kept(self):
        self.set_rates(self.near_is_fast)
        outcome = self.railgauge("plan", "run", "--output=best.csv")
        self.assert_status(outcome, 0)
        self.assertIn("nothing to change", outcome.stdout)
        self.assertIn("worst consumer 6.00 GB/s, in total 48.00 GB/s", outcome.stdout)
        self.assertIn("(emulated)", outcome.stdout)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 100)
        self.assertTrue(self.read("best.csv").startswith("# best measured assignment of run "))

    def test_a_wrong_placement_gets_a_better_one_that_plan_then_keeps(self):
        self.set_rates(self.near_is_fast)
        wrong = "consumer,nic\n" + "".join(
            f"gpu:0000:{bus}:1{slot}.0,0000:10:1b.0\n"
            for bus in ("10", "20", "90", "a0") for slot in "cd")
        self.path("wrong.csv", wrong)
        outcome = self.railgauge("plan", "run", "--placement=wrong.csv", "--output=best.csv")
        self.assert_status(outcome, 0)
        # Eight users of one NIC, half of them at the other socket: 6/8 GB/s; then 12/2.
        self.assertIn("worst consumer +700 %", outcome.stdout)
        self.assertIn("0.75 GB/s", outcome.stdout.replace("750.00 MB/s", "0.75 GB/s"))
        self.assertIn("1 window", outcome.stdout)
        again = self.railgauge("plan", "run", "--placement=best.csv")
        self.assert_status(again, 0)
        self.assertIn("nothing to change", again.stdout)
        judged = self.railgauge("judge", "run", "--placement=best.csv")
        self.assertIn(judged.status, (0, 3), str(judged))

    def test_settings(self):
        self.set_rates(self.near_is_fast)
        outcome = self.railgauge("plan", "run", "--settings=all")
        self.assert_status(outcome, 0)
        for name in ("hwloc", "cuda", "libfabric", "nccl", "nixl", "ucx", "openmpi", "mooncake", "slurm",
                     "kubernetes"):
            self.assertIn(f"\n# ---- {name}: ", outcome.stdout)
        self.assertIn("FI_EFA_IFACE=rdmap16s27", outcome.stdout)
        one = self.railgauge("plan", "run", "--settings=mooncake", "--settings_out=-")
        self.assert_status(one, 0)
        self.assertEqual(json.loads(one.stdout)["cuda:0"], [["rdmap16s27"], []])
        self.assert_status(self.railgauge("plan", "run", "--settings=mooncake", "--settings_out=t.json"), 0)
        back = self.railgauge("plan", "run", "--placement=nccl-topology:nccl.xml")
        self.assert_one_line(back, "nccl.xml", "ENOENT")
        self.assert_status(self.railgauge("plan", "run", "--settings=nccl", "--settings_out=nccl.xml"), 0)
        self.assertIn("nothing to change",
                      self.railgauge("plan", "run", "--placement=nccl-topology:nccl.xml").stdout)
        self.assert_one_line(self.railgauge("plan", "run", "--settings=nixxl"), "nixxl", "nixl")
        self.assert_one_line(self.railgauge("plan", "run", "--settings_out=x"), "--settings=NAME")

    def test_a_run_of_load_bounds_what_consumers_share(self):
        self.set_rates(self.near_is_fast)
        load = self.railgauge("load", "--groups=numa", "--time-budget=2s", "--output=load", P4D)
        self.assertIn(load.status, (0, 1, 3), str(load))
        groups = self.rows("load/groups.csv")
        bridge = {**groups[0], "load": "test", "operation": "read", "direction": "to_memory",
                  "sharing": "slowed", "resource": "the link of the GPU at 0000:10:1c.0",
                  "throughput_sum_bytes_per_second": str(int(4 * GB))}
        self.write_rows("load/groups.csv", [bridge])
        outcome = self.railgauge("plan", "run", "--load=load")
        self.assert_status(outcome, 0)
        self.assertIn("worst consumer 4.00 GB/s", outcome.stdout)
        self.assertIn("Bounded by the link of the GPU at 0000:10:1c.0: 4.00 GB/s (measured by group test).",
                      outcome.stdout)

    def test_what_cannot_be_planned_is_told_in_one_line(self):
        self.assert_one_line(self.railgauge("plan", "none"), "none/census.csv", "ENOENT")
        self.assert_one_line(self.railgauge("plan", "run", "--placement=neerest"), "neerest")
        self.assert_one_line(self.railgauge("plan", "run", "--load=none"), "none/groups.csv")
        header = self.read("run/samples.csv").splitlines(keepends=True)[0]
        os.remove(self.path("run/placement.csv"))
        self.assert_one_line(self.railgauge("plan", "run"), "placement.csv", "--placement=nearest")
        self.path("run/samples.csv", header)
        self.assert_one_line(self.railgauge("plan", "run", "--placement=nearest"), "samples.csv", "no sample")
        shutil.copy(os.path.join(PlanTest.recorded, "samples.csv"), self.path("run"))
        self.write_rows("run/samples.csv", [row for row in self.rows("run/samples.csv") if row["status"] == "ok"][:1] * 2)
        # What judge refuses, all refuse.
        for command in (["plan", "run", "--placement=nearest"], ["judge", "run", "--placement=nearest"],
                        ["policies", "run"], ["explain", "run", "numa0"], ["topology", "run"]):
            self.assert_one_line(self.railgauge(*command), f"railgauge {command[0]}: read run/samples.csv:3:",
                                 "the window is in line 2 already")
        self.path("run/samples.csv", header + "1,broken\n")
        self.assert_one_line(self.railgauge("plan", "run", "--placement=nearest"), "samples.csv:2")
        shutil.copy(os.path.join(PlanTest.recorded, "samples.csv"), self.path("run"))
        os.remove(self.path("run/topology.xml"))
        self.assert_one_line(self.railgauge("plan", "run", "--placement=nearest"), "run/topology.xml",
                             "--hwloc-xml")


if __name__ == "__main__":
    main()
