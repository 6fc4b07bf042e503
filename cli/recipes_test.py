#!/usr/bin/env -S python3 -B
"""The recipes of results/README.md, as they stand there: run in DuckDB and pandas on recorded runs.

The one for Athena cannot be run here; its columns are held against a file.
"""
import json
import os
import re
import shutil
import sys

from cli_testing import CliTestCase, main, run, runfile

RECORDED = "scenarios/checks/recorded"
NODE_MODULES = os.path.join(os.environ.get("TEST_SRCDIR", ""), "npm_query", "node_modules")


def recipes(language):
    """The fenced blocks of `language` in the section."""
    with open(runfile("results/README.md"), encoding="utf-8") as file:
        section = re.search(r"^## Recipes$(.*?)^## ", file.read(), re.M | re.S).group(1)
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)


class RecipesTest(CliTestCase):
    def setUp(self):
        super().setUp()
        for name in ("slow-nic", "healthy-p5.48xlarge"):
            target = self.path(f"results/run-{name}")
            shutil.copytree(runfile(f"{RECORDED}/{name}"), target)
            os.chmod(target, 0o755)
            outcome = self.railgauge("judge", target, "--placement=nearest", f"--csv_out={target}/placement.csv")
            self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        target = self.path("results/run-slow-nic")
        outcome = self.railgauge("compare", self.path("results/run-healthy-p5.48xlarge"), target,
                                 f"--csv_out={target}/compare.csv")
        self.assert_status(outcome, 1)

    def sql(self, query):
        outcome = run(["node", runfile("cli/recipes_duckdb.cjs"), NODE_MODULES], cwd=self.folder,
                      stdin=open(self.path("query.sql", query), encoding="utf-8"))
        self.assert_status(outcome, 0)
        return json.loads(outcome.stdout)

    def test_duckdb(self):
        queries = [query for query in recipes("sql") if "read_csv" in query]
        self.assertEqual(len(queries), 3)
        slowest, verdicts, compared = (self.sql(query) for query in queries)
        self.assertEqual(len(slowest), 10)
        self.assertEqual((slowest[0]["host"], slowest[0]["nic_name"], slowest[0]["run_id"]),
                         ("recorded", "rdmap79s0", "slow-nic"))
        self.assertIn("SLOW", {row["verdict"] for row in verdicts})
        self.assertNotIn("OK", {row["verdict"] for row in verdicts})
        self.assertIn(("0000:4f:00.0", "SLOWER"), {(row["nic_pci_address"], row["verdict"]) for row in compared})

    def test_pandas(self):
        scripts = recipes("python")
        self.assertEqual(len(scripts), 1)
        outcome = run([sys.executable, "-c", scripts[0]], cwd=self.folder)
        self.assert_status(outcome, 0)
        self.assertEqual(outcome.stdout.splitlines()[1].split()[1:3], ["rdmap79s0", "slow-nic"], str(outcome))

    def test_athena_has_the_columns_of_the_file(self):
        table = next(query for query in recipes("sql") if "CREATE EXTERNAL TABLE" in query)
        columns = re.search(r"\((.*?)\)\nROW FORMAT", table, re.S).group(1)
        names = [column.split()[0] for column in columns.split(",")]
        with open(self.path("results/run-slow-nic/placement.csv"), encoding="utf-8") as file:
            self.assertEqual(names, file.readline().strip().split(","))
        for name in re.findall(r"\b[a-z_]+_(?:fraction|names)\b", table):
            self.assertIn(name, names)


if __name__ == "__main__":
    main()
