#!/usr/bin/env -S python3 -B
"""railgauge load, end to end: what it writes and says. How right its figures are is
lib/measure/group_emulated_test's subject; nothing here depends on how busy the host is."""
import os
import re
import subprocess
import time

from cli_testing import CliTestCase, main, read_csv, read_json, runfile

P5 = "--emulate=p5.48xlarge/16"
NICS = ["rdmap79s0", "rdmap80s0"]
QUICK = ["--sizes=64KiB", "--time-budget=4s"]


class LoadTest(CliTestCase):
    def load(self, *arguments, spec=P5, nics=tuple(NICS)):
        return self.railgauge("load", spec, "--nics=" + ",".join(nics), "--output=run", *QUICK, *arguments)

    def rows(self, name):
        return read_csv(self.path(f"run/{name}.csv"))

    def test_aggregates_stand_apart_from_cells(self):
        outcome = self.load("--places=gpu0")
        self.assertIn(outcome.status, (0, 3), str(outcome))
        groups = self.rows("groups")
        self.assertEqual([(row["load"], row["direction"], row["nic_count"]) for row in groups],
                         [("switch:0000:44:00.0", "to_memory", "2"), ("switch:0000:44:00.0", "from_memory", "2")])
        samples = self.rows("samples")
        self.assertEqual({row["load"] for row in samples}, {"alone", "switch:0000:44:00.0"})
        self.assertEqual({row["platform"] for row in samples + groups}, {"emulated"})
        # Distinct partners, and every sample says what proves it or why it is none.
        together = [row for row in samples if row["load"] != "alone" and row["round"] == "1"
                    and row["direction"] == "to_memory"]
        self.assertEqual(sorted(row["nic_name"] for row in together), NICS)
        self.assertEqual(len({row["partner_name"] for row in together}), 2)
        for row in samples:
            if row["status"] == "ok":
                self.assertEqual(row["counter_bytes"], row["posted_bytes"], row)
            else:
                self.assertNotEqual(row["reason"], "", row)
        for row in samples:
            rates = {row[name] for name in row if name.endswith("bytes_per_second") and name != "line_rate_bytes_per_second"}
            if row["status"] == "short_window":
                self.assertEqual(rates, {""}, row)
        self.assertTrue(os.path.getsize(self.path("run/topology.xml")) > 0)
        self.assertTrue(all(len(line) <= 100 for line in outcome.stdout.splitlines()), outcome.stdout)
        self.assertIn("together / alone", outcome.stdout)
        self.assertEqual(read_json(self.path("run/run.json"))["exit_status"], outcome.status)

    def test_bidirectional(self):
        self.load("--bidirectional", "--places=numa0", nics=NICS[:1])
        self.assertEqual([(row["load"], row["direction"], row["nic_count"]) for row in self.rows("groups")],
                         [("bidirectional", "", "1")])
        directions = [row["direction"] for row in self.rows("samples") if row["load"] == "bidirectional"]
        self.assertEqual(directions.count("to_memory"), directions.count("from_memory"))
        self.assertGreater(len(directions), 0)

    def test_a_member_that_stops_leaves_the_others_theirs(self):
        outcome = self.load("--places=gpu0", spec=P5 + ",stop-completing:rdmap80s0",
                            nics=NICS + ["rdmap81s0"])
        self.assert_status(outcome, 3)
        self.assertEqual({row["sharing"] for row in self.rows("groups")}, {"undecided"})
        stuck = [row for row in self.rows("samples") if row["nic_name"] == "rdmap80s0"]
        self.assertNotIn("ok", {row["status"] for row in stuck})
        self.assertIn("stopped completing", outcome.stdout + outcome.stderr)

    def test_a_budget_that_is_too_short_is_told_before_and_after(self):
        arguments = ("--places=numa0", "--sizes=64KiB,256KiB,1MiB", "--time-budget=1s")
        last = "WRITE from_memory, 1MiB, all at numa0: time for 0 of the 8 rounds"
        plan = self.load(*arguments, "--dry-run")
        self.assert_status(plan, 0)
        self.assertIn("which is more than --time-budget=1s", plan.stdout)
        self.assertIn(last, plan.stdout)
        outcome = self.load(*arguments)
        self.assert_status(outcome, 3)
        self.assertIn("note: " + last, outcome.stderr)
        # The first round that was not finished has its rows: each cell, alone and together.
        skipped = [row for row in self.rows("samples") if row["status"] == "skipped"]
        self.assertEqual({row["skip_cause"] for row in skipped}, {"no_time"}, str(outcome))
        never = [row for row in skipped if row["operation"] == "write" and row["size_bytes"] == str(1 << 20)]
        self.assertEqual(sorted((row["nic_name"], row["load"]) for row in never),
                         sorted((nic, load) for nic in NICS for load in ("alone", "switch:0000:44:00.0")))
        for row in skipped:
            self.assertIn("--time-budget=1s", row["reason"])
        group = self.rows("groups")[-1]
        self.assertEqual(group["sharing"], "undecided")
        self.assertEqual(group["reason"], "There was time for 0 of the 8 rounds that decide something: raise "
                                          "--time-budget or select less.")

    def test_ids_that_agree_are_a_group(self):
        outcome = self.load("--groups=id", "--places=numa0", "--dry-run", spec=P5 + ",ids-one:rdmap79s0,ids-one:rdmap96s0",
                            nics=NICS + ["rdmap96s0"])
        self.assert_status(outcome, 0)
        self.assertIn("READ to_memory, 64KiB, all at numa0: 1 group", outcome.stdout)
        self.assert_one_line(self.load("--groups=id", "--places=numa0", "--dry-run"),
                             "no two of the selected NICs")

    def test_bad_flags(self):
        self.assert_one_line(self.load("--groups=socket"), "--groups", "'socket'", "switch, numa, id and all")
        self.assert_one_line(self.load("--groups=numa,"), "--groups", "''")
        self.assert_one_line(self.load("--time-budget=soon"), "--time-budget")
        self.assert_one_line(self.load("--bidirectional", "--groups=numa"), "--bidirectional", "--groups")
        self.assert_one_line(self.load("--bidirectional", "--peer=node-b", "--token=t"), "--bidirectional",
                             "no common start")
        self.assert_one_line(self.load("--token=t", "--dry-run"), "--token", "--peer")
        self.assert_one_line(self.load(nics=NICS[:1]), "no two of the selected NICs", "--bidirectional")

    def test_help_says_what_happens_without_places(self):
        outcome = self.railgauge("load", "--help")
        self.assertIn("nearest GPU", " ".join(outcome.stdout.split()).split("--places")[1].split("--")[0])

    def test_nothing_to_measure_is_told(self):
        self.assert_one_line(self.railgauge("load", "--emulate=c5n.18xlarge"), "neither RDMA read nor RDMA write")


