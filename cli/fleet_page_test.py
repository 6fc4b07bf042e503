#!/usr/bin/env -S python3 -B
"""The page of `railgauge fleet report`, looked at in a browser as a reader would: of the nodes of
fleet_test.py, which are processes of this host."""
import os
import shutil
import subprocess
import tempfile

import fleet_test
from cli_testing import main, run, runfile
from fleet_test import NICS

NODE_MODULES = os.path.join(os.environ.get("TEST_SRCDIR", ""), "npm_test", "node_modules")
MAX_BYTES = 3 << 20


class FleetPageTest(fleet_test.FleetTestCase):
    """Nine nodes: n2 has a slow NIC, n6 lacks one, and n8 fails. Measured once."""

    shared = None
    outcome = None

    def setUp(self):
        super().setUp()
        if FleetPageTest.shared is None:
            self.plan(9)
            self.faults({"n2": {"slow": {NICS[1]: 0.6}}, "n6": {"missing": [NICS[3]]},
                         "n8": {"serve": "fails", "check": "fails"}})
            self.measure(status=3)
            FleetPageTest.outcome, _ = self.report(1)
            FleetPageTest.shared = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
            shutil.copytree(self.path("fleet"), os.path.join(self.shared, "fleet"))
        self.page = os.path.join(self.shared, "fleet", "fleet.html")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def probe(self, name, *arguments, page=None):
        outcome = run(["node", runfile("cli/report_browser.cjs"), NODE_MODULES, page or self.page, name, *arguments],
                      env={**os.environ, "HOME": self.folder})
        self.assertEqual(outcome.status, 0, outcome.stderr)
        return outcome.stdout

    def test_the_command_says_how_to_open_it(self):
        self.assertRegex(self.outcome.stdout, "\npage, for a browser: .*fleet/fleet.html\n")
        self.assertLess(os.path.getsize(self.page), MAX_BYTES)
        # The runs that the findings rest on have pages, and the others have none.
        pages = [path for path, _, names in os.walk(os.path.join(self.shared, "fleet")) if "report.html" in names]
        self.assertEqual(sorted(os.path.relpath(path, os.path.join(self.shared, "fleet")) for path in pages),
                         ["runs/n1/with-n2", "runs/n2/with-n3"])

    def test_loads_and_says_what_is_bad_and_why(self):
        text = self.probe("fleet_loads", "Fleet of 9 machines")
        for part in ("Slow: n2", "Missing: n6", "Not measured: n8", "1 ▼ SLOW", "1 ✗ MISSING", "1 – UNMEASURED",
                     "% below all machines'", "in 9 rounds", "this node is broken", "runs/n2/with-n3", "p4d.24xlarge"):
            self.assertIn(part, text)

    def test_tooltip(self):
        self.probe("tooltip", f"n2 {NICS[1]}", "SLOW", " % of the median of", "as the initiator, with n3")

    def test_table_sorts(self):
        self.probe("fleet_sort")

    def test_table_filters(self):
        self.probe("fleet_filter", "slow n2", "1 of 33 rows")
        # Its own four, and those that were measured with it, but for the slow one.
        self.probe("fleet_filter", "ok n3", "11 of 33 rows")

    def test_the_bad_nic_is_one_click_away(self):
        command = self.probe("fleet_evidence", "n2", "SLOW", "As the initiator", "in turn with").split()
        self.assertEqual(command, ["railgauge", "explain", "runs/n2/with-n3", NICS[1]])
        # It finds the run; the nodes of this test record no topology.
        self.assert_one_line(run([runfile("cli/railgauge"), *command[1:]], cwd=os.path.dirname(self.page)),
                             "runs/n2/with-n3/topology.xml")

    def test_machines_are_in_natural_order(self):
        with open(self.page, encoding="utf-8") as file:
            html = file.read()
        page = self.path("renamed.html", html.replace('"n3"', '"n30"').replace('"n4"', '"N4"'))
        self.probe("fleet_order", "n0", "n1", "N4", "n5", "n7", "n30", page=page)

    def test_title_fits_the_map(self):
        self.probe("fleet_title")

    def test_selectors_choose_what_is_shown(self):
        self.probe("fleet_views", "n2", NICS[1])

    def test_keyboard(self):
        self.probe("keyboard")

    def test_light_and_dark(self):
        self.probe("themes")

    def test_accessible(self):
        self.probe("fleet_accessible")

    def test_narrow(self):
        self.probe("narrow")

    def test_prints(self):
        pdf = self.path("page.pdf")
        self.probe("fleet_print", pdf)
        self.assertGreater(os.path.getsize(pdf), 20_000)


if __name__ == "__main__":
    if subprocess.run(["node", "--version"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SystemExit("there is no node: scripts/setup --test installs it")
    main()
