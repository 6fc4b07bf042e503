#!/usr/bin/env -S python3 -B
"""The benchmark binaries as products: names by which runs compare, files that others read, an end
that keeps what is there."""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("TEST_SRCDIR", ""),
                                os.environ.get("TEST_WORKSPACE", ""), "cli"))
from cli_testing import (  # pylint: disable=C0413
    CliTestCase, main, on_small_disk, read_csv, read_json, run, runfile)

P5 = "--emulate=p5.48xlarge"
NIC = "rdmap79s0"
ONE_CELL = [P5, f"--nics={NIC}", "--places=gpu0", "--sizes=1MiB"]
# What a name says, in this order.
VARIABLES = ["nic", "place", "way", "direction", "size", "depth", "queue_pairs", "peer"]


def strict_json(text):
    """The value of a JSON text that has none of what only Python reads (NaN)."""
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")
    return json.loads(text, parse_constant=refuse)


class BenchTestCase(CliTestCase):
    def bench(self, name, *arguments, **options):
        return run([runfile(f"bench/{name}"), *arguments], cwd=self.folder, **options)

    def good(self, name, *arguments):
        outcome = self.bench(name, *arguments)
        self.assert_status(outcome, 0)
        return outcome


class NamesTest(BenchTestCase):
    def listed(self, *arguments):
        return self.good("rdma_write_bench", P5, "--benchmark_list_tests", *arguments).stdout.splitlines()

    def test_a_name_says_every_variable(self):
        names = self.listed(f"--nics={NIC}", "--places=numa0,gpu0", "--sizes=4KiB", "--depths=1,64",
                            "--queue-pairs=2")
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), 2 * 2 * 2)
        for name in names:
            pattern = "write" + "".join(f"/{variable}:(.+)" for variable in VARIABLES) + "/manual_time"
            self.assertRegex(name, f"^{pattern}$")
        self.assertIn("write/nic:0000:4f:00.0/place:gpu:0000:53:00.0/way:dmabuf/direction:to_memory/"
                      "size:4096/depth:64/queue_pairs:2/peer:loopback/manual_time", names)
        # One request in flight is spread over one queue pair, whatever is asked for.
        self.assertTrue(all("queue_pairs:1/" in name for name in names if "/depth:1/" in name))

    def test_two_machines_of_a_type_have_the_same_names(self):
        selection = ["--places=numa0", "--sizes=1MiB"]
        self.assertEqual(self.listed(*selection), self.listed(*selection, P5 + ",renamed-nics"))

    def test_another_way_is_another_name(self):
        names = self.listed(f"--nics={NIC}", "--places=gpu0", "--sizes=1MiB",
                            P5 + ",registration-fails:dmabuf=EOPNOTSUPP")
        self.assertTrue(names and all("/way:peer_memory/" in name for name in names), names)

    def test_the_selection_is_the_names(self):
        self.assertEqual(len(self.listed("--sizes=1MiB")), 32 * 10 * 2)


class CompareTest(BenchTestCase):
    """Google Benchmark's own compare.py, of the archive that is built against."""

    def setUp(self):
        super().setUp()
        needs = "import numpy, scipy"
        pythons = [python for python in (sys.executable, "/usr/bin/python3")
                   if run([python, "-c", needs]).status == 0]
        self.assertTrue(pythons, "compare.py needs numpy and scipy: scripts/setup --test installs them")
        self.python = pythons[0]

    def compare(self, *arguments):
        tool = os.path.join(os.environ["TEST_SRCDIR"], "com_google_benchmark/tools/compare.py")
        return run([self.python, "-B", tool, "--no-color", *arguments], cwd=self.folder)

    def measure(self, out, *arguments):
        self.good("rdma_read_bench", *ONE_CELL, "--benchmark_min_time=20x", "--benchmark_repetitions=3",
                  f"--benchmark_out={out}", *arguments)
        with open(self.path(out), encoding="utf-8") as file:
            return strict_json(file.read())

    def test_two_runs_compare_by_name(self):
        before, after = self.measure("a.json"), self.measure("b.json")
        names = {benchmark["run_name"] for benchmark in before["benchmarks"]}
        self.assertEqual(names, {benchmark["run_name"] for benchmark in after["benchmarks"]})
        self.assertEqual(before["context"]["platform"], "emulated")
        outcome = self.compare("benchmarks", "a.json", "b.json")
        self.assert_status(outcome, 0)
        for name in names:
            self.assertIn(name, outcome.stdout)
            self.assertIn(name + "_pvalue", outcome.stdout)  # its U test paired the repetitions
        self.assertIn("OVERALL_GEOMEAN", outcome.stdout)

    def test_what_differs_in_a_variable_is_not_compared(self):
        self.measure("a.json")
        self.measure("b.json", "--depths=64")
        outcome = self.compare("benchmarks", "a.json", "b.json")
        self.assertNotIn("read/nic:", outcome.stdout, str(outcome))

    def test_the_dumped_comparison_has_both_times(self):
        self.measure("a.json")
        self.assert_status(self.compare("-d", "diff.json", "benchmarks", "a.json", "a.json"), 0)
        rows = [row for row in read_json(self.path("diff.json")) if row["run_type"] == "iteration"]
        self.assertEqual(len(rows), 2)
        for row in rows:
            for measurement in row["measurements"]:
                self.assertGreater(measurement["real_time"], 0)
                self.assertEqual(measurement["time"], 0)


