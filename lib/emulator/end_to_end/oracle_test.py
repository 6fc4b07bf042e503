#!/usr/bin/env python3
"""Programs of others on two emulated machines: Debian 13's perftest, Debian 12's fi_pingpong.

They know what a device has to do from its users' side, and were written without this emulator in
mind. Each test starts the two ends on two machines of one fabric, on the NIC that `NIC` names, and
asserts that both end well, that they moved what they were asked to, and that rate and latency are
those of the scenario. scripts/setup --test fetches the programs (scripts/ci/fetch_oracles); without
them every test here fails and says so.

Argument: the instance type.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.environ.get("TEST_SRCDIR", ""),
                                os.environ.get("TEST_WORKSPACE", ""), "cli"))

# How long a pair of programs may take before both are killed and the test fails.
DEADLINE_SECONDS = 60
# Of a rate that a busy host spoiled, and for how long a test waits until the host has time.
ATTEMPTS = 5
QUIET_SECONDS, QUIET_SHARE = 180, 0.2
# What ib_read_bw and ib_write_bw move; ib_send_bw, whose messages the port's MTU bounds.
RDMA_BYTES, RDMA_MESSAGES = 1 << 20, 4000
SEND_BYTES, SEND_MESSAGES = 8192, 20000
LATENCY_MESSAGES = 500

# What the scenarios say: GB/s of a NIC with memory of its node, base latency in microseconds.
MACHINES = {
    "p4d.24xlarge": {"device": "0xefa0", "rate": 12.5, "latency": 17, "write": False},
    "p5.48xlarge": {"device": "0xefa1", "rate": 12.5, "latency": 15, "write": True},
    "p5en.48xlarge": {"device": "0xefa2", "rate": 25.0, "latency": 14, "write": True},
}
# A rate is above the capacity by no more than this. How far below depends on the host, whose few
# CPUs run both ends, which spin, and the fabric: so the floors are what two of them must carry, GB/s
# of 1 MiB messages (whose bodies are sampled) and 8 KiB messages a second.
CEILING = 1.02
RDMA_FLOOR = 3.0
SEND_FLOOR_PER_SECOND = 5000


def runfile(path):
    return os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], path)


def oracle(suite, program):
    """The command that runs `program` of a Debian release with that release's own libraries."""
    folder = os.path.join(os.environ.get("RAILGAUGE_ORACLES", "/nonexistent"), suite)
    if not os.path.exists(os.path.join(folder, ".fetched")):
        raise AssertionError(f"{program} of Debian {suite} is not in {folder}: it could not be "
                             "fetched; run scripts/setup --test and see what it says")
    libraries = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib/libpsm1"]
    loader = next(path for path in (os.path.join(folder, name, "ld-linux-x86-64.so.2")
                                    for name in ("usr/lib64", "lib64")) if os.path.exists(path))
    return [loader, "--library-path", ":".join(os.path.join(folder, name) for name in libraries),
            os.path.join(folder, "usr/bin", program)]


# ---- On the emulated machines: started by `emulate --nodes=2 TYPE oracle_test.py --pair SPEC`.

def first_nic():
    """The first EFA device of NUMA node 0 (p4d has its NICs on both)."""
    folder = "/sys/class/infiniband"
    def read(name, attribute):
        with open(f"{folder}/{name}/device/{attribute}", encoding="ascii") as file:
            return file.read().strip()
    names = sorted(os.listdir(folder))
    nic = next(name for name in names if read(name, "numa_node") == "0")
    return nic, read(nic, "device")


def counters(emulate, node, nic):
    text = subprocess.run([emulate, f"--node={node}", "sh", "-c",
                           f"cd /sys/class/infiniband/{nic}/ports/1/hw_counters && grep . *"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.split(":") for line in text.split())}


