#!/usr/bin/env -S python3 -B
"""railgauge fleet on emulated nodes: eight healthy ones by a command template, eight sick ones in a job
of a real Slurm, whose slurmd run on this host and whose job steps each on an emulated node, and two by
a real ssh and mpirun.

Where one of these cannot run here (not installed, no root) the reason is printed and its case is
skipped.
"""
import ctypes
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from cli_testing import EMULATE, CliTestCase, Outcome, main, read_csv, run, runfile

NODES = 8
# A p4d's four NICs move what a slow host can, and few cells of them are measured. Of small messages
# little is in flight, so that a window has drained before something else wants its CPU; eight groups
# of each NIC outweigh the window in which it did.
MACHINE = "p4d.24xlarge/32"
CELLS = ["--places=numa0,gpu0", "--sizes=4KiB,8KiB", "--time-budget=3s"]
SLOW_NODE, SLOW_NIC, SLOW_SLOT = 2, "rdmap32s27", "0000:20:1b.0"
MISSING_NODE, MISSING_NIC, MISSING_SLOT = 0, "rdmap144s27", "0000:90:1b.0"
KILLED_NODE = 5
MINUTES = 60
# How long is tried to measure on a host that is busy with something else.
BUSY_SECONDS = 5 * MINUTES


class Fabric:
    """Eight emulated machines, for as long as the test needs them."""

    def __init__(self, test, machine, *arguments, nodes=NODES):
        self.process = subprocess.Popen(
            [runfile(EMULATE), f"--nodes={nodes}", *arguments, machine, "sh", "-c",
             'echo "$RAILGAUGE_EMULATED_FABRIC"; exec cat'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        self.environment = {**os.environ, "RAILGAUGE_EMULATED_FABRIC": self.process.stdout.readline().strip()}

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()
        self.process.stdout.close()


class FleetOnNodes(CliTestCase):
    def while_busy(self, measure):
        """Measures, and again what other processes of this host disturbed: `measure` is (status, output)."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            status, said = measure()
            if "windows were disturbed" not in said or time.monotonic() > deadline:
                return status, said

    def fleet(self, *arguments, **options):
        start = time.monotonic()
        return Outcome(subprocess.run([runfile("cli/railgauge"), "fleet", *arguments], cwd=self.folder, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                      timeout=8 * MINUTES, **options), time.monotonic() - start)

    def on_node(self, index):
        """The path of a railgauge that runs on the emulated node of this number, which a shell finds."""
        path = self.path("railgauge-on-node")
        if not os.path.exists(path):
            kept = "".join(f"export {name}='{os.environ[name]}'\n" for name in
                           ("TEST_SRCDIR", "TEST_WORKSPACE", "RUNFILES_DIR") if name in os.environ)
            self.path("railgauge-on-node", f"""#!/bin/sh
{kept}exec '{runfile(EMULATE)}' --node={index} '{runfile("cli/railgauge")}' "$@"
""")
            os.chmod(path, 0o755)
        return path

    def flagged(self, folder):
        return [(row["verdict"], row["node"], row["nic_pci_address"]) for row in read_csv(self.path(folder + "/fleet.csv"))
                if row["verdict"] != "OK"]


class HealthyTest(FleetOnNodes):
    def test_nothing_is_flagged_whatever_the_noise(self):
        hosts = ",".join(f"n{i}=127.0.0.1" for i in range(NODES))
        for seed in (1, 2, 3):
            with self.subTest(seed):
                fabric = Fabric(self, f"{MACHINE},seed={seed}")
                folder = f"seed-{seed}"
                self.assert_status(self.fleet("plan", f"--hosts={hosts}", f"--output={folder}", *CELLS), 0)
                def measure():
                    outcome = self.fleet("run", folder, f"--launch={runfile(EMULATE)} --node={{index}} {{argv}}",
                                         "--parallel=1", env=fabric.environment)
                    return outcome.status, str(outcome)
                status, outcome = self.while_busy(measure)
                self.assertEqual(status, 0, outcome)
                report = self.fleet("report", folder)
                self.assertEqual(self.flagged(folder), [], outcome + str(report))
                self.assert_status(report, 0)
                fabric.end()


def path_of(program):
    """Where `program` is, also one that only root's PATH has; None where it is not."""
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")


def skip_without(*programs):
    """Skips the case, saying why, where one of `programs` or root is missing."""
    missing = [name for name in programs if not path_of(name)]
    reason = ("not root" if os.geteuid() != 0 else
              "not installed: " + " ".join(missing) + " (scripts/setup --test)" if missing else "")
    if reason:
        print(f"SKIPPED: {reason}", flush=True)
        raise unittest.SkipTest(reason)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """Also when the test is killed, no daemon stays."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Slurm:
    """A cluster of eight nodes, all on this host, with its own munged."""

    def __init__(self, test):
        # Not in the test's folder: paths of Unix sockets, one for each step, are short.
        self.test, self.folder = test, tempfile.mkdtemp(prefix="railgauge-slurm-", dir="/tmp")
        test.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.daemons = {}
        test.addCleanup(self.end)
        self.configure()
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(128))
        os.chmod(self.path("munge.key"), 0o400)
        self.start("munged", "--foreground", "--force", "--key-file=munge.key", f"--socket={self.socket}",
                   "--pid-file=munge.pid", "--log-file=munge.log", "--seed-file=munge.seed")
        self.wait("munged does not answer", lambda: os.path.exists(self.socket))
        self.environment = {**os.environ, "SLURM_CONF": self.path("slurm.conf")}
        self.start("slurmctld", "-D")
        for i in range(NODES):
            self.start_node(i)
        self.wait("the nodes are not idle", lambda: self.states().count("idle") == NODES)

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self):
        self.socket = self.path("munge.socket")
        host = socket.gethostname().split(".")[0]
        ports = free_ports(NODES + 1)
        lines = [f"""ClusterName=railgauge
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.socket}
StateSaveLocation={self.path("state")}
SlurmctldPidFile={self.path("slurmctld.pid")}
SlurmctldLogFile={self.path("slurmctld.log")}
SlurmdSpoolDir={self.path("spool-%n")}
SlurmdPidFile={self.path("slurmd-%n.pid")}
SlurmdLogFile={self.path("slurmd-%n.log")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
SlurmdTimeout=10
MessageTimeout=20
PartitionName=all Nodes=ALL Default=YES State=UP"""]
        for i in range(NODES):
            os.mkdir(self.path(f"spool-n{i}"))
            lines.insert(1, f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[i + 1]} CPUs=1")
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def start(self, program, *arguments):
        path = path_of(program)
        with open(self.path(f"{program}{len(self.daemons)}.out"), "w", encoding="utf-8") as out:
            # A group of its own, so that what a node runs ends with it.
            process = subprocess.Popen([path, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=end_with_parent,
                                       env={**os.environ, "SLURM_CONF": self.path("slurm.conf")})
        self.daemons[" ".join([program, *arguments])] = process
        return process

    def start_node(self, i):
        self.start("slurmd", "-D", "-N", f"n{i}")

    def kill_node(self, i):
        """As when its power fails: the daemon and all of its steps are gone at once."""
        daemon = self.daemons[f"slurmd -D -N n{i}"]
        victims = self.descendants(daemon.pid) | self.steps_of(i)
        for pid in [daemon.pid, *victims]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        daemon.wait()

    def steps_of(self, i):
        """Step daemons leave their slurmd's family; their spool's name tells whose they are."""
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if f"SLURMD_NODENAME=n{i}\0".encode() in file.read():
                        found |= {int(pid)} | self.descendants(int(pid))
            except OSError:
                pass
        return found

    @staticmethod
    def descendants(pid):
        children = {}
        for other in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{other}/stat", encoding="ascii", errors="replace") as file:
                    children.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(other))
            except (OSError, IndexError):
                pass
        found, todo = set(), [pid]
        while todo:
            for child in children.get(todo.pop(), []):
                found.add(child)
                todo.append(child)
        return found

    def command(self, *arguments, **options):
        return run(arguments, **{"cwd": self.folder, "env": self.environment, **options})

    def states(self):
        return [state.rstrip("*") for state in self.command("sinfo", "-h", "-N", "-o", "%t").stdout.split()]

    def wait(self, complaint, condition, seconds=MINUTES, every=0.05):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                logs = []
                for name in sorted(os.listdir(self.folder)):
                    if name.endswith((".log", ".out")):
                        with open(self.path(name), encoding="utf-8", errors="replace") as file:
                            logs.append(f"--- {name}\n" + "".join(file.readlines()[-15:]))
                raise AssertionError(complaint + "\n" + "\n".join(logs))
            time.sleep(every)

    def end(self):
        if not self.daemons:
            return
        if "slurmctld -D" in self.daemons:
            self.command("scancel", "--full", "--user=root")
        for daemon in reversed(self.daemons.values()):
            if daemon.poll() is None:
                daemon.terminate()
                try:
                    daemon.wait(20)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        self.daemons = {}


class SlurmTest(FleetOnNodes):
    def submit(self, slurm, fabric, fleet):
        """Submits the script; returns its job."""
        wrapper = self.on_node('"${SLURMD_NODENAME#n}"')
        environment = {**fabric.environment, "SLURM_CONF": slurm.path("slurm.conf"), "RAILGAUGE": runfile("cli/railgauge"),
                       "RAILGAUGE_FLEET_DIR": self.path(fleet),
                       "RAILGAUGE_FLEET_RUN_FLAGS": f"--railgauge={wrapper} --parallel=1 --patience=30s"}
        outcome = run(["sbatch", "--parsable", f"--nodes={NODES}", "--output=job-%j.out",
                       runfile("scripts/fleet/railgauge.sbatch"), *CELLS], cwd=self.folder, env=environment)
        self.assert_status(outcome, 0)
        return outcome.stdout.strip()

    def await_job(self, slurm, job):
        """Its exit status and what it printed."""
        def state():
            text = slurm.command("scontrol", "--oneliner", "show", "job", job).stdout
            return dict(word.split("=", 1) for word in text.split() if "=" in word)
        # Not often: whoever asks takes the CPUs from what is measured.
        slurm.wait(f"job {job} does not end",
                   lambda: state().get("JobState") in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"),
                   BUSY_SECONDS, every=1)
        with open(self.path(f"job-{job}.out"), encoding="utf-8") as file:
            said = file.read()
        return int(state()["ExitCode"].split(":")[0]), said

    def test_staged_faults_are_found_and_a_killed_node_is_resumed(self):
        skip_without("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol")  # slurmd's steps need root
        fabric = Fabric(self, MACHINE, f"--on={SLOW_NODE}:slow-nic:{SLOW_NIC}=0.3", f"--on={MISSING_NODE}:missing-nic:{MISSING_NIC}")
        slurm = Slurm(self)
        first = self.submit(slurm, fabric, "fleet")
        begun = self.path(f"fleet/runs/n{KILLED_NODE - 1}/with-n{KILLED_NODE}/samples.csv")
        slurm.wait("the pair with the node to kill does not begin", lambda: os.path.exists(begun), 4 * MINUTES)
        slurm.kill_node(KILLED_NODE)
        _, said = self.await_job(slurm, first)
        self.assertIn(("UNMEASURED", f"n{KILLED_NODE}", ""), self.flagged("fleet"), said)
        self.assertIn(f"n{KILLED_NODE - 1}-with-n{KILLED_NODE}: FAILED: ", said)
        # Its own cells alone, and its neighbours have another peer.
        self.assertTrue(os.path.exists(self.path(f"fleet/runs/n{KILLED_NODE - 1}/with-n{KILLED_NODE + 1}/run.json")), said)

        slurm.start_node(KILLED_NODE)
        slurm.command("scontrol", "update", f"nodename=n{KILLED_NODE}", "state=resume")
        slurm.wait("the killed node does not come back", lambda: slurm.states().count("idle") == NODES)
        runs = self.path("fleet/runs")
        whole = [path for path in glob.glob(runs + "/*/with-*/run.json")
                 if f"n{KILLED_NODE}" not in os.path.relpath(path, runs)]
        kept = {path: os.stat(path).st_mtime_ns for path in whole}
        status, said = self.while_busy(lambda: self.await_job(slurm, self.submit(slurm, fabric, "fleet")))
        staged = [("MISSING", f"n{MISSING_NODE}", MISSING_SLOT), ("SLOW", f"n{SLOW_NODE}", SLOW_SLOT)]
        self.assertEqual(self.flagged("fleet"), staged, said)
        self.assertEqual(status, 1, said)
        # What was whole was not measured again.
        self.assertTrue(any(os.stat(path).st_mtime_ns == time_ns for path, time_ns in kept.items()), said)
        rows = read_csv(self.path("fleet/fleet.csv"))
        self.assertEqual({row["platform"] for row in rows}, {"emulated"})
        slow = next(row for row in rows if row["verdict"] == "SLOW")
        self.assertLess(float(slow["confirm_ratio_high"]), 0.8, slow)
        self.assertEqual(slow["confirm_rounds"], "9")


class LauncherTest(FleetOnNodes):
    """The launchers' own presets: two nodes, few cells."""

    def measure(self, launch, environment, plan):
        self.assert_status(self.fleet("plan", "--output=a night's", *plan, "--places=gpu0", "--sizes=4KiB",
                                      "--time-budget=1s"), 0)
        outcome = self.fleet("run", "a night's", f"--launch={launch}", "--railgauge=" + self.on_node("$TEST_NODE"),
                             "--parallel=1", "--patience=30s", "--no-confirm", env=environment)
        runs = glob.glob(self.path("a night's/runs/*/with-*/run.json"))
        self.assertEqual(len(runs), 2, outcome)
        self.assertNotIn("FAILED", outcome.stdout)
        hosts = {row["host"] for path in runs for row in read_csv(os.path.dirname(path) + "/samples.csv")}
        self.assertEqual(hosts, {"emulated-0", "emulated-1"})
        self.await_no_servers()

    def await_no_servers(self):
        """Long before their own deadlines those end whose launcher did."""
        deadline = time.monotonic() + 15
        while servers := self.servers():
            self.assertLess(time.monotonic(), deadline, servers)
            time.sleep(0.05)

    def servers(self):
        """Command lines of this case's servers that run."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                    words = file.read().split("\0")
            except OSError:
                continue
            if "serve" in words and self.folder in " ".join(words):
                found.append(" ".join(words))
        return found

    def tool(self, name, script):
        """Environment whose PATH has `script` as `name` before the real one."""
        os.makedirs(self.path("tools"), exist_ok=True)
        os.chmod(self.path("tools/" + name, f"#!/bin/sh\n{script}\n"), 0o755)
        return {"PATH": self.path("tools") + ":" + os.environ["PATH"]}

    def test_ssh(self):
        skip_without("sshd", "ssh", "ssh-keygen")
        fabric = Fabric(self, MACHINE, nodes=2)
        for key in ("host-key", "user-key"):
            self.assert_status(run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)]), 0)
        port = free_ports(1)[0]
        self.path("sshd_config", f"""ListenAddress 127.0.0.1:{port}
HostKey {self.path("host-key")}
AuthorizedKeysFile {self.path("user-key.pub")}
StrictModes no
UsePAM no
PasswordAuthentication no
PidFile none
AcceptEnv TEST_NODE RAILGAUGE_EMULATED_FABRIC
""")
        self.path("ssh_config", "".join(f"Host n{i}\n SetEnv TEST_NODE={i}\n" for i in range(2)) + f"""Host *
 HostName 127.0.0.1
 Port {port}
 IdentityFile {self.path("user-key")}
 IdentitiesOnly yes
 UserKnownHostsFile {self.path("known-hosts")}
 StrictHostKeyChecking accept-new
 SendEnv RAILGAUGE_EMULATED_FABRIC
""")
        os.makedirs("/run/sshd", 0o755, exist_ok=True)  # as Debian's service does
        with open(self.path("sshd.log"), "w", encoding="utf-8") as log:
            daemon = subprocess.Popen([path_of("sshd"), "-D", "-e", "-f", self.path("sshd_config")],
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        environment = {**fabric.environment, **self.tool("ssh", f"exec '{path_of('ssh')}' -F '{self.path('ssh_config')}' \"$@\"")}
        self.measure("ssh", environment, ["--hosts=n0=127.0.0.1,n1=127.0.0.1"])

    def test_mpirun(self):
        skip_without("mpirun")
        fabric = Fabric(self, MACHINE, nodes=2)
        # Two names of this host; which of the two is told to the node, which else is both.
        # Open MPI takes what it is called by for where it is installed, which must not be "/".
        mpirun = os.path.join(os.path.realpath(os.path.dirname(path_of("mpirun"))), "mpirun")
        script = f"""case $2 in localhost) export TEST_NODE=0 ;; 127.0.0.1) export TEST_NODE=1 ;; esac
exec '{mpirun}' "$@"
"""
        environment = {**fabric.environment, **self.tool("mpirun", script), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": "/tmp"}  # for sockets, too
        self.path("hosts", "localhost slots=8\n127.0.0.1:8\n")
        self.measure("mpirun", environment, ["--hostfile=hosts"])


if __name__ == "__main__":
    main()
