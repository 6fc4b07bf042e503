#!/usr/bin/env -S python3 -B
"""--junit and --openmetrics of judge and compare, as other people's programs read them: Python's XML
parser, what the JUnit schemas have in common, junitparser, Prometheus' own parsers of both text formats, and
its node_exporter.

Nothing is measured here: the runs are those of scenarios/checks/recorded.
"""
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree as xml

from cli_testing import CliTestCase, main, read_csv, read_json, runfile

import junitparser
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

RECORDED = "scenarios/checks/recorded"
# Of the schemas of Jenkins, Surefire and Ant what railgauge uses: attributes that are allowed (True: that
# must be there), and children in their order.
SCHEMA = {
    "testsuites": ({"name": True, "tests": True, "failures": True, "errors": True, "skipped": False, "time": False},
                   ["testsuite"]),
    "testsuite": ({"name": True, "tests": True, "failures": True, "errors": True, "skipped": True, "time": True,
                   "timestamp": False, "hostname": False}, ["properties", "testcase"]),
    "properties": ({}, ["property"]),
    "property": ({"name": True, "value": True}, []),
    "testcase": ({"name": True, "classname": True, "time": True}, ["failure", "skipped"]),
    "failure": ({"type": True, "message": True}, []),
    "skipped": ({"message": True}, []),
}


class CiFilesTestCase(CliTestCase):
    def recorded(self, name):
        shutil.copytree(runfile(f"{RECORDED}/{name}"), self.path(name))
        os.chmod(self.path(name), 0o755)
        # Recordings do not say when the run ended, which every command would note.
        state = {**read_json(self.path(f"{name}/run.json")), "end": "2026-11-30T00:00:00.000Z"}
        os.remove(self.path(f"{name}/run.json"))
        self.path(f"{name}/run.json", json.dumps(state))
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def junit(self, name):
        """The document, held against the schema and its own counts."""
        root = xml.parse(self.path(name)).getroot()
        self.assertEqual(root.tag, "testsuites")
        self.hold(root)
        totals = {"tests": 0, "failures": 0, "skipped": 0, "errors": 0}
        for suite in root:
            cases = suite.findall("testcase")
            counts = {"tests": len(cases), "failures": sum(case.find("failure") is not None for case in cases),
                      "skipped": sum(case.find("skipped") is not None for case in cases), "errors": 0}
            for key, count in counts.items():
                self.assertEqual(int(suite.get(key)), count, key)
                totals[key] += count
            names = [(case.get("classname"), case.get("name")) for case in cases]
            self.assertEqual(len(names), len(set(names)), "two cases of one name")
            if suite.get("timestamp"):
                self.assertRegex(suite.get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        for key, count in totals.items():
            self.assertEqual(int(root.get(key)), count, key)
        parsed = junitparser.JUnitXml.fromfile(self.path(name))
        self.assertEqual({"tests": parsed.tests, "failures": parsed.failures, "errors": parsed.errors}, {
            key: totals[key] for key in ("tests", "failures", "errors")})
        results = [type(result).__name__ for suite in parsed for case in suite for result in case.result]
        self.assertEqual((results.count("Failure"), results.count("Skipped")), (totals["failures"], totals["skipped"]))
        return root

    def hold(self, element):
        attributes, children = SCHEMA[element.tag]
        for name, needed in attributes.items():
            self.assertTrue(not needed or name in element.attrib, f"<{element.tag}> lacks {name}")
        self.assertLessEqual(set(element.attrib), set(attributes), element.tag)
        self.assertEqual((element.text or "").strip(), "")
        places = [children.index(child.tag) for child in element]
        self.assertEqual(places, sorted(places), f"the order below <{element.tag}>")
        if element.tag == "testcase":
            self.assertLessEqual(len(places), 1)
        for child in element:
            self.hold(child)

    def metrics(self, name):
        """{(name, labels): value}, read by the parsers of both formats, which must agree."""
        text = self.read(name)
        self.assertTrue(text.endswith("# EOF\n"))
        found = []
        for parse in (parse_openmetrics, parse_prometheus):
            families = list(parse(text))
            samples = [sample for family in families for sample in family.samples]
            for family in families:
                self.assertEqual(family.type, "gauge", family.name)
                self.assertTrue(family.documentation)
            # node_exporter refuses a file with timestamps.
            self.assertTrue(all(sample.timestamp is None for sample in samples))
            found.append({(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples})
            self.assertEqual(len(found[-1]), len(samples), "a series twice")
        self.assertEqual(found[0], found[1])
        for family in parse_openmetrics(text):
            if re.search("throughput", family.name):
                self.assertEqual(family.unit, "bytes_per_second")
        return found[0]

    def collected(self, folder):
        """What node_exporter serves of the files in `folder`."""
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{one.getsockname()[1]}"
        with open(self.path("exporter.log"), "w", encoding="utf-8") as log:
            exporter = subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults",
                                         "--collector.textfile", f"--collector.textfile.directory={self.path(folder)}",
                                         f"--web.listen-address={address}"], stdout=log, stderr=log)
        self.addCleanup(exporter.wait)
        self.addCleanup(exporter.kill)
        deadline = time.monotonic() + 30
        while True:
            try:
                with urllib.request.urlopen(f"http://{address}/metrics", timeout=30) as answer:
                    return answer.read().decode()
            except urllib.error.URLError:
                if exporter.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(self.read("exporter.log")) from None
                time.sleep(0.05)

    def values(self, metrics, name, **labels):
        return [value for (metric, pairs), value in metrics.items()
                if metric == name and labels.items() <= dict(pairs).items()]