class CsvTest(BenchTestCase):
    def test_rows_are_those_of_samples_csv(self):
        outcome = self.railgauge("check", "--placement=nearest", "--output=run", "--time-budget=5s", *ONE_CELL)
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        rows = []
        for operation in ("read", "write"):
            self.good(f"rdma_{operation}_bench", *ONE_CELL, "--csv_out=rows.csv", "--benchmark_min_time=0.02s")
            rows += read_csv(self.path("rows.csv"))
        samples = [row for row in read_csv(self.path("run/samples.csv"))
                   if row["round"] == "0" and row["status"] != "skipped"]
        self.assertEqual(len(rows), 4)
        # The same columns in the same order.
        with open(self.path("rows.csv"), encoding="utf-8") as bench, \
                open(self.path("run/samples.csv"), encoding="utf-8") as check:
            self.assertEqual(bench.readline(), check.readline())
        # And the same in each that is no measurement of its own run.
        same = ["schema_version", "host", "instance_type", "platform", "nic_pci_address", "nic_name", "place",
                "operation", "direction", "size_bytes", "depth", "load", "way", "partner_pci_address",
                "partner_name", "partner_place", "peer", "interconnect_id", "round", "status",
                "line_rate_bytes_per_second"]
        key = ("operation", "direction")
        by_key = {tuple(row[column] for column in key): row for row in samples}
        for row in rows:
            sample = by_key[tuple(row[column] for column in key)]
            self.assertEqual({column: row[column] for column in same},
                             {column: sample[column] for column in same})

    def test_rows_and_json_say_the_same(self):
        outcome = self.good("rdma_read_bench", *ONE_CELL, "--csv_out=rows.csv", "--benchmark_format=json",
                            "--benchmark_repetitions=2", "--benchmark_min_time=30x")
        runs = [run for run in strict_json(outcome.stdout)["benchmarks"] if run["run_type"] == "iteration"]
        rows = read_csv(self.path("rows.csv"))
        self.assertEqual(len(rows), 4)
        for row, reported in zip(rows, runs):
            for variable, column in (("nic", "nic_pci_address"), ("place", "place"), ("way", "way"),
                                     ("direction", "direction"), ("size", "size_bytes"), ("depth", "depth")):
                self.assertIn(f"/{variable}:{row[column]}/", reported["name"])
            self.assertAlmostEqual(float(row["throughput_bytes_per_second"]) / reported["bytes_per_second"], 1,
                                   delta=1e-6)
            self.assertEqual(row["round"], str(reported["repetition_index"]))
            label = row["interconnect_id"]
            self.assertEqual(reported["label"], f"interconnect_id:{label}" if label else "no id")


