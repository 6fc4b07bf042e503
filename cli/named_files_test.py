#!/usr/bin/env -S python3 -B
"""The files that a user names: what is read is never written over, what cannot be read or written is
told in one line, before any work. Nothing is measured here."""
import json
import os
import shutil
import stat

from cli_testing import CliTestCase, main, runfile

P5 = "--emulate=p5.48xlarge"
RECORDED = "scenarios/checks/recorded"
# What writes the two files of a run that may be made later.
JUDGES_OWN = [("judge", "--csv_out"), ("judge", "--findings_out")]


class RecordedRunTest(CliTestCase):
    """Commands on a recorded run, which is in the folder `run` with a decision beside it."""

    # What writes a file: the command, and the flag that names the file.
    OUTPUTS = [
        (["judge", "run", "--placement=decision.csv"], "--csv_out"),
        (["judge", "run", "--placement=decision.csv"], "--findings_out"),
        (["judge", "run", "--placement=decision.csv"], "--junit"),
        (["judge", "run", "--placement=decision.csv"], "--openmetrics"),
        (["plan", "run", "--placement=decision.csv"], "--output"),
        (["plan", "run", "--placement=decision.csv", "--settings=nccl"], "--settings_out"),
        (["report", "run"], "--output"),
        (["topology", "run"], "--output"),
        (["policies", "run"], "--csv_out"),
        (["baseline", "make", "run"], "--output"),
        (["compare", "run", "run"], "--csv_out"),
        (["compare", "run", "run"], "--junit"),
        (["compare", "run", "run"], "--openmetrics")]

    def setUp(self):
        super().setUp()
        shutil.copytree(runfile(f"{RECORDED}/healthy-p4d.24xlarge"), self.path("run"))
        for name in os.listdir(self.path("run")):
            os.chmod(self.path(f"run/{name}"), stat.S_IRUSR | stat.S_IWUSR)
        outcome = self.railgauge("plan", "run", "--placement=nearest", "--output=decision.csv")
        self.assert_status(outcome, 0)

    def content(self):
        content = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    content[path] = file.read()
        return content

    def test_outputs(self):
        for command, flag in self.OUTPUTS:
            with self.subTest((command, flag)):
                outcome = self.railgauge(*command, f"{flag}=out")
                self.assertNotEqual(outcome.status, 2, str(outcome))
                self.assertGreater(os.path.getsize(self.path("out")), 0)
                os.remove(self.path("out"))

    def test_what_is_read_is_never_written_over(self):
        os.symlink("run/topology.xml", self.path("link"))
        os.link(self.path("run/samples.csv"), self.path("hard"))
        before = self.content()
        for command, flag in self.OUTPUTS:
            # Others than these two the run does not have, and would seem to have recorded.
            targets = ["run/samples.csv", "run/summary.csv", "link", "hard", f"{self.folder}/run/../run/run.json"]
            targets += [f"run/{name}" for name in ("placement.csv", "findings.csv")
                        if (command[0], flag) not in JUDGES_OWN]
            if "--placement=decision.csv" in command:
                targets.append("./run/../decision.csv")
            for target in targets:
                with self.subTest((command, flag, target)):
                    outcome = self.railgauge(*command, f"{flag}={target}")
                    self.assert_one_line(outcome, f"write {flag} {target}: it is ", "which is read")
                    self.assertEqual(outcome.stdout, "")
                    self.assertEqual(self.content(), before)

    def test_two_outputs_are_two_files(self):
        os.mkdir(self.path("folder"))
        for command, flags in ([(["judge", "run", "--placement=nearest"], ("--csv_out", "--junit")),
                                (["judge", "run", "--placement=nearest"], ("--findings_out", "--openmetrics")),
                                (["plan", "run", "--placement=nearest", "--settings=nccl"],
                                 ("--output", "--settings_out")),
                                (["compare", "run", "run"], ("--csv_out", "--openmetrics"))]):
            with self.subTest((command, flags)):
                outcome = self.railgauge(*command, f"{flags[0]}=x", f"{flags[1]}=folder/../x")
                self.assert_one_line(outcome, "writes the same file")
                self.assertFalse(os.path.exists(self.path("x")))
        with open(self.path("x"), "w", encoding="utf-8") as out:
            outcome = self.railgauge("judge", "run", "--placement=nearest", "--csv_out=x", stdout=out)
        self.assert_one_line(outcome, "write --csv_out x: standard output goes to the same file")

    def test_devices_and_standard_output(self):
        for command, flag in self.OUTPUTS:
            with self.subTest((command, flag)):
                outcome = self.railgauge(*command, f"{flag}=/dev/null")
                self.assertNotEqual(outcome.status, 2, str(outcome))
                with open(self.path("out"), "w", encoding="utf-8") as out:
                    outcome = self.railgauge(*command, f"{flag}=/dev/stdout", stdout=out)
                self.assertNotEqual(outcome.status, 2, str(outcome))
                self.assertGreater(os.path.getsize(self.path("out")), 0)
                outcome = self.railgauge(*command, f"{flag}=-")
                if flag in ("--junit", "--openmetrics", "--findings_out"):
                    self.assert_one_line(outcome, f"write {flag} -: standard output has what the command prints")
                else:
                    self.assertNotEqual(outcome.status, 2, str(outcome))
                    with open(self.path("out"), encoding="utf-8") as out:
                        self.assertIn(outcome.stdout, out.read())
                self.assertFalse(os.path.exists(self.path("-")))
        self.assert_one_line(self.railgauge("plan", "run", "--placement=nearest", "--settings=nccl", "--output=-",
                                            "--settings_out=-"), "goes to standard output, too")
        for command in (["judge", "-", "--placement=nearest"], ["judge", "run", "--placement=-"],
                        ["compare", "-", "run"], ["report", "-"], ["census", "--hwloc-xml=-", P5]):
            with self.subTest(command):
                self.assert_one_line(self.railgauge(*command), "stands for standard input, which is not read")
        for command in (["token", "-"], ["census", "--output=-", P5], ["fleet", "plan", "--hosts=a,b", "--output=-"]):
            with self.subTest(command):
                self.assert_one_line(self.railgauge(*command), " -: ", "Name a f")

    def test_what_cannot_be_written_is_told_before_any_work(self):
        os.symlink("circle", self.path("circle"))
        bad = {"none/out": "ENOENT", "run": "EISDIR", "decision.csv/out": "ENOTDIR", "circle": "ELOOP",
               "x" * 300: "ENAMETOOLONG", "/proc/out": "not kept"}
        for command, flag in self.OUTPUTS:
            for path, reason in bad.items():
                with self.subTest((command, flag, path)):
                    outcome = self.railgauge(*command, f"{flag}={path}")
                    self.assert_one_line(outcome, f"write {flag} {path}: ", reason)
                    self.assertEqual(outcome.stdout, "")
                    self.assertRegex(outcome.stderr, r"\. [A-Z][^.]*\.$")  # what to do

    def test_what_a_message_quotes_is_short_and_printable(self):
        # Controls of one byte and of two (CSI as UTF-8 has it), and bytes that are no UTF-8.
        evil = "a\x1b[2J\u009b2J" + "x" * 70_000
        with open(self.path("run/run.json"), encoding="utf-8") as file:
            state = json.load(file)
        with open(self.path("run/samples.csv"), encoding="utf-8") as file:
            samples = file.read()
        bad = {"run/run.json": json.dumps({**state, "run_id": evil}),
               "run/samples.csv": samples.replace(",to_memory,", f",{'x' * 70_000},", 1),
               "decision.csv": f"consumer,nic\nnuma0,{'n' * 70_000}\n"}
        for name, content in bad.items():
            with self.subTest(name):
                os.rename(self.path(name), self.path("kept"))
                self.path(name, content)
                outcome = self.railgauge("judge", "run", "--placement=decision.csv")
                os.rename(self.path("kept"), self.path(name))
                self.assert_one_line(outcome, name.rsplit("/", maxsplit=1)[-1])
                self.assertTrue(outcome.stderr.rstrip("\n").isprintable(), outcome.stderr)
                self.assertLess(len(outcome.stderr), 800)
        for arguments in (["judge", "run", f"--placement={evil}"], ["explain", "run", evil], ["compare", evil, "run"],
                          ["plan", "run", f"--settings={evil}"], ["compare", "run", "run", f"--margin={evil}"],
                          [evil], ["fleet", evil], ["judge", "run", f"--{evil}"], ["report", evil],
                          ["judge", "run", "--placement=nearest", f"--csv_out={evil}"],
                          ["fleet", "plan", f"--hosts={evil}", "--output=x"],
                          ["check", "--placement=nearest", f"--sizes={evil}", P5]):
            with self.subTest(arguments[0]):
                outcome = self.railgauge(*arguments)
                self.assert_one_line(outcome)
                self.assertTrue(outcome.stderr.rstrip("\n").isprintable(), outcome.stderr)
                self.assertLess(len(outcome.stderr), 3000)

    def test_what_is_broken_is_told_with_its_line_and_what_to_do(self):
        deep = "[" * 100_000 + "]" * 100_000
        xml = '<topology version="2.0">' + "<object>" * 100_000
        header = "consumer,nic\n"
        for name, content, parts in [
                ("run/run.json", '{"run_id": "x",\n"y": ' + deep + "}", ["run.json:1: its JSON nests too deep"]),
                ("run/run.json", "{\n\n", ["run.json:3: it is no JSON"]),
                ("run/topology.xml", xml, ["topology.xml:1: elements are nested"]),
                ("run/census.csv", "a\rb\n", ["census.csv:1: there is a carriage return"]),
                ("run/samples.csv", "a\x00b\n", ["samples.csv:1: it holds bytes that no text has"]),
                ("decision.csv", header + 'numa0,"x\n', ["decision.csv:2: a quote is opened and never closed"]),
                ("decision.csv", header + "numa0\r,x\n", ["decision.csv:2: there is a carriage return"]),
                ("decision.csv", "{" + '"a":' + deep + "}", ["decision.csv:1: its JSON nests too deep"]),
                ("decision.csv", "<system>" + "<a>" * 1000, ["decision.csv:1: elements nest too deep"])]:
            with self.subTest((name, parts)):
                os.rename(self.path(name), self.path("kept"))
                self.path(name, content)
                outcome = self.railgauge("judge", "run", "--placement=decision.csv")
                os.rename(self.path("kept"), self.path(name))
                self.assert_one_line(outcome, *parts)
                self.assertRegex(outcome.stderr, r"\. [A-Z].*\.$")  # what to do
        os.symlink("circle", self.path("circle"))
        for arguments in (["judge", "none"], ["judge", "circle"], ["judge", "decision.csv/x"], ["judge", "x" * 300],
                          ["judge", "run", "--placement=./none"], ["judge", "run", "--placement=./circle"],
                          ["judge", "run", "--placement=run"], ["judge", "run", f"--placement={'x' * 300}.csv"],
                          ["judge", "run", "--hwloc-xml=none"], ["judge", "run", "--hwloc-xml=circle"]):
            placement = [] if any(a.startswith("--placement") for a in arguments) else ["--placement=nearest"]
            with self.subTest(arguments):
                outcome = self.railgauge(*arguments, *placement)
                self.assert_one_line(outcome)
                self.assertRegex(outcome.stderr, r"\. [A-Z].*\.$")
        for arguments in (["report", "none"], ["report", "circle"], ["compare", "none", "run"],
                          ["explain", "none", "x"],
                          ["plan", "none"], ["topology", "none"], ["policies", "none"], ["token", "none/token"],
                          ["baseline", "make", "none", "--output=x"], ["compare", "circle", "run"],
                          ["fleet", "plan", "--hostfile=none", "--output=x"], ["fleet", "run", "none"],
                          ["fleet", "report", "none"], ["serve", "--token=run"]):
            with self.subTest(arguments):
                outcome = self.railgauge(*arguments)
                self.assert_one_line(outcome)
                self.assertRegex(outcome.stderr, r"\. [A-Z].*\.$")

    def test_a_link_that_leads_nowhere_is_not_written(self):
        os.symlink("nowhere", self.path("dangling"))
        for command, flag in self.OUTPUTS:
            with self.subTest((command, flag)):
                self.assert_one_line(self.railgauge(*command, f"{flag}=dangling"),
                                     f"write {flag} dangling: it is a symbolic link to what is not there")
        self.assert_one_line(self.railgauge("census", "--output=dangling", P5), "a symbolic link to what is not there")
        self.assertEqual(os.readlink(self.path("dangling")), "nowhere")
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_what_was_recorded_and_cannot_be_reached(self):
        for name in ("run.json", "samples.csv", "census.csv", "topology.xml"):
            os.rename(self.path(f"run/{name}"), self.path("kept"))
            for target, why in ((name, "ELOOP"), ("nowhere", "ENOENT")):
                os.symlink(target, self.path(f"run/{name}"))
                for command in (["judge", "run", "--placement=nearest"], ["explain", "run", "numa0"],
                                ["baseline", "make", "run", "--output=-"]):
                    with self.subTest((command, name, why)):
                        self.assert_one_line(self.railgauge(*command), f"run/{name}: {why}")
                os.remove(self.path(f"run/{name}"))
            os.rename(self.path("kept"), self.path(f"run/{name}"))

    def test_a_topology_that_no_run_has_is_told(self):
        shutil.copy(self.path("run/topology.xml"), self.path("t.xml"))
        for command in (["judge", "run", "--placement=nearest"], ["plan", "run", "--placement=nearest"],
                        ["policies", "run"], ["explain", "run", "numa0"], ["baseline", "make", "run", "--output=b.csv"],
                        ["compare", "run", "run"], ["topology", "run", "--output=x.xml"]):
            with self.subTest(command):
                outcome = self.railgauge(*command, "--hwloc-xml=p4.24xlarge=t.xml")
                self.assertIn("note: --hwloc-xml=p4.24xlarge=t.xml was not read: no run is of that instance type",
                              outcome.stderr)
                outcome = self.railgauge(*command, "--hwloc-xml=p4d.24xlarge=t.xml")
                self.assertNotIn("was not read", outcome.stderr)
                self.assert_one_line(self.railgauge(*command, "--hwloc-xml=p4.24xlarge=none.xml"), "none.xml: ENOENT")

    def test_the_nics_of_run_json_are_the_machines(self):
        with open(self.path("run/run.json"), encoding="utf-8") as file:
            state = json.load(file)
        state["machine"]["nics"][0]["pci_address"] = "0000:99:00.0"
        self.path("run/run.json", json.dumps(state))
        for command in (["judge", "run", "--placement=nearest"], ["explain", "run", "numa0"]):
            self.assert_one_line(self.railgauge(*command), "run/run.json: its machine.nics has 0000:99:00.0, which "
                                 "run/topology.xml does not show")

    def test_an_error_stands_alone(self):
        # Of a run without run.json there is a note, which is none of the error's.
        os.remove(self.path("run/run.json"))
        self.assertIn("note: ", self.railgauge("judge", "run", "--placement=nearest").stderr)
        for arguments in (["plan", "run", "--placement=neerest"], ["topology", "run", "--output=/dev/full"],
                          ["judge", "run", "--placement=nearest", "--csv_out=/dev/full"],
                          ["policies", "run", "--csv_out=/dev/full"],
                          ["baseline", "make", "run", "--output=/dev/full"],
                          ["compare", "run", "run", "--csv_out=/dev/full"]):
            with self.subTest(arguments):
                self.assert_one_line(self.railgauge(*arguments))

    def test_a_list_has_each_name_once(self):
        for flag, part in (("--nics=rdmap16s27,rdmap16s27", "is in the list twice"),
                           ("--nics=rdmap16s27,0000:10:1b.0", "is in the list twice"),
                           ("--places=numa0,numa0", "is in the list twice"), ("--sizes=4KiB,4096", "twice")):
            with self.subTest(flag):
                outcome = self.railgauge("check", "--placement=nearest", "--dry-run", flag,
                                         "--emulate=p4d.24xlarge")
                self.assert_one_line(outcome, part)
        for arguments in (["load", "--groups=numa,numa", "--dry-run", P5], ["plan", "run", "--settings=nccl,nccl"],
                          ["fleet", "plan", "--hosts=a,a", "--output=x"]):
            with self.subTest(arguments):
                self.assert_one_line(self.railgauge(*arguments), "twice")

    def test_many_runs_have_no_metrics(self):
        os.mkdir(self.path("many"))
        for name in ("a", "b"):
            shutil.copytree(self.path("run"), self.path(f"many/{name}"))
        outcome = self.railgauge("judge", "many", "--placement=nearest", "--openmetrics=m.prom", "--junit=j.xml")
        self.assert_one_line(outcome, "write --openmetrics m.prom: a file of metrics is of one run")
        self.assertEqual(outcome.stdout, "")
        self.assertFalse(os.path.exists(self.path("j.xml")))

    def test_what_was_recorded_is_no_pipe(self):
        commands = [["judge", "run", "--placement=nearest"], ["plan", "run", "--placement=nearest"],
                    ["policies", "run"], ["explain", "run", "numa0"], ["topology", "run"],
                    ["baseline", "make", "run", "--output=-"], ["compare", "run", "run"]]
        for name in ("run.json", "samples.csv", "census.csv", "topology.xml"):
            os.rename(self.path(f"run/{name}"), self.path("kept"))
            for make, kind in ((os.mkfifo, "a pipe"), (lambda path: os.symlink("/dev/zero", path), "a device"),
                               (os.mkdir, "a folder")):
                make(self.path(f"run/{name}"))
                for command in commands:
                    with self.subTest((command, name, kind)):
                        self.assert_one_line(self.railgauge(*command),
                                             f"read run/{name}: it is {kind} and no regular file")
                # A page is made of what there is.
                outcome = self.railgauge("report", "run", "--output=page.html")
                if name != "topology.xml":
                    self.assert_status(outcome, 3)
                    self.assertIn(f"it is {kind} and no regular file", outcome.stderr)
                (os.rmdir if kind == "a folder" else os.remove)(self.path(f"run/{name}"))
            os.rename(self.path("kept"), self.path(f"run/{name}"))


if __name__ == "__main__":
    main()
