#!/usr/bin/env -S python3 -B
"""Sick machines: what the tools say of each fault, and that none of them makes a run hang.

How a run ends that meets a fault while it measures is endings_test.py's.

The tools know nothing of the emulator: what is judged here is what they make of a device that
refuses, lies, stops or goes. Where it matters how fast something is, the difference is so large that
a busy host does not hide it.
"""
import os
import shutil
import statistics
import subprocess

from cli_testing import EMULATE, CliTestCase, ControlledTestCase, main, measured, read_csv, run, runfile

MACHINE = "--emulate=p5.48xlarge,"
NIC = "rdmap79s0"
SISTER = "rdmap80s0"
PARTNER = "rdmap96s0"  # below another switch of the same NUMA node
GPU0 = "gpu:0000:53:00.0"


class CensusFaultTest(CliTestCase):
    def census(self, faults, *arguments, status=0):
        outcome = self.railgauge("census", MACHINE + faults, "--csv_out=census.csv", *arguments)
        self.assert_status(outcome, status)
        return outcome, read_csv(self.path("census.csv"))

    def statuses(self, rows, nic):
        return {row["status"] for row in rows if row["nic_name"] == nic}

    def test_ids_none_of_one_nic(self):
        _, rows = self.census(f"ids-none:{NIC}", f"--nics={NIC},{SISTER}")
        self.assertEqual(self.statuses(rows, NIC), {"no_id"})
        self.assertEqual(self.statuses(rows, SISTER), {"ok"})

    def test_ids_partial(self):
        _, rows = self.census(f"ids-partial:{NIC}=rdma_recv", f"--nics={NIC}", "--places=numa0")
        self.assertEqual({row["rdma_recv_ic_id"] for row in rows}, {""})
        self.assertNotIn("", {row["rdma_read_ic_id"] for row in rows})

    def test_a_driver_that_cannot_tell(self):
        _, rows = self.census(f"ids-unsupported:{NIC}", f"--nics={NIC},{SISTER}")
        self.assertEqual(self.statuses(rows, NIC), {"cannot_tell"})

    def test_registration_fails_by_one_way(self):
        outcome, rows = self.census("registration-fails:peer_memory=EINVAL", f"--nics={NIC}")
        failed = {row["way"] for row in rows if row["status"] == "registration_failed"}
        self.assertEqual(failed, {"peer_memory"})
        self.assertEqual({row["status"] for row in rows if row["way"] == "dmabuf"}, {"ok"})
        self.assertIn("EINVAL", outcome.stdout)

    def test_access_refused(self):
        outcome, rows = self.census(f"access-refused:{NIC}=EPERM", f"--nics={NIC},{SISTER}")
        self.assertEqual(self.statuses(rows, NIC), {"skipped"})
        self.assertEqual(self.statuses(rows, SISTER), {"ok"})
        self.assertIn("EPERM", outcome.stdout)

    def test_missing_devices_are_not_there(self):
        outcome, rows = self.census(f"missing-nic:{NIC},missing-gpu:gpu0")
        self.assertIn("31 EFA NICs, 7 GPUs", outcome.stdout)
        self.assertEqual(len({row["nic_name"] for row in rows}), 31)
        self.assertNotIn(GPU0, {row["place"] for row in rows})

    def test_a_flat_tree_invents_no_relation(self):
        _, rows = self.census("flat-tree", f"--nics={NIC}")
        self.assertEqual({row["relation"] for row in rows}, {"unknown"})

    def test_numa_unknown_leaves_what_the_switch_says(self):
        _, rows = self.census("numa-unknown", f"--nics={NIC}")
        self.assertEqual({row["relation"] for row in rows}, {"unknown", "same_switch"})

    def test_hidden_pci_is_one_line(self):
        outcome = self.railgauge("census", MACHINE + "hidden-pci")
        self.assert_one_line(outcome, "shows no PCI devices at all")

    def test_permuted_gpus_keep_their_addresses(self):
        _, plain = self.census("renamed-nics", "--nics=efa_0", "--places=gpu0")
        _, permuted = self.census("renamed-nics,visible-gpus", "--nics=efa_0", "--places=gpu7")
        self.assertEqual({row["place"] for row in plain}, {GPU0})
        self.assertEqual({row["place"] for row in permuted}, {GPU0})

    def test_unknown_fault_is_one_line(self):
        outcome = self.railgauge("census", MACHINE + f"slow-nick:{NIC}")
        self.assert_one_line(outcome, "there is no fault 'slow-nick'. Write 'slow-nic'.")


