#!/usr/bin/env -S python3 -B
"""Bad input ends in one clear line and status 2: what is wrong, where, what to do."""
import os
import shutil
import stat
import subprocess
import tempfile
import threading

from cli_testing import CliTestCase, main, read_csv, run, runfile

P5 = "--emulate=p5.48xlarge"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]


class UsageTest(CliTestCase):
    def test_no_command(self):
        self.assert_one_line(self.railgauge(), "railgauge", "--help")

    def test_a_misspelt_command(self):
        self.assert_one_line(self.railgauge("chekc", "--placement=nearest"),
                             "there is no command 'chekc'. Write 'check'. Try: railgauge --help")
        self.assert_one_line(self.railgauge("measure"), "there is no command 'measure'",
                             "The commands are ", " census, check, ")

    def test_unknown_flag(self):
        self.assert_one_line(self.railgauge("census", "--nic=x"),
                             "railgauge census: there is no flag '--nic'. Write '--nics'. Try: railgauge census --help")
        self.assert_one_line(self.railgauge("check", "--placment=nearest"), "Write '--placement'")
        self.assert_one_line(self.railgauge("judge", "run", "--time-budget=5s", "--placement=nearest"),
                             "railgauge judge: there is no flag '--time-budget'. Try: ")

    def test_what_is_long_is_cut(self):
        long = "x" * 70_000
        for arguments in (["--" + long], ["-" + long], [long], ["judge", "--" + long], ["judge", "run", long],
                          ["judge", "run", f"--placement={long}", f"--color={long}"],
                          ["check", f"--placement={long}", "--dry-run", P5],
                          ["census", f"--nics={long}", P5], ["census", f"--places={long}", P5],
                          ["load", f"--groups={long}", P5], ["census", f"--deadline={long}"],
                          ["check", "--placement=nearest", f"--sizes={long}"], ["compare", "a", "b", f"--margin={long}"],
                          ["fleet", "plan", f"--{long}"]):
            with self.subTest([argument[:20] for argument in arguments]):
                outcome = self.railgauge(*arguments)
                self.assert_one_line(outcome, "")
                self.assertLess(len(outcome.stderr), 800)

    def test_rules_of_policies_are_of_no_machine(self):
        for other in ("--csv_out=x.csv", "--hwloc-xml=x.xml", "run"):
            with self.subTest(other):
                self.assert_one_line(self.railgauge("policies", "--rules", other),
                                     "railgauge policies: read the command line --rules: ", "Leave one of them out")
        self.assertEqual(os.listdir(self.folder), [])

    def test_placement_is_required(self):
        self.assert_one_line(self.railgauge("check", P5), "railgauge check:", "--placement",
                             "railgauge check --help")

    def test_emulate_without_a_machine(self):
        for arguments in (["census", "--emulate"], ["census", "--emulate", "--nics=x"], ["--emulate=", "census"]):
            with self.subTest(arguments):
                outcome = self.railgauge(*arguments)
                self.assert_one_line(outcome, "railgauge:", "--emulate=p5.48xlarge")
                self.assertNotIn("launcher", outcome.stderr)


    def test_an_empty_value_does_not_take_the_next_flag(self):
        for command in (["judge", "run", "--placement=nearest", "--csv_out=", "--junit=x"],
                        ["judge", "run", "--placement=nearest", "--csv_out", "", "--junit=x"],
                        ["judge", "run", "--placement=", "--csv_out=x"], ["check", "--peer=", "--token=x"],
                        ["fleet", "plan", "--hosts=", "--output=x"], ["report", "run", "--output="],
                        ["census", "--nics=", "--places=gpu0"], ["census", "--csv_out=", P5]):
            with self.subTest(command):
                self.assert_one_line(self.railgauge(*command), "has an empty value. Write --", " --help")
        self.assert_one_line(self.railgauge("judge", ""), "an argument is empty")
        self.assert_one_line(self.railgauge("judge", "run", "--csv_out", "--junit=x"),
                             "railgauge judge: --csv_out has no value: '--junit=x' behind it is a flag")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_page_of_what_is_no_run(self):
        outcome = self.railgauge("report", "nope")
        self.assert_one_line(outcome, "read RUNDIR nope: ENOENT", "There is no run")
        self.assertNotIn("--output", outcome.stderr)
        self.assert_status(self.railgauge("fleet", "plan", "--hosts=a,b", "--output=fleet"), 0)
        self.assert_one_line(self.railgauge("report", "fleet"), "railgauge fleet report fleet")

    def test_a_misspelt_command_of_fleet(self):
        self.assert_one_line(self.railgauge("fleet", "reprot", "x"),
                             "there is no command 'reprot'. Write 'report'. Try: railgauge fleet --help")
        self.assert_one_line(self.railgauge("fleet", "bogus"), "The commands are plan, run, report")


