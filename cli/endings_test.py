#!/usr/bin/env -S python3 -B
"""Runs that are cut short, each way once: it ends by its deadline, every row that was finished is on
disk, and a line names the reason.

Rows are on disk as soon as they are finished, so what was there when the misfortune struck is the
beginning of what is there at the end. The benchmark binaries' files are in bench/products_test.py.
"""
import os
import shutil
import signal
import subprocess
import time

from cli_testing import (
    ControlledTestCase, main, on_small_disk, on_two_hosts, read_csv, read_json, run, runfile)

NIC = "rdmap79s0"
SISTER = "rdmap80s0"
PARTNER = "rdmap96s0"  # below another switch of the same NUMA node
BUDGET_SECONDS = 20
# The engine's (EngineOptions): a NIC that completes nothing for so long is given up, once.
STALL_SECONDS = 10
# What a busy host may add to either.
SLACK_SECONDS = 30
FILES = ["assignment.csv", "census.csv", "findings.csv", "interconnects.csv", "placement.csv", "run.json",
         "samples.csv", "summary.csv", "topology.xml"]
CHECK = [runfile("cli/railgauge"), "check", "--placement=nearest", f"--nics={NIC},{SISTER},{PARTNER}",
         "--places=gpu0", f"--time-budget={BUDGET_SECONDS}s", "--output=run"]