def is_listening(port):
    """Whether a socket of this host listens on `port`; connecting would be what it waits for."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port:
                    return True
    return False


def run_pair(spec):
    """Runs server and client, the client when the server listens. Kills both at the deadline."""
    nic, device = first_nic()
    emulate, port = spec["emulate"], spec["port"]
    deadline = time.monotonic() + DEADLINE_SECONDS
    before = [counters(emulate, node, nic) for node in (0, 1)]
    def start(node, arguments):
        command = [argument.replace("{nic}", nic) for argument in spec["command"] + arguments]
        return subprocess.Popen([emulate, f"--node={node}", *command], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, **spec["environment"]}, start_new_session=True)
    server = start(0, spec["server"])
    while not is_listening(port) and server.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    client = start(1, spec["client"])
    result = {"nic": nic, "device": device}
    for name, process in (("client", client), ("server", server)):
        try:
            output, _ = process.communicate(timeout=max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            # Its session is its own; whatever it started goes with it.
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0] + "\n(killed at the deadline)"
        result[name] = {"status": process.returncode, "output": output}
    after = [counters(emulate, node, nic) for node in (0, 1)]
    result["moved"] = [{name: after[node][name] - before[node][name] for name in after[node]}
                       for node in (0, 1)]
    json.dump(result, sys.stdout)


# ---- The tests.

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_a_quiet_host():
    """Until other processes leave the CPUs alone; fails the test when they never do.

    Nothing of the test runs meanwhile, so whatever waits for a CPU is somebody else's.
    """
    def waited_us():
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return int(file.readline().rsplit("total=", 1)[1])
    try:
        waited_us()
    except (OSError, IndexError, ValueError):
        return  # this kernel does not say
    deadline = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < deadline:
        before, start = waited_us(), time.monotonic()
        time.sleep(0.25)
        if (waited_us() - before) / 1e6 < QUIET_SHARE * (time.monotonic() - start):
            return
    raise AssertionError(f"other processes kept the CPUs busy for {QUIET_SECONDS} s: nothing can "
                         "be measured here")


def processes_with(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


class OracleTest(unittest.TestCase):
    TYPE = ""

    def setUp(self):
        self.machine = MACHINES[self.TYPE]

    def pair(self, suite, program, arguments, port_flags, environment=None):
        """What came of `program` on both machines; `port_flags`: the server's, the client's."""
        port = free_port()
        mark = f"railgauge-oracle-{uuid.uuid4()}"
        provider = os.path.join(os.environ.get("RAILGAUGE_ORACLES", ""), suite,
                                "usr/lib/x86_64-linux-gnu/libibverbs/libefa")
        spec = {"emulate": runfile("lib/emulator/launcher/emulate"), "port": port,
                "command": oracle(suite, program) + arguments,
                "server": [port_flags[0], str(port)],
                "client": [port_flags[1], str(port), "127.0.0.1"],
                "environment": {"RDMAV_DRIVERS": provider, **(environment or {})}}
        completed = subprocess.run(
            [spec["emulate"], "--nodes=2", self.TYPE, sys.executable, os.path.realpath(__file__),
             "--pair", json.dumps(spec)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True, timeout=2 * DEADLINE_SECONDS, check=False,
            env={**os.environ, "RAILGAUGE_ORACLE_MARK": mark})
        self.assertEqual(completed.returncode, 0, completed.stdout)
        gone = time.monotonic() + 10
        while processes_with(mark) and time.monotonic() < gone:
            time.sleep(0.05)
        self.assertEqual(processes_with(mark), [], "processes are left behind")
        result = json.loads(completed.stdout)
        self.assertEqual(result["device"], self.machine["device"])
        return result

    def perftest(self, program, *arguments):
        return self.pair("trixie", program, ["-c", "SRD", "-d", "{nic}", "-x", "0", "-F",
                                              *arguments],
                         ("-p", "-p"))

    def assert_both_well(self, result):
        for end in ("server", "client"):
            self.assertEqual(result[end]["status"], 0, f"{end}: {result[end]['output']}\n{result}")

    def numbers(self, output):
        """The row of figures that a perftest program prints."""
        rows = re.findall(r"^ *(\d+)[ \t]+(\d+)[ \t]+([\d. \t]+)$", output, re.MULTILINE)
        self.assertEqual(len(rows), 1, output)
        return int(rows[0][0]), int(rows[0][1]), [float(field) for field in rows[0][2].split()]

    def measure(self, program, size, count):
        """GB/s of one run, all of whose messages arrived."""
        result = self.perftest(program, "-s", str(size), "-n", str(count), "--report_gbits", "-N")
        self.assert_both_well(result)
        bytes_each, messages, figures = self.numbers(result["client"]["output"])
        self.assertEqual((bytes_each, messages), (size, count))
        # The devices' own counters: the client's of what it did, the server's of what it got.
        node, counter = {"ib_read_bw": (1, "rdma_read_bytes"),
                         "ib_write_bw": (1, "rdma_write_bytes"),
                         "ib_send_bw": (0, "recv_bytes")}[program]
        self.assertGreaterEqual(result["moved"][node][counter], size * count, str(result["moved"]))
        return figures[1] / 8

    def check_bandwidth(self, program, size, count, floor):
        capacity, best = self.machine["rate"], 0.0
        for attempt in range(ATTEMPTS):
            wait_for_a_quiet_host()
            rate = self.measure(program, size, count)
            print(f"{self.TYPE} {program}, {size} bytes: {rate:.3f} GB/s of {capacity}, floor "
                  f"{floor:.3f} (attempt {attempt + 1})", flush=True)
            self.assertLessEqual(rate, capacity * CEILING)
            best = max(best, rate)
            if best >= floor:
                return
        self.fail(f"{program}: {best:.3f} GB/s at best in {ATTEMPTS} attempts, floor {floor:.3f}")

    def test_ib_read_bw(self):
        self.check_bandwidth("ib_read_bw", RDMA_BYTES, RDMA_MESSAGES, RDMA_FLOOR)

    def test_ib_write_bw(self):
        if not self.machine["write"]:
            return self.check_refused("ib_write_bw")
        return self.check_bandwidth("ib_write_bw", RDMA_BYTES, RDMA_MESSAGES, RDMA_FLOOR)

    def test_ib_send_bw(self):
        self.check_bandwidth("ib_send_bw", SEND_BYTES, SEND_MESSAGES,
                             SEND_FLOOR_PER_SECOND * SEND_BYTES / 1e9)

    def test_ib_write_lat(self):
        if not self.machine["write"]:
            return self.check_refused("ib_write_lat", "-I", "0")
        wait_for_a_quiet_host()
        result = self.perftest("ib_write_lat", "-I", "0", "-n", str(LATENCY_MESSAGES), "-s", "8")
        self.assert_both_well(result)
        bytes_each, count, figures = self.numbers(result["client"]["output"])
        self.assertEqual((bytes_each, count), (8, LATENCY_MESSAGES))
        least, typical = figures[0], figures[2]
        print(f"{self.TYPE} ib_write_lat: {least} us at least, {typical} us typically")
        self.assertGreaterEqual(least, self.machine["latency"])
        return None

    def test_sleeping_on_events(self):
        """Both ends sleep on their completion channels between messages."""
        result = self.perftest("ib_send_lat", "-e", "-n", "300", "-s", "64")
        self.assert_both_well(result)
        for end in ("server", "client"):
            bytes_each, count, figures = self.numbers(result[end]["output"])
            self.assertEqual((bytes_each, count), (64, 300))
            self.assertGreaterEqual(figures[0], self.machine["latency"])

    def test_write_with_immediate(self):
        """With receive requests, and without. The server ends when it was told of all of them."""
        if not self.machine["write"]:
            # It goes as far as asking for memory that may be written to.
            return self.check_refused("ib_write_bw", "--write_with_imm", says="Failed to create MR")
        # No more than the server's CQ holds: without receive requests nothing holds the client
        # back, and a server that gets no CPU for a while would lose completions.
        count = 500
        for flags in (["--write_with_imm"], ["--write_with_imm", "--unsolicited_write"]):
            result = self.perftest("ib_write_bw", *flags, "-n", str(count), "-s", "65536", "-N")
            self.assert_both_well(result)
            self.assertEqual(self.numbers(result["server"]["output"])[:2], (65536, count))
            self.assertGreaterEqual(result["moved"][0]["rdma_write_recv_bytes"], 65536 * count)
        return None

    def check_refused(self, program, *arguments,
                      says="Write verb is not supported with this EFA device"):
        """The device lacks RDMA write: the program says so before anything moves."""
        result = self.perftest(program, *arguments)
        for end in ("server", "client"):
            self.assertNotEqual(result[end]["status"], 0, f"{end}: {result[end]['output']}")
            self.assertIn(says, result[end]["output"])
        self.assertEqual(result["moved"][0]["tx_bytes"] + result["moved"][1]["tx_bytes"], 0)

    def test_fi_pingpong(self):
        rounds = 50
        result = self.pair("bookworm", "fi_pingpong",
                           ["-p", "efa", "-e", "rdm", "-d", "{nic}-rdm", "-I", str(rounds), "-c"],
                           ("-B", "-P"),
                           # Both ends are on one host, where libfabric would use shared memory.
                           {"FI_EFA_ENABLE_SHM_TRANSFER": "0"})
        self.assert_both_well(result)
        for end in ("server", "client"):
            rows = re.findall(r"^(\S+) +(\d+) +=(\d+) +\S+ +([\d.]+)s +([\d.]+) +([\d.]+)",
                              result[end]["output"], re.MULTILINE)
            self.assertEqual([row[0] for row in rows], ["64", "256", "1k", "4k", "64k", "1m"],
                             result[end]["output"])
            for _, sent, acknowledged, _, _, microseconds in rows:
                self.assertEqual((int(sent), int(acknowledged)), (rounds, rounds))
                self.assertGreaterEqual(float(microseconds), self.machine["latency"])
        print(f"{self.TYPE} fi_pingpong:\n{result['client']['output']}")
        total = rounds * (64 + 256 + 1024 + 4096 + 65536 + 1048576)
        for node in (0, 1):
            self.assertGreaterEqual(result["moved"][node]["tx_bytes"], total)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pair"]:
        run_pair(json.loads(sys.argv[2]))
        sys.exit(0)
    import cli_testing
    OracleTest.TYPE = sys.argv.pop(1)
    cli_testing.main()
