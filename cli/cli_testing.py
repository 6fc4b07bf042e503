"""What the end-to-end tests of the command line share: running it, and reading what it wrote.

Tests are unittest cases in an executable file run by sh_test. main() reports each case by itself to
Bazel (XML_OUTPUT_FILE), so that they are counted and named like those of GoogleTest.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from xml.sax.saxutils import quoteattr

RUNFILES = os.path.join(os.environ.get("TEST_SRCDIR", ""), os.environ.get("TEST_WORKSPACE", ""))
# Nothing here may wait for ever; the slowest command is a `check` with a budget of some seconds.
DEADLINE_SECONDS = 120
# How long a test waits for a host that is busy with something else, and what busy is.
BUSY_HOST_SECONDS = 240
BUSY_SHARE = 0.15


def runfile(path):
    """A file of the repository or its build that the test has as data."""
    return os.path.join(RUNFILES, path)


class Outcome:
    """How a command ended, what it printed and how long it took."""

    def __init__(self, completed, seconds):
        self.status = completed.returncode
        self.stdout = completed.stdout
        self.stderr = completed.stderr
        self.seconds = seconds

    def __str__(self):
        return f"status {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def run(command, **options):
    """Runs `command` to its end."""
    start = time.monotonic()
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    completed = subprocess.run(command, text=True, timeout=DEADLINE_SECONDS, check=False,
                               **{**streams, **options})
    return Outcome(completed, time.monotonic() - start)


def cpu_pressure_us():
    """Time in which something waited for a CPU of this host, or None where the kernel does not say."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return int(file.readline().rsplit("total=", 1)[1])
    except (OSError, ValueError, IndexError):
        return None


def measured(command):
    """The outcome of `command()`, which measures, from a time when it had the CPUs to itself.

    An emulated machine runs on the CPUs of the test: what other processes take from them shows as a
    slow NIC. Whether they did is known without a look at the outcome. A host that stays busy for
    the whole deadline fails the test, saying so.
    """
    deadline = time.monotonic() + BUSY_HOST_SECONDS
    while True:
        before, start = cpu_pressure_us(), time.monotonic()
        outcome = command()
        waited, lasted = cpu_pressure_us(), time.monotonic() - start
        if before is None or (waited - before) / 1e6 < BUSY_SHARE * lasted:
            return outcome
        if time.monotonic() > deadline:
            raise AssertionError(f"other processes kept the CPUs busy for {BUSY_HOST_SECONDS} s: "
                                 "nothing can be measured here")


# Mounts a disk of $1 on the folder `disk`, runs the rest, and copies what is then on the disk, which
# only this script sees, to the folder `kept`.
_SMALL_DISK = r"""
mkdir -p disk && mount -t tmpfs -o size="$1" tmpfs disk || exit 99
shift
"$@"
status=$?
cp -r disk kept || exit 98
exit $status
"""


def on_small_disk(size, command, folder, **options):
    """Runs `command` in `folder`, where `disk` is a disk of `size` ("16k") that fills up; what it held
    is in `kept` afterwards."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return run(["unshare", *user, "--mount", "bash", "-c", _SMALL_DISK, "bash", size, *command], cwd=folder,
               **options)


class CliTestCase(unittest.TestCase):
    """A folder of its own for each case, and the railgauge binary."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name, content=None):
        """The path `name` in this case's folder, written with `content` when that is given."""
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return path

    def railgauge(self, *arguments, **options):
        return run([runfile("cli/railgauge"), *arguments], cwd=self.folder, **options)

    def assert_status(self, outcome, status):
        self.assertEqual(outcome.status, status, str(outcome))

    def assert_one_line(self, outcome, *parts):
        """Status 2 and exactly one line on stderr, holding every part."""
        self.assert_status(outcome, 2)
        lines = outcome.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, str(outcome))
        for part in parts:
            self.assertIn(part, lines[0])


EMULATE = "lib/emulator/launcher/emulate"

# Runs the server on node 1 and the arguments on node 0, when the server is ready. $PORT, $SERVER
# (its pid) and $RAILGAUGE are for them. Ends with their status.
_TWO_HOSTS = r"""
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


def on_two_hosts(commands, folder):
    """Runs `commands` on one of two emulated p5.48xlarge, with `railgauge serve` on the other; what
    that said is in server.txt afterwards."""
    emulate = runfile(EMULATE)
    return run([emulate, "--nodes=2", "p5.48xlarge", "bash", "-c", _TWO_HOSTS, "bash", emulate,
                runfile("cli/railgauge"), commands], cwd=folder)


class ControlledTestCase(CliTestCase):
    """Machines whose faults are switched while they run, by emulate --control and --tell."""

    # By a relative path: that of a test's folder can be longer than a socket's may be.
    SOCKET = "control"

    def start(self, *arguments, **options):
        process = subprocess.Popen([runfile(EMULATE), f"--control={self.SOCKET}", *arguments],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **options)
        self.addCleanup(process.kill)
        self.wait_for(process, lambda: os.path.exists(self.path(self.SOCKET)), "no control socket")
        return process

    def wait_for(self, process, condition, complaint):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, complaint)
            self.assertIsNone(process.poll(), complaint)
            time.sleep(0.02)

    def tell(self, line, status=0):
        outcome = run([runfile(EMULATE), f"--tell={self.SOCKET}", line], cwd=self.folder)
        self.assert_status(outcome, status)
        text = outcome.stdout + outcome.stderr
        self.assertEqual(len(text.splitlines()), 1, str(outcome))
        return text.strip()


def read_csv(path):
    """The rows of a report file as dictionaries; every row is whole."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert None not in row and None not in row.values(), f"{path}: a row of another length: {row}"
    return rows


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class _Result(unittest.TextTestResult):
    """Keeps each case with its outcome."""

    def __init__(self, *args):
        super().__init__(*args)
        self.cases = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.cases.append((test, "", ""))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.cases.append((test, "failure", self._exc_info_to_string(err, test)))

    def addError(self, test, err):
        super().addError(test, err)
        self.cases.append((test, "error", self._exc_info_to_string(err, test)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.cases.append((test, "skipped", reason))


def _write_xml(path, name, result):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name={quoteattr(name)}>\n')
        for test, kind, text in result.cases:
            body = f"<{kind} message={quoteattr(text)}/>" if kind else ""
            case = test.id().rsplit(".", 1)
            file.write(f"<testcase classname={quoteattr(case[0])} name={quoteattr(case[-1])}>{body}</testcase>\n")
        file.write("</testsuite></testsuites>\n")


def main():
    program = unittest.main(module="__main__", exit=False, verbosity=2,
                            testRunner=unittest.TextTestRunner(resultclass=_Result, verbosity=2))
    xml = os.environ.get("XML_OUTPUT_FILE")
    if xml:
        _write_xml(xml, os.path.basename(sys.argv[0]), program.result)
    sys.exit(0 if program.result.wasSuccessful() and program.result.testsRun > 0 else 1)