class EndingsTest(ControlledTestCase):
    def content(self, path="run/samples.csv"):
        try:
            with open(self.path(path), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_for_rows(self, process, path="run/samples.csv"):
        """Until there are two."""
        self.wait_for(process, lambda: self.content(path).count("\n") > 2, "nothing was measured")

    def finish(self, process, before, struck, path="run/samples.csv"):
        """Waits for the end of what was struck at that time, with `before` on disk: its output, rows
        and seconds."""
        stdout, stderr = process.communicate(timeout=120)
        seconds = time.monotonic() - struck
        self.assertLess(seconds, BUDGET_SECONDS + STALL_SECONDS + SLACK_SECONDS)
        after = self.content(path)
        self.assertTrue(after.startswith(before) and after.endswith("\n"), "a finished row is lost")
        rows = read_csv(self.path(path))
        print(f"{self.id().rsplit('.', 1)[1]}: {before.count(chr(10)) - 1} rows before, {len(rows)} in all, "
              f"ended after {seconds:.1f} s with {process.returncode}")
        return stdout, stderr, rows

    def assert_reported(self, process, status, stdout, stderr):
        self.assertEqual(process.returncode, status, stderr)
        self.assertIn("run directory: run", stdout)
        self.assertEqual(sorted(os.listdir(self.path("run"))), FILES)
        self.assertEqual(read_json(self.path("run/run.json"))["exit_status"], status)

    def check_that_meets(self, fault):
        process = self.start("p5.48xlarge", *CHECK, stdin=subprocess.DEVNULL)
        self.wait_for_rows(process)
        before, struck = self.content(), time.monotonic()
        self.tell(fault)
        stdout, stderr, rows = self.finish(process, before, struck)
        self.assert_reported(process, 3, stdout, stderr)
        # One line says what happened, however many cells it spoilt.
        notes = [line for line in stderr.splitlines() if f"{NIC} is given up" in line]
        self.assertEqual(len(notes), 1, stderr)
        return notes[0], rows

    def test_nic_that_stops_completing(self):
        note, rows = self.check_that_meets(f"stop-completing:{NIC}")
        self.assertIn("NIC stopped completing: nothing for 10.0 s", note)
        self.assertTrue([row for row in rows if "NIC stopped completing" in row["reason"]])

    def test_device_removed(self):
        note, rows = self.check_that_meets(f"removed:{NIC}")
        self.assertIn("the device is lost: it was removed or reset", note)
        self.assertTrue([row for row in rows if "the device is lost" in row["reason"]])

    def test_nic_that_stops_completing_under_a_benchmark(self):
        process = self.start("p5.48xlarge", runfile("bench/rdma_read_bench"), f"--nics={NIC}", "--places=gpu0",
                             "--depths=1,2,4,8,16,32", "--benchmark_min_time=0.1s", "--csv_out=rows.csv",
                             stdin=subprocess.DEVNULL)
        self.wait_for_rows(process, "rows.csv")
        before, struck = self.content("rows.csv"), time.monotonic()
        self.tell(f"stop-completing:{NIC}")
        stdout, stderr, rows = self.finish(process, before, struck, "rows.csv")
        self.assertEqual(process.returncode, 3, stderr)
        self.assertEqual(len(rows), 2 * 3 * 6)  # one for every benchmark
        self.assertIn("NIC stopped completing", stdout)
        self.assertIn("NIC stopped completing", rows[-1]["reason"])

    def test_thousand_error_completions(self):
        # Half of the requests fail once it is told, so most windows begin; small messages have many
        # in flight. The devices count what failed.
        script = ('"$@"; status=$?; cat /sys/class/infiniband/*/ports/1/hw_counters/rdma_*_wr_err >errors; '
                  "exit $status")
        process = self.start("p5.48xlarge", "bash", "-c", script, "bash", *CHECK, "--sizes=4KiB,1MiB",
                             stdin=subprocess.DEVNULL)
        self.wait_for_rows(process)
        before, struck = self.content(), time.monotonic()
        self.tell("completion-errors:all=0.5/unresp_remote")
        stdout, stderr, rows = self.finish(process, before, struck)
        self.assert_reported(process, 3, stdout, stderr)
        failed = sum(int(line) for line in self.content("errors").split())
        print(f"{failed} error completions")
        self.assertGreaterEqual(failed, 1000)
        reasons = {row["reason"] for row in rows if row["status"] == "failed"}
        self.assertTrue(reasons and all("UNRESP_REMOTE" in reason for reason in reasons), reasons)

    def test_full_disk(self):
        # Room for what is written before anything is measured, and some dozen rows.
        first = run([*CHECK[:-2], "--time-budget=1s", "--output=first", "--emulate=p5.48xlarge"], cwd=self.folder)
        self.assertIn("run directory: first", first.stdout, str(first))
        blocks = sum(-(-os.path.getsize(self.path(f"first/{name}")) // 4096)
                     for name in ("census.csv", "run.json", "topology.xml"))
        command = [*CHECK[:-1], "--output=disk/run", "--emulate=p5.48xlarge"]
        started = time.monotonic()
        outcome = on_small_disk(f"{4 * (blocks + 3)}k", command, self.folder, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - started
        self.assert_status(outcome, 2)
        lines = outcome.stdout.splitlines()
        self.assertRegex(lines[-1], r"^railgauge check: write disk/run/samples.csv: ENOSPC .*\. Free space there")
        self.assertEqual(lines[-2], "run directory: disk/run")
        self.assertIn("placement: policy nearest", outcome.stdout)
        content = self.content("kept/run/samples.csv")
        rows = read_csv(self.path("kept/run/samples.csv"))
        self.assertTrue(content.endswith("\n"))
        self.assertGreater(len(rows), 5)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        print(f"test_full_disk: {len(rows)} rows kept, ended after {seconds:.1f} s with {outcome.status}")

    def test_interrupt(self):
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(which):
                process = subprocess.Popen([*CHECK, "--emulate=p5.48xlarge"], cwd=self.folder, text=True,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(process.kill)
                self.wait_for_rows(process)
                before, struck = self.content(), time.monotonic()
                process.send_signal(which)
                stdout, stderr, _ = self.finish(process, before, struck)
                self.assertIn(process.returncode, (1, 3), stderr)
                self.assert_reported(process, process.returncode, stdout, stderr)
                self.assertIn("interrupted: judged by what was measured until then", stderr)
                shutil.rmtree(self.path("run"))

    def test_peer_killed(self):
        # Killed when two rows are there; what is then on disk is kept aside.
        outcome = on_two_hosts(
            "$RAILGAUGE check --placement=nearest --peer=localhost:$PORT --token=t --places=gpu0,numa0 "
            f"--output=run --time-budget={BUDGET_SECONDS}s & check=$!; "
            "tail --retry --pid=$check -n +1 -s 0.02 -f run/samples.csv 2>/dev/null | grep -m 2 -q ,ok, && "
            "cp run/samples.csv before.csv && kill -KILL -- $SERVER && date +%s.%N >struck; "
            "wait $check; status=$?; date +%s.%N >ended; exit $status", self.folder)
        self.assert_status(outcome, 3)
        self.assertRegex(outcome.stderr, "the peer is gone, judged by what was measured until then: ")
        self.assertIn("run directory: run", outcome.stdout)
        self.assertTrue(self.content().startswith(self.content("before.csv")), "a finished row is lost")
        rows = read_csv(self.path("run/samples.csv"))
        self.assertEqual((rows[0]["status"], rows[-1]["status"]), ("ok", "skipped"))
        # The last window may have closed, and could not be held against the peer's counters any more.
        for row in rows:
            if row["status"] != "ok":
                self.assertIn("the peer is gone: ", row["reason"], row)
                self.assertIn(row["status"], ("failed", "skipped", "no_counters"), row)
        seconds = float(self.content("ended")) - float(self.content("struck"))
        self.assertLess(seconds, SLACK_SECONDS)  # long before the budget's and the stall's time
        print(f"test_peer_killed: {len(rows)} rows, ended after {seconds:.1f} s with {outcome.status}")


if __name__ == "__main__":
    main()
