#!/usr/bin/env -S python3 -B
"""railgauge fleet, without machines: the nodes are processes of this host whose railgauge is a script.

It serves and checks as the real one does, writes run directories of four NICs, and is slow, hangs or
dies where a test says so. Emulated nodes under a real Slurm are in fleet_slurm_test.py.
"""
import json
import os
import shutil
import signal
import stat
import subprocess
import time

from cli_testing import DEADLINE_SECONDS, CliTestCase, main, read_csv, runfile

NICS = ["0000:40:00.0", "0000:41:00.0", "0000:42:00.0", "0000:43:00.0"]

FAKE = r'''#!/usr/bin/env -S python3 -B
import csv, json, os, random, signal, sys, zlib
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
folder, node = os.path.dirname(os.path.abspath(__file__)), os.environ["FLEET_NODE"]
with open(folder + "/faults.json", encoding="utf-8") as file:
    faults = json.load(file)
mine = faults.get(node, {})
flags = dict(word[2:].split("=", 1) for word in sys.argv[2:])
with open(folder + "/calls.log", "a", encoding="utf-8") as file:
    file.write(json.dumps({"node": node, "pid": os.getpid(), "argv": sys.argv, "env": dict(os.environ)}) + "\n")
role = sys.argv[1]
if mine.get(role) == "fails":
    sys.exit("railgauge %s: this node is broken" % role)
if mine.get(role) == "hangs":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()
if role == "serve":
    print("2026-01-01T00:00:00Z serving on port 4711", flush=True)
    signal.sigwait([signal.SIGTERM])
    sys.exit(0)
peer = flags["peer"].rsplit(":", 1)[0]
with open(folder + "/headers.json", encoding="utf-8") as file:
    headers = json.load(file)
out = flags["output"]
os.makedirs(out)
run_id = "r-%s-%08x" % (node, zlib.crc32(out.encode()))
def host_of(who):
    return faults.get(who, {}).get("host", who)
def write(name, rows):
    with open(out + "/" + name, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, headers[name], restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({"schema_version": "1", "run_id": run_id, "host": host_of(node), "instance_type": "p4d.24xlarge",
                             "platform": "unknown", **row})
def nics_of(who):
    return [nic for nic in headers["nics"] if nic not in faults.get(who, {}).get("missing", [])]
def speed(nic):
    return min(faults.get(who, {}).get("slow", {}).get(nic, 1) for who in (node, peer))
noise = random.Random(zlib.crc32(out.encode()))
chosen = [nic for nic in nics_of(node) if nic in flags.get("nics", nic)]
write("census.csv", [{"nic_pci_address": nic, "nic_name": "rdmap", "place": "numa0", "way": "host", "status": "no_id",
                      "relation": "same_numa_node"} for nic in chosen])
rows = []
for nic in chosen:
    for direction in ("to_memory", "from_memory"):
        partner = nic if nic in nics_of(peer) else nics_of(peer)[0]
        completions = int(10000 * speed(nic) * noise.uniform(0.995, 1.005))
        payload = completions * 1048576
        rows.append({"nic_pci_address": nic, "nic_name": "rdmap", "place": "numa0", "operation": "read",
                     "direction": direction, "size_bytes": "1048576", "depth": "32", "load": "alone", "way": "host", "partner_pci_address": partner,
                     "partner_name": "rdmap", "partner_place": "numa0", "peer": host_of(peer), "round": "0", "start_offset_ns": "0",
                     "duration_ns": "1000000000", "completions": str(completions), "payload_bytes": str(payload),
                     "throughput_bytes_per_second": str(payload),
                     "messages_per_second": str(completions), "posted_bytes": str(payload),
                     "counter_bytes": str(payload), "status": "ok"})
if mine.get(role) == "waits":
    write("samples.csv", rows[:1])
    signal.sigwait([signal.SIGTERM])
    window = ("throughput_bytes_per_second", "messages_per_second", "posted_bytes", "counter_bytes")
    rows = rows[:1] + [{**row, "status": "skipped", "skip_cause": "interrupted", "reason": "interrupted",
                        "duration_ns": "0", "completions": "0", "payload_bytes": "0", **dict.fromkeys(window, "")}
                       for row in rows[1:]]
write("samples.csv", rows)
with open(out + "/run.json", "w", encoding="utf-8") as file:
    json.dump({"run_id": run_id, "end": "2026-01-01T00:00:01Z", "exit_status": 0, "command_line": sys.argv,
               "machine": {"hostname": host_of(node), "nics": [{"pci_address": nic} for nic in nics_of(node)]}}, file)
'''