class RegistrationTest(BenchTestCase):
    def test_every_way_and_size_has_its_latencies(self):
        outcome = self.good("mr_register_bench", P5, f"--nics={NIC}", "--places=numa0,gpu0", "--sizes=4KiB,1MiB",
                            "--benchmark_min_time=50x", "--csv_out=rows.csv", "--benchmark_format=json")
        names = {run["run_name"] for run in strict_json(outcome.stdout)["benchmarks"]}
        rows = read_csv(self.path("rows.csv"))
        expected = {f"{operation}/nic:0000:4f:00.0/place:{place}/way:{way}/size:{size}/manual_time"
                    for operation in ("register", "deregister", "query")
                    for place, way in (("numa0", "host"), ("gpu:0000:53:00.0", "dmabuf"),
                                       ("gpu:0000:53:00.0", "peer_memory"))
                    for size in (4096, 1048576)}
        self.assertEqual(names, expected)
        self.assertEqual(len(rows), len(expected))
        for row in rows:
            self.assertEqual((row["status"], row["count"], row["platform"]), ("ok", "50", "emulated"), row)
            times = [int(row[f"latency_{which}_ns"]) for which in ("min", "p50", "p99", "max")]
            self.assertGreater(times[0], 0)
            self.assertEqual(times, sorted(times))

    def test_a_way_that_fails_is_a_row_and_the_others_go_on(self):
        outcome = self.bench("mr_register_bench", P5 + ",registration-fails:dmabuf=EOPNOTSUPP", f"--nics={NIC}",
                             "--places=gpu0", "--sizes=4KiB", "--benchmark_min_time=10x", "--csv_out=rows.csv")
        self.assert_status(outcome, 3)
        statuses = collections.defaultdict(set)
        for row in read_csv(self.path("rows.csv")):
            statuses[row["way"]].add(row["status"])
            self.assertEqual("EOPNOTSUPP" in row["reason"], row["status"] == "failed", row)
        self.assertEqual(statuses, {"dmabuf": {"failed"}, "peer_memory": {"ok"}})

    def test_a_driver_that_cannot_tell_has_no_latency_of_telling(self):
        outcome = self.good("mr_register_bench", P5 + f",ids-unsupported:{NIC}", f"--nics={NIC}", "--places=numa0",
                            "--sizes=4KiB", "--benchmark_min_time=10x", "--csv_out=rows.csv")
        rows = {row["operation"]: row for row in read_csv(self.path("rows.csv"))}
        self.assertEqual(rows["register"]["status"], "ok")
        self.assertEqual((rows["query"]["status"], rows["query"]["latency_p50_ns"]), ("skipped", ""), str(outcome))
        self.assertIn("efadv_query_mr", rows["query"]["reason"])


class CensusTest(BenchTestCase):
    def test_whole_and_by_nic_and_place(self):
        outcome = self.good("census_bench", P5, f"--nics={NIC},rdmap80s0", "--places=numa0,gpu0",
                            "--benchmark_min_time=2x", "--csv_out=rows.csv", "--benchmark_format=json")
        runs = {run["run_name"]: run for run in strict_json(outcome.stdout)["benchmarks"]}
        self.assertEqual(set(runs), {"census/nics:2/places:2/manual_time"} | {
            f"census/nic:{nic}/place:{place}/manual_time" for nic in ("0000:4f:00.0", "0000:50:00.0")
            for place in ("numa0", "gpu:0000:53:00.0")})
        self.assertEqual(runs["census/nics:2/places:2/manual_time"]["rows_answered"], 2 * 3)
        rows = read_csv(self.path("rows.csv"))
        self.assertEqual(len(rows), 5)
        self.assertEqual([row["nic_pci_address"] for row in rows].count(""), 1)

    def test_a_nic_that_cannot_be_opened_is_no_time(self):
        outcome = self.bench("census_bench", P5 + f",access-refused:{NIC}=EPERM", f"--nics={NIC}", "--places=numa0",
                             "--benchmark_min_time=1x", "--csv_out=rows.csv")
        self.assert_status(outcome, 3)
        for row in read_csv(self.path("rows.csv")):
            self.assertEqual((row["status"], row["latency_p50_ns"]), ("skipped", ""))
            self.assertIn("EPERM", row["reason"])


class BusyTest(BenchTestCase):
    def test_is_refused_unless_allowed(self):
        busy = f"{P5},foreign-traffic:{NIC}"
        arguments = [*ONE_CELL, busy, "--benchmark_min_time=5x", "--csv_out=rows.csv"]
        outcome = self.bench("rdma_read_bench", *arguments)
        self.assert_one_line(outcome, "rdma_read_bench: measure with 1 busy NIC", f"({NIC}): ", "--allow-busy")
        self.assertFalse(os.path.exists(self.path("rows.csv")))
        outcome = self.bench("rdma_read_bench", *arguments, "--allow-busy")
        self.assert_status(outcome, 3)  # the counters contradict what was measured beside it
        self.assertIn("in use by others, and allowed: ", outcome.stderr)
        self.assertTrue(read_csv(self.path("rows.csv")))

    def test_listing_asks_no_counters(self):
        self.good("rdma_read_bench", *ONE_CELL, f"{P5},foreign-traffic:{NIC}", "--benchmark_list_tests")