class CheckFaultTest(CliTestCase):
    def check(self, faults, *arguments, budget="4s"):
        outcome = self.railgauge("check", "--placement=nearest", f"--nics={NIC},{SISTER},{PARTNER}",
                                 "--places=gpu0", f"--time-budget={budget}", "--output=run",
                                 MACHINE + faults, *arguments)
        return outcome, read_csv(self.path("run/samples.csv"))

    def reasons(self, rows, status):
        return "\n".join(row["reason"] for row in rows if row["status"] == status)

    def test_counters_that_stick(self):
        outcome, rows = self.check(f"stuck-counters:{NIC}")
        self.assert_status(outcome, 3)
        self.assertIn(f"of {NIC} grew by 0", self.reasons(rows, "wrong_bytes"))

    def test_a_silent_fall_back(self):
        outcome, rows = self.check("silent-fallback:all")
        self.assert_status(outcome, 3)
        self.assertEqual({row["status"] for row in rows}, {"wrong_operation"})

    def test_foreign_traffic_is_refused(self):
        outcome = self.railgauge("check", "--placement=nearest", f"--nics={NIC},{SISTER},{PARTNER}",
                                 "--places=gpu0", "--output=run",
                                 f"{MACHINE}foreign-traffic:{NIC}=2GB/s,foreign-traffic:{PARTNER}")
        self.assert_one_line(outcome, "2 busy NICs", f"({NIC}): ", f"({PARTNER}): ", "_bytes in ", "--allow-busy")
        self.assertNotIn(SISTER, outcome.stderr)
        self.assertFalse(os.path.exists(self.path("run")), "nothing was measured")

    def test_foreign_traffic_of_a_partner_that_is_not_selected(self):
        arguments = ("check", "--placement=nearest", f"--nics={NIC}", "--places=gpu0")
        outcome = self.railgauge(*arguments, f"{MACHINE}foreign-traffic:{PARTNER}")
        self.assert_one_line(outcome, "1 busy NIC", f"({PARTNER}): ")

    def test_foreign_traffic_that_is_allowed(self):
        outcome, rows = self.check(f"foreign-traffic:{NIC}=2GB/s", "--allow-busy")
        self.assert_status(outcome, 3)
        self.assertIn("in use by others, and allowed: ", outcome.stderr)
        self.assertEqual({row["status"] for row in rows if row["nic_name"] == NIC},
                         {"foreign_traffic"})

    def test_error_completions(self):
        outcome, rows = self.check("completion-errors:all=0.2/unresp_remote")
        self.assert_status(outcome, 3)
        self.assertIn("UNRESP_REMOTE", self.reasons(rows, "failed"))

    def test_memlock(self):
        outcome, rows = self.check("memlock=64KiB")
        self.assert_status(outcome, 3)
        self.assertIn("ENOMEM", self.reasons(rows, "failed"))

    # A rate is a rate only on a host that has time: late completions come in a burst.
    def test_a_slow_nic_is_slow(self):
        def once():
            shutil.rmtree(self.path("run"), ignore_errors=True)
            return self.check(f"slow-nic:{NIC}=0.1", budget="15s")

        _, rows = measured(once)
        rates = {}
        for row in rows:
            if row["status"] == "ok" and row["operation"] == "read":
                rates.setdefault(row["nic_name"], []).append(float(row["throughput_bytes_per_second"]))
        # A window of so slow a NIC holds some 20 messages: that one completes late makes 5 % of a window.
        self.assertLess(statistics.median(rates[NIC]), 0.105 * 12.5e9)
        self.assertGreater(statistics.median(rates[SISTER]), 2 * max(rates[NIC]))


class ControlTest(ControlledTestCase):
    def test_a_socket_in_use_is_kept_and_an_abandoned_one_replaced(self):
        process = self.start("p4d.24xlarge", "sh", "-c", "read line", stdin=subprocess.PIPE)
        second = run([runfile(EMULATE), f"--control={self.SOCKET}", "p4d.24xlarge", "true"],
                     cwd=self.folder)
        self.assert_status(second, 2)
        self.assertIn("Give another path", second.stderr)
        self.assertEqual(self.tell("status"), "ok: healthy")
        process.kill()
        process.wait()
        self.assertTrue(os.path.exists(self.path(self.SOCKET)))
        third = run([runfile(EMULATE), f"--control={self.SOCKET}", "p4d.24xlarge", "true"],
                    cwd=self.folder)
        self.assert_status(third, 0)

    def test_what_can_be_switched_and_what_not(self):
        process = self.start("p4d.24xlarge", "sh", "-c", "read line; exit 7", stdin=subprocess.PIPE)
        slow = "slow-nic:rdmap16s27=0.5"
        self.assertEqual(self.tell("status"), "ok: healthy")
        self.assertEqual(self.tell(slow), f"ok: {slow}")
        self.assertIn("restart the machine", self.tell("missing-gpu:gpu3", status=2))
        refused = self.tell("bogus", status=2)
        self.assertIn("there is no fault", refused)
        self.assertTrue(refused.startswith("emulate: --tell 'bogus': "), refused)
        self.assertEqual(self.tell("status"), f"ok: {slow}")
        self.assertEqual(self.tell("clear:all"), "ok: healthy")
        process.communicate("\n", timeout=30)
        self.assertEqual(process.returncode, 7)
        self.assertFalse(os.path.exists(self.path(self.SOCKET)))
        self.assertIn("ENOENT", self.tell("status", status=2))

    def test_nodes_of_a_fabric_are_told_apart(self):
        process = self.start("--nodes=2", "p4d.24xlarge", "sh", "-c", "read line; exit 7",
                             stdin=subprocess.PIPE)
        self.assertEqual(self.tell("node1 slow-nic:rdmap16s27"), "node1 ok: slow-nic:rdmap16s27")
        self.assertEqual(self.tell("status"), "node0 ok: healthy; node1 ok: slow-nic:rdmap16s27")
        self.assertIn("there is no node 7", self.tell("node7 status", status=2))
        self.assertIn("there is no fault", self.tell("slow-nick:rdmap16s27", status=2))
        process.communicate("\n", timeout=30)
        self.assertEqual(process.returncode, 7)

    def test_a_path_in_use_is_refused(self):
        self.path("taken", "")
        outcome = run([runfile(EMULATE), "--control=taken", "p4d.24xlarge", "true"], cwd=self.folder)
        self.assert_one_line(outcome, "make control socket", "EADDRINUSE")


if __name__ == "__main__":
    main()