class MachineTest(CliTestCase):
    def test_no_efa_device(self):
        outcome = self.railgauge("census")
        self.assert_one_line(outcome, "railgauge census: find EFA NICs on host '")

    def test_unknown_instance_type(self):
        self.assert_one_line(self.railgauge("census", "--emulate=p5.48xlarg"), "p5.48xlarge")

    def test_broken_scenario(self):
        scenario = self.path("broken.yaml", "schema: 1\ninstance_type: [\n")
        self.assert_one_line(self.railgauge("census", f"--emulate={scenario}"), "broken.yaml:")

    def test_broken_hwloc_xml(self):
        xml = self.path("broken.xml", "<topology version=\"2.0\"><object")
        self.assert_one_line(self.railgauge("census", f"--hwloc-xml={xml}", P5), "broken.xml")

    def test_missing_hwloc_xml(self):
        self.assert_one_line(self.railgauge("census", "--hwloc-xml=none.xml", P5), "none.xml", "ENOENT")

    def test_hwloc_view_without_pci(self):
        xml = self.path("nopci.xml", """<?xml version="1.0"?>
<topology version="2.0"><object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1"
 allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
<object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
 complete_nodeset="0x1" gp_index="2" local_memory="1000000"/>
<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
 complete_nodeset="0x1" gp_index="3"/></object></topology>
""")
        self.assert_one_line(self.railgauge("census", f"--hwloc-xml={xml}", P5), "PCI")


class NamesTest(CliTestCase):
    def test_prefix_of_a_nic_name(self):
        self.assert_one_line(self.railgauge("census", "--nics=rdmap79s", P5), "rdmap79s", "rdmap79s0")

    def test_unknown_place(self):
        self.assert_one_line(self.railgauge("census", "--places=numa7", P5), "numa7", "numa0")

    def test_gpu_ordinal_out_of_range(self):
        self.assert_one_line(self.railgauge("census", "--places=gpu8", P5), "gpu8")


class DecisionTest(CliTestCase):
    def check(self, placement):
        return self.railgauge("check", f"--placement={placement}", P5)

    def test_unknown_policy(self):
        self.assert_one_line(self.check("neerest"), "neerest", "nearest")

    def test_missing_file(self):
        self.assert_one_line(self.check("./none.csv"), "none.csv", "ENOENT")

    def test_a_pipe_is_a_file_whatever_its_name(self):
        os.mkfifo(self.path("fifo"))
        writer = threading.Thread(target=lambda: self.path("fifo", "consumer,nic\ngpu9,rdmap79s0\n"))
        writer.start()
        outcome = self.check("fifo")
        writer.join()
        self.assert_one_line(outcome, "fifo:2", "gpu9")

    def test_chosen_nics_outside_of_nics(self):
        outcome = self.railgauge("check", "--placement=nearest", "--nics=rdmap79s0", "--places=gpu0",
                                 "--dry-run", P5)
        self.assert_status(outcome, 0)
        self.assertIn("not among --nics", outcome.stderr)
        self.assertIn("1 NIC x 1 place,", outcome.stdout)

    def test_broken_file(self):
        for name, content, part in [
                ("empty.csv", "", "consumer,nic"),
                ("header.csv", "gpu0,rdmap79s0\n", "consumer,nic"),
                ("prefix.csv", "consumer,nic\ngpu0,rdmap79s\n", "prefix.csv:2"),
                ("place.csv", "consumer,nic\ngpu9,rdmap79s0\n", "place.csv:2"),
                ("twice.csv", "consumer,nic\ngpu0,rdmap79s0\ngpu0,0000:4f:00.0\n", "twice.csv:3"),
                ("fields.csv", "consumer,nic\ngpu0\n", "fields.csv:2"),
                ("binary.csv", "\x00\x01\x02\n\x7fELF", "binary.csv")]:
            with self.subTest(name):
                self.assert_one_line(self.check(self.path(name, content)), part)


