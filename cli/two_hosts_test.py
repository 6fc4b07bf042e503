#!/usr/bin/env -S python3 -B
"""Two emulated hosts on one fabric: `railgauge serve` on one, what measures on the other."""
import os
import shutil

from cli_testing import CliTestCase, main, measured, read_csv, read_json, run, runfile

# Runs the server on node 1 and the arguments on node 0, when the server is ready. $PORT, $SERVER
# (its pid) and $RAILGAUGE are for them. Ends with their status.
SCRIPT = r"""
export RAILGAUGE=$2
"$RAILGAUGE" token t >/dev/null || exit 99
exec 3< <(exec "$1" --node=1 "$RAILGAUGE" serve --token=t --listen=127.0.0.1:0)
export SERVER=$!
while read -r line <&3; do
  case "$line" in *"serving on port "*) export PORT="${line##* }"; break ;; esac
done
[ -n "${PORT:-}" ] || exit 98
bash -c "$3"
status=$?
kill -INT "$SERVER" 2>/dev/null
cat <&3 >server.txt
exit $status
"""

# Ten thousand strangers, some with a few bytes of noise; a hundred at a time stay.
FLOOD = r"""
import collections, os, socket
held = collections.deque(maxlen=100)
for i in range(10000):
    held.append(socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), timeout=60))
    if i % 2:
        held[-1].sendall(b"\x16\x03\x01\x02\x00noise")
print("flooded")
"""

CELLS = "--nics=rdmap79s0,rdmap80s0 --places=gpu0,numa0 --sizes=64KiB --time-budget=30s --output=run"


class TwoHostsTest(CliTestCase):
    def two_hosts(self, commands):
        for name in os.listdir(self.folder):
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        self.path("flood.py", FLOOD)
        emulate = runfile("lib/emulator/launcher/emulate")
        return run([emulate, "--nodes=2", "p5.48xlarge", "bash", "-c", SCRIPT, "bash", emulate,
                    runfile("cli/railgauge"), commands], cwd=self.folder)

    def test_check_measures_with_the_same_slot_of_the_peer(self):
        outcome = measured(lambda: self.two_hosts(
            f"$RAILGAUGE check --placement=nearest --peer=localhost:$PORT --token=t {CELLS}"))
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        rows = read_csv(self.path("run/samples.csv"))
        screening = [row for row in rows if row["round"] == "0"]
        self.assertEqual(len(screening), 2 * 2 * 2 * 2, str(outcome))
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

    def test_ten_thousand_strangers_do_not_disturb(self):
        outcome = self.two_hosts(
            "python3 flood.py >flood.txt & flood=$!; "
            f"$RAILGAUGE check --placement=nearest --peer=localhost:$PORT --token=t {CELLS}; status=$?; "
            "wait $flood || exit 97; exit $status")
        self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        with open(self.path("flood.txt"), encoding="ascii") as file:
            self.assertEqual(file.read(), "flooded\n")
        rows = read_csv(self.path("run/samples.csv"))
        self.assertGreaterEqual(len(rows), 16)
        self.assertEqual({row["status"] for row in rows}, {"ok"}, str(outcome))
        with open(self.path("server.txt"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"1 clients served; refused: (9[5-9]\d\d|10000) strangers")

    def test_benchmark_binary(self):
        bench = runfile("bench/rdma_write_bench")
        outcome = self.two_hosts(
            f"{bench} --peer=localhost:$PORT --token=t --nics=rdmap79s0 --places=numa0 --sizes=1MiB "
            "--csv_out=rows.csv --benchmark_min_time=0.01s")
        self.assert_status(outcome, 0)
        rows = read_csv(self.path("rows.csv"))
        self.assertEqual({row["direction"] for row in rows}, {"to_memory", "from_memory"})
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertNotIn("loopback", {row["peer"] for row in rows})

    def test_a_peer_that_is_killed(self):
        # Killed when the first row is there: rows come one at a time, so most are still to come.
        outcome = self.two_hosts(
            "$RAILGAUGE check --placement=nearest --peer=localhost:$PORT --token=t --places=gpu0,numa0 "
            "--output=run --time-budget=60s & check=$!; "
            "tail --retry --pid=$check -n +1 -s 0.02 -f run/samples.csv 2>/dev/null | "
            "grep -m 1 -q ,ok, && kill -KILL -- $SERVER; wait $check")
        self.assertEqual(outcome.status, 3, str(outcome))
        self.assertIn("the peer is gone", outcome.stderr)
        rows = read_csv(self.path("run/samples.csv"))
        statuses = [row["status"] for row in rows]
        self.assertEqual(statuses[0], "ok")
        self.assertEqual(statuses[-1], "skipped")
        for row in rows:
            if row["status"] != "ok":
                self.assertTrue(row["reason"].startswith("the peer is gone: "), row)


if __name__ == "__main__":
    main()