class KilledTest(CliTestCase):
    """What is left of a run that was killed can be read."""

    def kill(self, *arguments, when):
        """Runs a command until `when()`, and kills it."""
        process = subprocess.Popen([runfile("cli/railgauge"), *arguments, "--output=run", P5], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not when():
            self.assertLess(time.monotonic(), deadline, "it did not get so far")
            if process.poll() is not None:
                break
            time.sleep(0.005)
        process.kill()
        process.wait()

    def was_measured_alone(self, nic):
        try:
            with open(self.path("run/samples.csv"), encoding="utf-8") as file:
                return re.search(rf",{nic},[^\n]*,alone,[^\n]*\n", file.read()) is not None
        except FileNotFoundError:
            return False

    def test_load(self):
        self.kill("load", f"--nics={','.join(NICS)}", "--places=gpu0", "--time-budget=60s",
                  when=lambda: self.was_measured_alone(NICS[0]))
        state = read_json(self.path("run/run.json"))
        self.assertEqual((state["command"], state["end"], state["exit_status"]), ("load", None, None))
        self.assertFalse(os.path.exists(self.path("run/groups.csv")))
        explained = self.railgauge("explain", "run", "gpu0", NICS[0])
        self.assert_status(explained, 0)
        self.assertIn("in flight, dmabuf, with ", explained.stdout)
        self.assertIn("did not end", explained.stderr)
        self.assertIn("report: run/report.html", self.railgauge("report", "run").stdout)
        judged = self.railgauge("judge", "run", "--placement=nearest")
        self.assertIn(judged.status, (0, 1, 3), str(judged))
        self.assertIn("did not end", judged.stderr)
        # Among others it is no run of check.
        self.assert_one_line(self.railgauge("judge", ".", "--placement=nearest"), "no run of check is in it")

    def test_census(self):
        self.kill("census", when=lambda: os.path.exists(self.path("run/run.json")))
        state = read_json(self.path("run/run.json"))
        self.assertEqual(state["command"], "census")
        # Wherever it was: what is there is told, or one line says what is missing.
        explained = self.railgauge("explain", "run", "numa0", NICS[0])
        if not os.path.exists(self.path("run/topology.xml")):
            self.assert_one_line(explained, "run/topology.xml", "--hwloc-xml")
            return
        self.assert_status(explained, 0)
        self.assertIn("same_numa_node", explained.stdout)
        self.assertIn("nothing of this pair", explained.stdout)
        if not os.path.exists(self.path("run/census.csv")):
            self.assertIn("not in this run directory: census.csv", explained.stdout)
            self.assert_one_line(self.railgauge("judge", "run", "--placement=nearest"), "run/census.csv")


if __name__ == "__main__":
    main()