class InterruptTest(BenchTestCase):
    def interrupted(self, name, *arguments):
        """Interrupts the binary when it has written two rows; how it ended."""
        process = subprocess.Popen([runfile(f"bench/{name}"), P5, *arguments, "--csv_out=rows.csv",
                                    "--benchmark_out=out.json"], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        rows, deadline = self.path("rows.csv"), time.monotonic() + 60
        while not os.path.exists(rows) or len(open(rows, encoding="utf-8").readlines()) < 3:
            self.assertLess(time.monotonic(), deadline, "nothing was measured")
            self.assertIsNone(process.poll(), "it ended by itself")
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        return out, err

    def assert_whole(self, err, listed):
        rows = read_csv(self.path("rows.csv"))
        with open(self.path("out.json"), encoding="utf-8") as file:
            benchmarks = strict_json(file.read())["benchmarks"]
        finished = [benchmark for benchmark in benchmarks if benchmark["run_type"] == "iteration"]
        self.assertEqual(len(rows), len(finished))
        self.assertGreaterEqual(len(rows), 2)
        for benchmark in finished:
            self.assertGreater(benchmark["real_time"], 0, benchmark)
            self.assertNotIn("skipped", benchmark)
        left = re.search(r"note: interrupted: (\d+) benchmarks? had not finished", err)
        self.assertTrue(left, err)
        self.assertEqual(len({benchmark["run_name"] for benchmark in finished}) + int(left.group(1)), listed)

    def test_what_finished_is_kept(self):
        selection = ["--places=numa0", "--sizes=1MiB"]
        out, err = self.interrupted("rdma_read_bench", *selection, "--benchmark_min_time=0.05s")
        self.assertNotIn("SKIPPED", out + err)
        self.assert_whole(err, 64)

    def test_finished_repetitions_are_kept(self):
        # One benchmark only: the rows are written when all its repetitions are over, so the first
        # two are of another.
        _, err = self.interrupted("rdma_read_bench", f"--nics={NIC}", "--places=numa0", "--sizes=4KiB,1MiB",
                                  "--benchmark_repetitions=2", "--benchmark_min_time=0.2s")
        self.assert_whole(err, 4)

    def test_registrations_and_censuses(self):
        for name, listed in (("mr_register_bench", 32 * 3), ("census_bench", 33)):
            with self.subTest(name):
                sizes = ["--sizes=4KiB"] if name == "mr_register_bench" else []
                _, err = self.interrupted(name, "--places=numa0", *sizes, "--benchmark_min_time=0.1s")
                self.assert_whole(err, listed)
                os.unlink(self.path("rows.csv"))


class FullDiskTest(BenchTestCase):
    MEASURE = [*ONE_CELL, "--benchmark_min_time=5x"]

    def assert_said_last(self, outcome, *parts):
        self.assert_status(outcome, 2)
        for part in parts:
            self.assertIn(part, outcome.stderr.splitlines()[-1])
        self.assertIn("direction:from_memory", outcome.stdout)  # it went on to the end

    def test_a_report_that_does_not_fit(self):
        outcome = self.bench("rdma_read_bench", *self.MEASURE, "--benchmark_out=/dev/full")
        self.assert_said_last(outcome, "rdma_read_bench: write --benchmark_out /dev/full: ")

    def test_rows_that_do_not_fit(self):
        outcome = on_small_disk("4k", [runfile("bench/rdma_read_bench"), *self.MEASURE,
                                       "--benchmark_repetitions=9", "--csv_out=disk/rows.csv"], self.folder)
        self.assert_said_last(outcome, "rdma_read_bench: write --csv_out disk/rows.csv: ENOSPC")
        rows = read_csv(self.path("kept/rows.csv"))
        self.assertTrue(0 < len(rows) < 18, len(rows))
        for row in rows:
            self.assertTrue(row["status"], row)  # every one is whole


if __name__ == "__main__":
    main()
