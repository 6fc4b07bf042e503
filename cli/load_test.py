#!/usr/bin/env -S python3 -B
"""railgauge load, end to end: what it writes and says. How right its figures are is
lib/measure/group_emulated_test's subject; nothing here depends on how busy the host is."""
import os

from cli_testing import CliTestCase, main, read_csv, read_json

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


if __name__ == "__main__":
    main()
