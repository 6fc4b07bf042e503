#!/usr/bin/env -S python3 -B
"""Strangers on the control channel, each kind once: they are refused, and a client that measures is
not disturbed.

On two emulated hosts a benchmark measures with the other all the time, one row after the other.
Rows are counted without strangers, with them, and without them again; the ratio of the rates is of
one run, in which everything else is the same, and is printed. Strangers run on the CPUs that the
emulated devices run on, so it is no 1 even where the server gives them nothing.

With --inside KIND STRANGER BENCH this is what runs on the measuring host.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

from cli_testing import CliTestCase, main, on_two_hosts, read_csv, runfile

# In each of the three phases. A slow loris runs out of its time after five seconds.
ROWS = 20
SECONDS = {"slow_loris": 7}
# A row takes some fifteen exchanges with the server. Of those who wait in vain, one is enough to
# halve the rate.
LEAST_RATIO = 0.5


class Inside:
    """The measuring host."""

    def __init__(self, kind, stranger, bench):
        depths = ",".join(map(str, range(1, 513)))
        self.kind = kind
        self.stranger = stranger
        self.bench = subprocess.Popen(
            [bench, f"--peer=localhost:{os.environ['PORT']}", "--token=t", "--nics=rdmap79s0", "--places=numa0",
             "--sizes=4KiB", f"--depths={depths}", "--benchmark_min_time=20x", "--benchmark_repetitions=20",
             "--csv_out=rows.csv"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def rows(self):
        if self.bench.poll() is not None:
            raise AssertionError("the benchmark has ended")
        try:
            with open("rows.csv", encoding="utf-8") as file:
                return max(file.read().count("\n") - 1, 0)
        except FileNotFoundError:
            return 0

    def rate(self, is_over=lambda: True):
        """Rows per second until there are enough of them."""
        start, before = time.monotonic(), self.rows()
        while True:
            time.sleep(0.05)
            rows, seconds = self.rows() - before, time.monotonic() - start
            if rows >= ROWS and seconds >= SECONDS.get(self.kind, 3) and is_over():
                return rows / seconds
            if seconds > 60:
                raise AssertionError(f"{rows} rows in {seconds:.0f} s")

    def attacked_rate(self):
        """The rate while the stranger is at it, and what it says in the end."""
        with subprocess.Popen([self.stranger, self.kind, os.environ["PORT"], "t"], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()  # "begun"
            ends_itself = self.kind == "flood"
            rate = self.rate(lambda: not ends_itself or process.poll() is not None)
            said, _ = process.communicate(timeout=60)
            return rate, said.strip(), process.returncode

    def run(self):
        while self.rows() < 3:  # the first also open and register
            time.sleep(0.05)
        before = self.rate()
        during, said, status = self.attacked_rate()
        after = self.rate()
        self.bench.send_signal(signal.SIGINT)
        self.bench.wait(timeout=60)
        print(json.dumps({"before": before, "during": during, "after": after, "said": said, "status": status}))


class StrangersTest(CliTestCase):
    def attack(self, kind):
        """How often it was tried, and what the server says of it."""
        outcome = on_two_hosts(
            f"python3 -B {os.path.abspath(__file__)} --inside {kind} {os.path.abspath(runfile('lib/peer/stranger'))} "
            f"{os.path.abspath(runfile('bench/rdma_read_bench'))}", self.folder)
        self.assert_status(outcome, 0)
        result = json.loads(outcome.stdout.splitlines()[-1])
        calm = (result["before"] + result["after"]) / 2
        ratio = result["during"] / calm
        print(f"{kind}: {calm:.1f} rows/s without, {result['during']:.1f} with: ratio {ratio:.2f}; {result['said']}")
        self.assertEqual(result["status"], 0, result)  # each try was refused
        tries = int(result["said"].split()[0])
        self.assertGreater(tries, 0)
        statuses = {row["status"] for row in read_csv(self.path("rows.csv"))}
        self.assertEqual(statuses, {"ok"})
        self.assertGreater(ratio, LEAST_RATIO)
        with open(self.path("server.txt"), encoding="utf-8") as file:
            counts = re.search(r"(\d+) clients served; refused: (\d+) strangers, (\d+) of other versions, (\d+) while",
                               file.read())
        clients, strangers, others, busy = map(int, counts.groups())
        self.assertEqual((clients, busy), (1, 0))
        return tries, strangers, others

    def test_wrong_token(self):
        tries, strangers, others = self.attack("wrong_token")
        self.assertEqual((strangers, others), (tries, 0))

    def test_plain_noise(self):
        tries, strangers, others = self.attack("noise")
        self.assertEqual((strangers, others), (tries, 0))

    def test_slow_loris(self):
        tries, strangers, others = self.attack("slow_loris")
        self.assertEqual((strangers, others), (tries, 0))
        self.assertGreater(tries, 60)  # those of the first that ran out of time began anew

    def test_old_version(self):
        tries, strangers, others = self.attack("old_version")
        self.assertEqual((strangers, others), (0, tries))

    def test_ten_thousand_connections(self):
        tries, strangers, _ = self.attack("flood")
        self.assertEqual(tries, 10000)
        # The kernel drops some of those that its queue had no room for.
        self.assertGreater(strangers, 9500)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        Inside(*sys.argv[2:]).run()
    else:
        main()