class OutputTest(CliTestCase):
    def test_directory_that_is_not_empty(self):
        os.mkdir(self.path("full"))
        self.path("full/file", "x")
        outcome = self.railgauge("check", "--placement=nearest", "--output=full", P5)
        self.assert_one_line(outcome, "full")
        self.assertEqual(os.listdir(self.path("full")), ["file"])

    def test_path_through_a_file(self):
        self.path("file", "x")
        outcome = self.railgauge("check", "--placement=nearest", "--output=file/run", P5)
        self.assert_one_line(outcome, "file")

    def test_bad_quantities(self):
        for flag in ["--time-budget=10", "--time-budget=0s", "--time-budget=99999999h", "--sizes=0",
                     "--sizes=1MB/s", "--sizes=,", "--sizes=4KiB,4096", "--sizes=1GiB"]:
            with self.subTest(flag):
                outcome = self.railgauge("check", "--placement=nearest", "--dry-run", flag, P5)
                self.assert_one_line(outcome, "railgauge check: read " + flag.split("=")[0])

    def test_where_files_are_not_kept(self):
        for arguments in (["census", "--output=/sys/run"], ["census", "--output=/sys/class/../run"],
                          ["census", "--csv_out=/proc/census.csv"],
                          ["check", "--placement=nearest", "--output=/sys/a/b"]):
            with self.subTest(arguments):
                self.assert_one_line(self.railgauge(*arguments, P5, "--nics=rdmap79s0"), "not kept")

    def test_stdout_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (["--help"], ["census", P5, "--nics=rdmap79s0", "--csv_out=-"]):
                with self.subTest(arguments):
                    outcome = run([runfile("cli/railgauge"), *arguments], stdout=full)
                    self.assert_one_line(outcome, "stdout")

    def test_csv_to_a_device_does_not_replace_it(self):
        outcome = self.railgauge("census", P5, "--nics=rdmap79s0", "--csv_out=/dev/full")
        self.assert_one_line(outcome, "/dev/full", "ENOSPC")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_nothing_of_the_decision_is_selected(self):
        outcome = self.railgauge("check", "--placement=nearest", "--places=numa0", P5)
        self.assert_one_line(outcome, "--places")


class LimitsTest(CliTestCase):
    """Of the process; what is exhausted is named, and not what it was needed for."""

    def limited(self, limit, *arguments):
        script = f'ulimit {limit}; exec "$@"'
        return run(["bash", "-c", script, "bash", runfile("cli/railgauge"), *arguments], cwd=self.folder)

    def test_a_small_stack_is_enough(self):
        outcome = self.limited("-s 64", "census", P5, "--nics=rdmap79s0")
        self.assert_status(outcome, 0)

    def test_open_files(self):
        for count in (4, 5, 6, 8, 12):
            with self.subTest(count):
                outcome = self.limited(f"-n {count}", "census", P5, "--nics=rdmap79s0", "--places=numa0")
                self.assertIn("ulimit -n", outcome.stderr + outcome.stdout, str(outcome))
                self.assertIn(outcome.status, (2, 127), str(outcome))