class FleetTestCase(CliTestCase):
    def setUp(self):
        super().setUp()
        script = self.path("fake-railgauge", FAKE)
        os.chmod(script, 0o755)
        recorded = runfile("scenarios/checks/recorded/slow-nic")
        headers = {"nics": NICS}
        for name in ("census.csv", "samples.csv"):
            with open(os.path.join(recorded, name), encoding="utf-8") as file:
                headers[name] = file.readline().strip().split(",")
        self.path("headers.json", json.dumps(headers))
        self.faults({})

    def faults(self, faults):
        self.path("faults.json", json.dumps(faults))

    def plan(self, count):
        hosts = ",".join(f"n{i}" for i in range(count))
        outcome = self.railgauge("fleet", "plan", f"--hosts={hosts}", "--output=fleet", "--time-budget=1s")
        self.assert_status(outcome, 0)

    def run_arguments(self, *arguments):
        return ["fleet", "run", "fleet", "--launch=env FLEET_NODE={host} {argv}",
                f"--railgauge={self.path('fake-railgauge')}", *arguments]

    def measure(self, *arguments, status=0):
        outcome = self.railgauge(*self.run_arguments(*arguments))
        self.assert_status(outcome, status)
        return outcome

    def report(self, status):
        outcome = self.railgauge("fleet", "report", "fleet")
        self.assert_status(outcome, status)
        return outcome, read_csv(self.path("fleet/fleet.csv"))

    def calls(self):
        with open(self.path("calls.log"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def assert_nothing_runs(self):
        for call in self.calls():
            self.assertFalse(os.path.exists(f"/proc/{call['pid']}"), call)

    def bad(self, rows):
        return [(row["verdict"], row["node"], row["nic_pci_address"], row["cause"])
                for row in rows if row["verdict"] != "OK"]


class FleetTest(FleetTestCase):
    def test_healthy_nodes_and_their_secret(self):
        self.plan(5)
        self.measure()
        outcome, rows = self.report(0)
        self.assertEqual(len(rows), 5 * len(NICS))
        self.assertEqual({row["verdict"] for row in rows}, {"OK"}, str(outcome))
        # Every node in both parts, with two peers.
        for row in rows:
            self.assertNotEqual(row["initiator_peer"], row["target_peer"], row)
            self.assertNotIn(row["node"], (row["initiator_peer"], row["target_peer"]))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("fleet/token")).st_mode), 0o600)
        with open(self.path("fleet/token"), encoding="ascii") as file:
            secret = file.read().split()[1]
        calls = self.calls()
        self.assertEqual(len(calls), 10)
        for call in calls:
            self.assertNotIn(secret, json.dumps(call))
        self.assert_nothing_runs()
        # All is there: nothing is measured again.
        self.measure()
        self.assertEqual(len(self.calls()), 10)

    def test_a_slow_nic_a_slow_path_and_a_missing_nic(self):
        self.plan(9)
        self.faults({"n2": {"slow": {NICS[1]: 0.6}}, "n6": {"missing": [NICS[3]]}})
        self.measure()
        outcome, rows = self.report(1)
        self.assertEqual(self.bad(rows), [("SLOW", "n2", NICS[1], "nic"), ("MISSING", "n6", NICS[3], "nic")],
                         str(outcome))
        slow = next(row for row in rows if row["verdict"] == "SLOW")
        self.assertAlmostEqual(float(slow["confirm_ratio"]), 0.6, delta=0.01)
        self.assertEqual(slow["confirm_rounds"], "9")
        self.assertLess(float(slow["confirm_ratio_high"]), 0.62)
        self.assertIn("in turn with a healthy reference", outcome.stdout)
        self.assertIn(f"why: railgauge explain {self.path('fleet/runs/n2/with-n3')} {NICS[1]}\n", outcome.stdout)
        with open(self.path("fleet/fleet.md"), encoding="utf-8") as file:
            self.assertIn(f"| SLOW | n2 | {NICS[1]} | nic |", file.read())
        self.assertIn("next: at n6, railgauge census shows", outcome.stdout)
        self.assertNotIn("next: railgauge fleet run", outcome.stdout)  # all that it can measure is there
        # Without the paired rounds it is a suspicion and no verdict.
        outcome = self.railgauge("fleet", "plan", "--hosts=n1,n2,n3,n4,n5", "--output=fleet-2", "--time-budget=1s")
        self.assert_status(outcome, 0)
        arguments = [word.replace("fleet", "fleet-2") if word == "fleet" and i == 2 else word
                     for i, word in enumerate(self.run_arguments("--no-confirm"))]
        self.assert_status(self.railgauge(*arguments), 0)
        outcome = self.railgauge("fleet", "report", "fleet-2")
        self.assert_status(outcome, 3)
        self.assertIn("next: railgauge fleet run fleet-2\n", outcome.stdout)
        self.assertEqual(self.bad(read_csv(self.path("fleet-2/fleet.csv"))), [("SUSPECT", "n2", NICS[1], "nic")])

    def edit(self, name, change):
        path = self.path(f"fleet/runs/{name}")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(change(text))

    # Each is named with its reason, its node is not OK and misses nothing, and it is measured again.
    def test_runs_that_do_not_count(self):
        self.plan(9)
        self.measure()
        whole = self.path("whole")
        shutil.copytree(self.path("fleet"), whole)
        runs = self.path("fleet/runs")

        def wrong(text):
            header, first, *others = text.splitlines()
            first = first.replace(",ok,", ",wrong_data,byte 0 differs").replace("differs,", "differs,", 1)
            return "\n".join([header, first, *others]) + "\n"

        def wrong_data():
            self.edit("n1/with-n2/samples.csv", wrong)

        def swap():
            os.rename(f"{runs}/n1/with-n2", f"{runs}/other")
            os.rename(f"{runs}/n4/with-n5", f"{runs}/n1/with-n2")
            os.rename(f"{runs}/other", f"{runs}/n4/with-n5")

        def copy():
            shutil.rmtree(f"{runs}/n4/with-n5")
            shutil.copytree(f"{runs}/n1/with-n2", f"{runs}/n4/with-n5")

        def header(text):
            return text.splitlines()[0] + "\n"

        def peer(text):
            return json.dumps({**json.loads(text), "peer": {"hostname": "n7"}})

        def cut_census(text):
            return "".join(line for line in text.splitlines(True) if NICS[3] not in line)

        def cut_both():
            self.edit(run + "census.csv", cut_census)
            self.edit(run + "samples.csv", header)

        def older_and_cut_both():
            cut_both()
            self.edit(run + "run.json", lambda text: json.dumps({"run_id": json.loads(text)["run_id"]}))

        def without_a_nic():
            self.edit(run + "census.csv", cut_census)
            self.edit(run + "samples.csv", cut_census)
            self.edit(run + "run.json", lambda text: text.replace(', {"pci_address": "%s"}' % NICS[3], ""))

        run = "n1/with-n2/"
        cases = [
            (lambda: self.edit(run + "samples.csv", header), ["n1"], "Its run with n2 has no window that counts: It has no row"),
            (lambda: self.edit(run + "run.json", peer), ["n1"], "by it the other end was host 'n7'"),
            (cut_both, ["n1"], "census.csv: it has no row of NIC " + NICS[3]),
            (older_and_cut_both, ["n1"], f"its census.csv has no NIC {NICS[3]}, which n0 with n1 measured with"),
            (without_a_nic, ["n1"], f"its census.csv and run.json have no NIC {NICS[3]}, which n0 with n1 measured"),
            (lambda: self.edit(run + "samples.csv", lambda text: text.replace(",n2,", ",loopback,")), ["n1"], "in loopback"),
            (lambda: self.edit(run + "census.csv", lambda text: text[:-9]), ["n1"], "census.csv: it ends inside"),
            (lambda: self.edit(run + "census.csv", lambda text: ""), ["n1"], "there is no header line"),
            (lambda: self.edit(run + "census.csv", header), ["n1"], "no row"),
            (lambda: self.edit(run + "samples.csv", lambda text: text.replace(",n2,", ",n3,")), ["n1"], "n2 is host"),
            (wrong_data, ["n1"], "WRONG DATA: with n2 other data arrived than was sent, in 1 of 2 windows: byte 0"),
            (lambda: self.edit(run + "samples.csv", lambda text: text + text.splitlines()[1] + "\n"), ["n1"], "line 2"),
            (lambda: self.edit(run + "run.json", lambda text: ""), ["n1"], "run.json"),
            (lambda: self.edit(run + "run.json", lambda text: text.replace("r-n1", "r-n2")), ["n1"], "rows beside it"),
            (lambda: self.edit(run + "topology.xml", lambda text: "<top"), ["n1"], "topology.xml"),
            (swap, ["n1", "n4"], "by its run.json"),
            (copy, ["n4"], "it is the run of runs/n1/with-n2"),
        ]
        for damage, nodes, reason in cases:
            with self.subTest(reason):
                shutil.rmtree(self.path("fleet"))
                shutil.copytree(whole, self.path("fleet"))
                self.path("fleet/runs/n1/with-n2/topology.xml", "<topology></topology>\n")
                damage()
                outcome, rows = self.report(3)
                bad = self.bad(rows)
                verdict = "SUSPECT" if damage == wrong_data else "UNMEASURED"
                self.assertEqual({one for one, *_ in bad}, {verdict}, str(outcome))
                self.assertEqual({node for _, node, *_ in bad}, set(nodes), str(outcome))
                said = (outcome.stdout + outcome.stderr).replace("\n    ", " ")
                self.assertIn(reason, said)
                self.assertNotRegex(said, r"\.\.\s")
                whole_runs = 9 - len(nodes)
                if "does not count" in said:
                    self.assertIn(f"9 nodes, {whole_runs} runs, {whole_runs * 2 * len(NICS)} rows\n", outcome.stdout)
                # What the run says of itself, and is whole, is not measured again.
                if damage == wrong_data:
                    continue
                self.assertIn("next: railgauge fleet run fleet\n", outcome.stdout)
                self.assertIn(f"{nodes[0]}-with-n{int(nodes[0][1]) + 1} is measured again: ", self.measure().stdout)
                self.report(0)

    # Paired rounds are held to the rules of the runs: what is not its own counts nowhere.
    def test_paired_rounds_that_do_not_count(self):
        self.plan(5)
        self.faults({"n2": {"slow": {NICS[1]: 0.6}}})
        self.measure()
        self.report(1)
        whole = self.path("whole")
        shutil.copytree(self.path("fleet"), whole)
        confirm = self.path("fleet/confirm/nic-n2-0000-41-00.0")

        def swap():
            for i in range(1, 10):
                os.rename(f"{confirm}/suspect-{i}", f"{confirm}/other")
                os.rename(f"{confirm}/reference-{i}", f"{confirm}/suspect-{i}")
                os.rename(f"{confirm}/other", f"{confirm}/reference-{i}")

        def copy():
            for i in range(2, 10):
                for role in ("suspect", "reference"):
                    shutil.rmtree(f"{confirm}/{role}-{i}")
                    shutil.copytree(f"{confirm}/{role}-1", f"{confirm}/{role}-{i}")

        def change(name, edit):
            for folder in sorted(os.listdir(confirm)):
                path = f"{confirm}/{folder}/{name}"
                if os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        text = edit(file.read())
                    self.path(os.path.relpath(path, self.path("")), text)

        def another_fleet():
            change("run.json", lambda text: text.replace(self.path("fleet/"), self.path("elsewhere/")))

        def suspicion(text):
            self.path(os.path.relpath(confirm + "/suspicion.json", self.path("")), text)

        with open(confirm + "/suspicion.json", encoding="utf-8") as file:
            planned = json.load(file)
        nodes = {**planned, "suspect": {**planned["suspect"], "initiator": planned["reference"]["initiator"]}}
        cases = [
            (swap, "suspect-1 does not count: it is the run of confirm/nic-n2-0000-41-00.0/reference-1, by its run.json"),
            (copy, "suspect-9 does not count: it is the run of confirm/nic-n2-0000-41-00.0/suspect-1, by its run.json"),
            (another_fleet, "suspect-1 does not count: by its run.json it is of another fleet, in " + self.path("elsewhere")),
            (lambda: suspicion("{"), "nic-n2-0000-41-00.0 does not count: "),
            (lambda: suspicion(json.dumps(nodes)), "it is of another suspicion than its folder"),
            (lambda: os.remove(confirm + "/suspicion.json"), "nic-n2-0000-41-00.0 does not count: "),
        ]
        for damage, reason in cases:
            with self.subTest(reason):
                shutil.rmtree(self.path("fleet"))
                shutil.copytree(whole, self.path("fleet"))
                damage()
                outcome, rows = self.report(3)
                self.assertEqual(self.bad(rows), [("SUSPECT", "n2", NICS[1], "nic")], str(outcome))
                self.assertIn(reason, outcome.stderr)
                self.assertIn("next: railgauge fleet run fleet\n", outcome.stdout)
                self.assertIn(reason, self.measure().stdout)
                _, rows = self.report(1)
                self.assertEqual(self.bad(rows), [("SLOW", "n2", NICS[1], "nic")])
                self.assertEqual([row["confirm_rounds"] for row in rows if row["verdict"] == "SLOW"], ["9"])

    def test_a_file_that_ends_inside_a_line(self):
        self.plan(5)
        self.measure()
        self.edit("n1/with-n2/samples.csv", lambda text: text[:-9])
        outcome, _ = self.report(0)
        self.assertIn("note: n1 with n2: ", outcome.stderr)
        self.assertIn("samples.csv ends inside a line", outcome.stderr)
        self.assertIn("5 runs, 39 rows\n", outcome.stdout)
        self.assertIn("next: railgauge fleet run fleet\n", outcome.stdout)
        self.measure()
        outcome, _ = self.report(0)
        self.assertEqual(outcome.stderr, "")

    # As root no folder is closed to a reader, and a file in its place is as unreadable.
    def test_folders_that_cannot_be_read(self):
        self.plan(5)
        self.measure()
        shutil.rmtree(self.path("fleet/runs/n1"))
        self.path("fleet/runs/n1", "")
        outcome, rows = self.report(3)
        reason = next(row["reason"] for row in rows if row["verdict"] == "UNMEASURED")
        self.assertIn("Its runs cannot be read: ", reason)
        self.assertIn("ENOTDIR", reason)
        shutil.rmtree(self.path("fleet/runs"))
        self.path("fleet/runs", "")
        _, rows = self.report(3)
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertIn("ENOTDIR", row["reason"])

    def test_a_file_that_ends_before_a_nic(self):
        self.plan(5)
        self.measure()
        self.edit("n1/with-n2/samples.csv",
                  lambda text: "".join(line for line in text.splitlines(True) if NICS[3] not in line))
        outcome, rows = self.report(3)
        self.assertEqual(self.bad(rows), [("UNMEASURED", "n1", NICS[3], "")], str(outcome))
        self.assertIn("In its run with n2: It has no row in samples.csv", outcome.stdout)
        self.assertIn("next: railgauge fleet run fleet\n", outcome.stdout)
        self.assertIn("no row of NIC " + NICS[3], self.measure().stdout)
        self.report(0)

    def test_platforms_are_not_held_against_each_other(self):
        self.plan(9)
        self.measure()
        for run in ("n1/with-n2", "n4/with-n5"):
            for name in ("census.csv", "samples.csv"):
                self.edit(f"{run}/{name}", lambda text: text.replace(",unknown,", ",emulated,"))
        outcome, rows = self.report(3)
        self.assertEqual({(verdict, node) for verdict, node, *_ in self.bad(rows)},
                         {("UNMEASURED", "n1"), ("UNMEASURED", "n4")}, str(outcome))
        self.assertIn("Too few machines of this type", outcome.stdout)
        self.assertIn("several platforms (2 runs of emulated, 7 runs of unknown)", outcome.stderr)

    def test_nodes_that_are_one_machine(self):
        self.plan(5)
        self.faults({f"n{i}": {"host": "h"} for i in range(5)})
        self.measure()
        outcome, _ = self.report(0)
        self.assertIn("note: n0, n1, n2, n3, n4 are one machine (host 'h'", outcome.stderr)

    def test_a_node_that_fails_costs_its_own_cells_and_is_resumed(self):
        self.plan(6)
        self.faults({"n3": {"serve": "fails", "check": "fails"}})
        outcome = self.measure(status=3)
        self.assertIn("this node is broken", outcome.stdout)
        # Its neighbours were measured with each other instead.
        self.assertTrue(os.path.exists(self.path("fleet/runs/n2/with-n4/run.json")), str(outcome))
        outcome, rows = self.report(3)
        self.assertEqual(self.bad(rows), [("UNMEASURED", "n3", "", "")], str(outcome))
        unmeasured = next(row for row in rows if row["verdict"] == "UNMEASURED")
        self.assertIn("this node is broken", unmeasured["reason"])
        self.assertEqual(len(rows), 1 + 5 * len(NICS))
        before = len(self.calls())
        self.faults({})
        self.measure()
        _, rows = self.report(0)
        self.assertEqual(len(rows), 6 * len(NICS))
        self.assertEqual({call["node"] for call in self.calls()[before:]}, {"n2", "n3", "n4"})
        self.assert_nothing_runs()

    def test_a_node_that_hangs_is_ended(self):
        for role in ("serve", "check"):
            with self.subTest(role):
                shutil.rmtree(self.path("fleet"), ignore_errors=True)
                self.plan(4)
                self.faults({"n1": {role: "hangs"}})
                outcome = self.measure("--patience=1s", status=3)
                self.assertIn("FAILED: railgauge %s at n1 did not" % role, outcome.stdout)
                self.assert_nothing_runs()
        self.faults({})
        self.measure()
        self.report(0)

    def test_an_interrupt_keeps_what_there_is(self):
        self.plan(4)
        self.faults({"n0": {"check": "waits"}})
        process = subprocess.Popen([runfile("cli/railgauge"), *self.run_arguments()], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + DEADLINE_SECONDS
        begun = self.path("fleet/runs/n0/with-n1/samples.csv")
        while not os.path.exists(begun) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
        self.assertEqual(process.returncode, 3, out + err)
        self.assertIn("n0-with-n1: FAILED: interrupted", out)
        self.assertTrue(os.path.exists(self.path("fleet/runs/n0/with-n1/run.json")), out + err)
        self.assert_nothing_runs()
        outcome = self.railgauge("fleet", "report", "fleet")
        self.assertIn("n0 with n1: the run was interrupted", outcome.stderr)
        self.faults({})
        self.measure()
        self.report(0)
        self.assertTrue(os.path.exists(self.path("fleet/failed/runs/n0/with-n1.1/samples.csv")))


class UsageTest(FleetTestCase):
    def test_what_is_wrong_is_one_line(self):
        self.path("hosts", "a\nb\nb\n")
        for arguments, parts in [
                (["plan", "--hosts=a", "--output=x"], ["one node"]),
                (["plan", "--hosts=a,a", "--output=x"], ["a is there twice"]),
                (["plan", "--hosts=n[1]", "--output=x"], ["one node"]),
                (["plan", "--hosts=n[5-2]", "--output=x"], ["--hosts", "n[5-2]", "backwards", "p5-[001-064"]),
                (["plan", "--hostfile=hosts", "--output=x"], ["hosts:3", "twice"]),
                (["plan", "--hosts=a,b", "--hostfile=hosts", "--output=x"], ["--hostfile"]),
                (["plan", "--hosts=a,b", "--output=/proc/x"], ["/proc"]),
                (["plan", "--hosts=a,b", "--output=x", "--sizes=0"], ["--sizes"]),
                (["plan", "--hosts=a,b", "--output=x", "--places=numa0,banana"], ["'banana'", "numaN", "--places"]),
                (["plan", "--hosts=a,b", "--output=x", "--places=gpu0,"], ["''"]),
                (["plan", "--hosts=a,b", "--output=x", "--placement=nearst"], ["'nearst'", "nearest"]),
                (["plan", "--hosts=a,b", "--output=x", "--placement=./none.csv"], ["none.csv", "ENOENT"]),
                (["run", "none"], ["plan.json", "railgauge fleet plan"]),
                (["report", "none"], ["plan.json", "railgauge fleet plan"]),
                (["run", "none", "--launch=ssh {host}"], ["--launch", "{command}"])]:
            with self.subTest(arguments):
                self.assert_one_line(self.railgauge("fleet", *arguments), *parts)
                self.assertFalse(os.path.exists(self.path("x")))
        outcome = self.railgauge("fleet")
        self.assert_status(outcome, 2)

    def test_nothing_is_written_among_runs(self):
        self.plan(4)
        self.measure()
        run = "fleet/runs/n0/with-n1"
        for output in (run, run + "/x", "fleet/runs/n0/with-n3", "fleet/failed"):
            with self.subTest(output):
                outcome = self.railgauge("fleet", "plan", "--hosts=a,b", f"--output={output}")
                self.assert_one_line(outcome, "write --output", "stays as it is")
        for output in (run + "/x.csv", run + "/samples.csv", "fleet/runs/x.csv", "fleet/lock", "fleet/plan.json"):
            with self.subTest(output):
                self.assert_one_line(self.railgauge("fleet", "report", "fleet", f"--csv_out={output}"), "--csv_out")
        self.report(0)

    def test_a_plan_is_not_replaced_and_not_run_twice_at_once(self):
        self.plan(4)
        outcome = self.railgauge("fleet", "plan", "--hosts=a,b", "--output=fleet")
        self.assert_one_line(outcome, "plan.json", "EEXIST")

    def test_what_nodes_are_told(self):
        decision = self.path("decision.csv", "consumer,nic\n")
        outcome = self.railgauge("fleet", "plan", "--hosts=a,b", "--output=odd name", "--places=numa0, gpu1",
                                 "--placement=decision.csv")
        self.assert_status(outcome, 0)
        self.assertIn("next: railgauge fleet run 'odd name'\n", outcome.stdout)
        with open(self.path("odd name/plan.json"), encoding="utf-8") as file:
            flags = json.load(file)["check_flags"]
        # Of a machine with GPUs a policy serves no NUMA node, and they are measured all the same.
        self.assertEqual(flags, [f"--placement={decision}", "--time-budget=45s", "--sizes=1MiB", "--places=numa0, gpu1",
                                 "--unjudged"])

    def test_hosts_of_a_range_have_slurms_addresses(self):
        tools = self.path("tools")
        os.mkdir(tools)
        scontrol = os.path.join(tools, "scontrol")
        with open(scontrol, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n[ \"$*\" = '--oneliner show node p5-[1-3]' ] || exit 1\n"
                       "echo 'NodeName=p5-2 NodeAddr=10.0.0.2'\n")
        os.chmod(scontrol, 0o755)
        path = {**os.environ, "PATH": tools + ":" + os.environ["PATH"]}
        outcome = self.railgauge("fleet", "plan", "--hosts=p5-[1-3]", "--output=fleet", env=path)
        self.assert_status(outcome, 0)
        with open(self.path("fleet/plan.json"), encoding="utf-8") as file:
            nodes = json.load(file)["nodes"]
        self.assertEqual(nodes, [{"name": "p5-1", "address": "p5-1"}, {"name": "p5-2", "address": "10.0.0.2"},
                                 {"name": "p5-3", "address": "p5-3"}])
        # Without Slurm's they are the names, and a job's nodes need no flag.
        path["SLURM_JOB_NODELIST"] = "q[1,4]"
        self.assert_status(self.railgauge("fleet", "plan", "--output=fleet-2", env=path), 0)
        with open(self.path("fleet-2/plan.json"), encoding="utf-8") as file:
            nodes = json.load(file)["nodes"]
        self.assertEqual(nodes, [{"name": "q1", "address": "q1"}, {"name": "q4", "address": "q4"}])


if __name__ == "__main__":
    main()
