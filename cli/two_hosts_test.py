#!/usr/bin/env -S python3 -B
"""Two emulated hosts on one fabric: `railgauge serve` on one, what measures on the other.

A peer that dies is in endings_test.py, strangers are in strangers_test.py.
"""
import os
import shutil

from cli_testing import CliTestCase, main, measured, on_two_hosts, read_csv, read_json, runfile

CELLS = "--nics=rdmap79s0,rdmap80s0 --places=gpu0,numa0 --sizes=64KiB --time-budget=30s --output=run"


class TwoHostsTest(CliTestCase):
    def two_hosts(self, commands):
        for name in os.listdir(self.folder):
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        return on_two_hosts(commands, self.folder)

    def test_check_measures_with_the_same_slot_of_the_peer(self):
        outcome = measured(lambda: self.two_hosts(
            f"$RAILGAUGE check --placement=nearest --peer=localhost:$PORT --token=t {CELLS}"))
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        rows = read_csv(self.path("run/samples.csv"))
        screening = [row for row in rows if row["round"] == "0"]
        # A cell whose window was disturbed has more of them.
        variables = ("nic_pci_address", "place", "operation", "direction", "size_bytes")
        cells = {tuple(row[name] for name in variables) for row in screening}
        self.assertEqual(len(cells), 2 * 2 * 2 * 2, str(outcome))
        peer = read_json(self.path("run/run.json"))["peer"]
        self.assertEqual(peer["platform"], "emulated")
        for row in screening:
            self.assertEqual(row["status"], "ok", row)
            self.assertEqual(row["peer"], peer["hostname"])
            self.assertEqual(row["partner_pci_address"], row["nic_pci_address"])
            self.assertEqual(row["partner_place"], "numa0")
            self.assertEqual(row["platform"], "emulated")
            posted, counted = int(row["posted_bytes"]), int(row["counter_bytes"])
            self.assertLessEqual(abs(posted - counted), 0.005 * posted, row)
        with open(self.path("server.txt"), encoding="utf-8") as file:
            said = file.read()
        self.assertIn("measures with this host", said)
        self.assertIn("requests: done", said)
        self.assertIn("1 clients served", said)

    def test_load_runs_the_nics_of_this_host_at_once(self):
        # Two threads of ours and the emulator on perhaps two CPUs keep each other waiting: nothing here is
        # about how fast anything is.
        outcome = self.two_hosts(
            "$RAILGAUGE load --groups=switch --peer=localhost:$PORT --token=t --nics=rdmap79s0,rdmap80s0 "
            "--places=numa0 --sizes=64KiB --time-budget=60s --output=run")
        self.assertIn(outcome.status, (0, 3), str(outcome))
        groups = read_csv(self.path("run/groups.csv"))
        self.assertEqual([(row["load"], row["operation"], row["direction"]) for row in groups],
                         [("switch:0000:44:00.0", "read", "to_memory"),
                          ("switch:0000:44:00.0", "write", "from_memory")])
        rows = read_csv(self.path("run/samples.csv"))
        peer = read_json(self.path("run/run.json"))["peer"]["hostname"]
        self.assertEqual({row["peer"] for row in rows if row["skip_cause"] != "no_time"}, {peer})
        measured_rows = [row for row in rows if row["status"] == "ok"]
        self.assertEqual({(row["operation"], row["load"]) for row in measured_rows},
                         {(operation, load) for operation in ("read", "write")
                          for load in ("alone", "switch:0000:44:00.0")}, str(outcome))
        for row in measured_rows:
            self.assertEqual(row["counter_bytes"], row["posted_bytes"], row)
            self.assertEqual(row["partner_pci_address"], row["nic_pci_address"])
        for row in rows:
            self.assertTrue(row["status"] == "ok" or row["reason"], row)

    def test_latency_of_answered_writes(self):
        bench = runfile("bench/rdma_write_bench")
        outcome = self.two_hosts(
            f"{bench} --latency --peer=localhost:$PORT --token=t --nics=rdmap79s0 --places=numa0 --sizes=8,4KiB "
            "--csv_out=rows.csv --benchmark_min_time=200x")
        self.assert_status(outcome, 0)
        rows = read_csv(self.path("rows.csv"))
        self.assertEqual([(row["direction"], row["size_bytes"], row["status"]) for row in rows],
                         [("from_memory", "8", "ok"), ("from_memory", "4096", "ok")], str(outcome))
        for row in rows:
            # Not below the scenario's base latency, which each way takes.
            self.assertGreaterEqual(int(row["latency_min_ns"]), 15000)
            self.assertEqual(row["throughput_bytes_per_second"], "")
            self.assertEqual(row["counter_bytes"], row["posted_bytes"])
        self.assertNotIn("bytes_per_second", outcome.stdout)

    def test_benchmark_binary(self):
        bench = runfile("bench/rdma_write_bench")
        outcome = self.two_hosts(
            f"{bench} --peer=localhost:$PORT --token=t --nics=rdmap79s0 --places=numa0 --sizes=1MiB "
            "--csv_out=rows.csv --benchmark_min_time=0.02s")
        self.assert_status(outcome, 0)
        rows = read_csv(self.path("rows.csv"))
        self.assertEqual({row["direction"] for row in rows}, {"to_memory", "from_memory"})
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertNotIn("loopback", {row["peer"] for row in rows})


if __name__ == "__main__":
    main()