class LauncherTest(CliTestCase):
    def emulate(self, *arguments):
        return run([runfile("lib/emulator/launcher/emulate"), *arguments], cwd=self.folder)

    def test_help(self):
        for flag in ("-h", "--help"):
            self.assertIn("--device-mode", self.emulate(flag).stdout)

    def test_a_folder_is_no_command(self):
        outcome = self.emulate("p5.48xlarge", "/tmp")
        self.assert_status(outcome, 127)
        self.assertEqual(outcome.stderr, "emulate: execute /tmp: EACCES (Permission denied). It is a folder: "
                         "name a program.\n")


class UnprivilegedTest(CliTestCase):
    """As another user than root, who has neither CAP_IPC_LOCK nor the way around file modes."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        # That user must reach the binary, which a sandbox below a private home prevents: copy it.
        self.tools = tempfile.mkdtemp(dir="/tmp")
        self.addCleanup(shutil.rmtree, self.tools, ignore_errors=True)
        source = runfile("cli/railgauge") + ".runfiles"
        if not os.path.isdir(source):
            source = os.environ["TEST_SRCDIR"]
        shutil.copytree(source, os.path.join(self.tools, "railgauge.runfiles"), symlinks=False,
                        ignore=shutil.ignore_patterns("*_test*", "MANIFEST"))
        shutil.copy(runfile("cli/railgauge"), os.path.join(self.tools, "railgauge"))
        for folder, _, _ in os.walk(self.tools):
            os.chmod(folder, stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)

    def nobody(self, *arguments, limits=""):
        command = [os.path.join(self.tools, "railgauge"), *arguments]
        script = f'{limits} exec "$@"'
        return run([*NOBODY, "bash", "-c", script, "bash", *command], cwd="/tmp",
                   env={"PATH": os.environ["PATH"], "HOME": "/tmp"})

    def test_works_without_root(self):
        outcome = self.nobody("census", "--nics=rdmap79s0", "--csv_out=-", P5)
        self.assert_status(outcome, 0)
        self.assertIn(",ok,", outcome.stdout)

    def test_memlock_too_small(self):
        outcome = self.nobody("census", "--nics=rdmap79s0", "--places=numa0", "--csv_out=-", P5,
                              limits="ulimit -l 16;")
        self.assertIn("registration_failed", outcome.stdout, str(outcome))
        self.assertIn("memlock", outcome.stdout, str(outcome))

    def test_memlock_of_nothing(self):
        outcome = self.nobody("census", "--nics=rdmap79s0", "--places=numa0", "--csv_out=-", P5,
                              limits="ulimit -l 0;")
        self.assert_status(outcome, 3)
        self.assertIn("memlock", outcome.stdout, str(outcome))

    def test_no_permission_on_the_device(self):
        emulate = os.path.join(self.tools, "railgauge.runfiles/railgauge/lib/emulator/launcher/emulate")
        outcome = run([*NOBODY, emulate, "--user=65534", "--device-mode=0600", "p5.48xlarge",
                       os.path.join(self.tools, "railgauge"), "census"], cwd="/tmp")
        self.assert_one_line(outcome, "EACCES", "/dev/infiniband")

    def test_output_directory_that_cannot_be_written(self):
        outcome = self.nobody("check", "--placement=nearest", f"--output={self.folder}/run", P5)
        self.assert_one_line(outcome, self.folder, "EACCES")

    def test_user_namespaces_forbidden(self):
        # A user namespace in which no further one may be made: what a hardened host looks like.
        script = ("echo 0 > /proc/sys/user/max_user_namespaces && "
                  f"exec setpriv --bounding-set=-all --inh-caps=-all --reuid=0 -- {self.tools}/railgauge census {P5}")
        outcome = run([*NOBODY, "unshare", "--user", "--map-root-user", "bash", "-c", script], cwd="/tmp")
        if "max_user_namespaces" in outcome.stderr and "denied" in outcome.stderr.lower():
            self.skipTest("this host does not let a user namespace limit its own: " + outcome.stderr)
        self.assert_one_line(outcome, "namespace")


if __name__ == "__main__":
    main()