class CiFilesTest(CiFilesTestCase):
    def test_judge(self):
        for run, status in (("slow-nic", 1), ("healthy-p5.48xlarge", None)):
            outcome = self.railgauge("judge", self.recorded(run), "--placement=nearest", "--junit=out.xml",
                                     "--openmetrics=out.prom", "--csv_out=out.csv")
            if status is not None:
                self.assert_status(outcome, status)
            rows = read_csv(self.path("out.csv"))
            root = self.junit("out.xml")
            self.assertEqual(int(root.get("tests")), len(rows))
            bad = sum(row["verdict"] in ("SLOW", "WRONG", "OVERSUBSCRIBED", "IDLE") for row in rows)
            self.assertEqual(int(root.get("failures")), bad)
            self.assertEqual(int(root.get("skipped")), sum(row["verdict"] not in ("OK",) for row in rows) - bad)
            reasons = {row["reason"] for row in rows}
            for failure in root.iter("failure"):
                self.assertIn(failure.get("message").split(": ", 1)[1], reasons)
            metrics = self.metrics("out.prom")
            self.assertEqual(self.values(metrics, "railgauge_exit_status", command="judge"), [outcome.status])
            self.assertEqual(self.values(metrics, "railgauge_run_info", run_id=run, platform="emulated"), [1])
            for row in rows:
                self.assertEqual(self.values(metrics, "railgauge_placement_verdict", consumer=row["consumer"],
                                             verdict=row["verdict"]), [1])
            self.assertGreater(len(self.values(metrics, "railgauge_throughput_bytes_per_second")), 10)

    def test_compare(self):
        healthy, slow = self.recorded("healthy-p5.48xlarge"), self.recorded("slow-nic")
        outcome = self.railgauge("compare", healthy, slow, "--junit=out.xml", "--openmetrics=out.prom",
                                 "--csv_out=out.csv")
        self.assert_status(outcome, 1)
        rows = read_csv(self.path("out.csv"))
        root = self.junit("out.xml")
        self.assertEqual(int(root.get("tests")), len(rows))
        slower = [row for row in rows if row["verdict"] == "SLOWER"]
        self.assertEqual(int(root.get("failures")), len(slower))
        metrics = self.metrics("out.prom")
        self.assertEqual(self.values(metrics, "railgauge_baseline_cells", verdict="SLOWER"), [len(slower)])
        self.assertEqual(self.values(metrics, "railgauge_baseline_cells", verdict="FASTER"),
                         [sum(row["verdict"] == "FASTER" for row in rows)])
        self.assertLess(min(self.values(metrics, "railgauge_baseline_ratio", nic="0000:4f:00.0")), 0.7)

    def test_node_exporter_serves_all(self):
        os.makedirs(self.path("textfile"))
        self.railgauge("judge", self.recorded("slow-nic"), "--placement=nearest", "--openmetrics=textfile/judge.prom")
        self.railgauge("compare", self.recorded("healthy-p5.48xlarge"), "slow-nic",
                       "--openmetrics=textfile/compare.prom")
        served = {}
        for family in parse_prometheus(self.collected("textfile")):
            served.update({(sample.name, tuple(sorted(sample.labels.items()))): sample.value
                           for sample in family.samples})
        self.assertEqual(self.values(served, "node_textfile_scrape_error"), [0])
        for name in ("textfile/judge.prom", "textfile/compare.prom"):
            for series, value in self.metrics(name).items():
                self.assertAlmostEqual(served.get(series), value, msg=series)

    # A collector may read at any time: the file is replaced whole, and anybody may read it.
    def test_files_are_replaced_and_readable(self):
        run = self.recorded("slow-nic")
        self.path("out.prom", "old\n")
        with open(self.path("out.prom"), encoding="utf-8") as before:
            self.railgauge("judge", run, "--placement=nearest", "--openmetrics=out.prom", "--junit=out.xml")
            self.assertEqual(before.read(), "old\n")
        self.metrics("out.prom")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.prom")).st_mode) & 0o444, 0o444)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("out.")],
                         [name for name in os.listdir(self.folder) if name in ("out.prom", "out.xml")])

    def test_many_runs_are_many_suites_and_no_metrics(self):
        for name in ("slow-nic", "wrong-socket"):
            shutil.copytree(runfile(f"{RECORDED}/{name}"), self.path(f"tree/{name}"))
        outcome = self.railgauge("judge", "tree", "--placement=nearest", "--junit=out.xml")
        self.assertIn(outcome.status, (1, 3), str(outcome))
        self.assertEqual(len(self.junit("out.xml")), 2)
        outcome = self.railgauge("judge", "tree", "--placement=nearest", "--openmetrics=out.prom")
        self.assert_status(outcome, 2)
        self.assertIn("--openmetrics", outcome.stderr)

    def test_a_file_that_cannot_be_written_is_one_line(self):
        run = self.recorded("slow-nic")
        for flag in ("--junit", "--openmetrics"):
            self.assert_one_line(self.railgauge("judge", run, "--placement=nearest", f"{flag}=none/out"),
                                 "none/out", "ENOENT")


if __name__ == "__main__":
    main()
