#!/usr/bin/env -S python3 -B
"""railgauge explain and railgauge topology: what a run recorded, said again from its files alone."""
import json
import os
import shutil
import xml.etree.ElementTree as ElementTree

from cli_testing import CliTestCase, main, run

P5 = "--emulate=p5.48xlarge/16"
NIC, SISTER, FAR = "rdmap79s0", "rdmap80s0", "rdmap147s0"
NIC_ADDRESS = "0000:4f:00.0"
GPU = "gpu:0000:53:00.0"


class ExplainTest(CliTestCase):
    """Of one small run of check, which each case has a copy of."""

    recorded = None

    def setUp(self):
        super().setUp()
        if ExplainTest.recorded is None:
            ExplainTest.recorded = os.path.join(os.environ["TEST_TMPDIR"], "recorded")
            outcome = self.railgauge("check", "--placement=nearest", f"--nics={NIC},{SISTER},{FAR}",
                                     "--places=gpu0,numa0", "--time-budget=4s",
                                     f"--output={ExplainTest.recorded}", P5)
            self.assertIn(outcome.status, (0, 1, 3), str(outcome))
        shutil.copytree(ExplainTest.recorded, self.path("run"))

    def explain(self, *names, status=0):
        outcome = self.railgauge("explain", "run", *names)
        self.assert_status(outcome, status)
        self.assertLessEqual(max(map(len, outcome.stdout.splitlines()), default=0), 100)
        return outcome.stdout

    def test_a_pair(self):
        text = self.explain(GPU, NIC)
        for part in ("(emulated)", "same_switch", f"path        {NIC_ADDRESS} < 0000:46:01.0 <", "dmabuf",
                     "rdma_read", "Ceilings", "the line rate of rdmap79s0", "READ to_memory, 1MiB", "MB/s", "by itself ", f" {GPU} with "):
            self.assertIn(part, text)
        # In any order, and by any spelling.
        self.assertEqual(self.explain(NIC_ADDRESS, GPU), text)
        self.assertEqual(self.explain("4f:00.0", "53:00.0"), text)

    # gpu3 is what CUDA called so in the run.
    def test_an_ordinal(self):
        with open(self.path("run/run.json"), encoding="utf-8") as file:
            state = json.load(file)
        order = state["cuda_order"]
        self.assertEqual(len(order), 8)
        text = self.explain("gpu3", NIC)
        self.assertIn(f"gpu:{order[3]} (CUDA's gpu3)", text)
        self.assertEqual(text, self.explain(NIC, f"gpu:{order[3]}"))
        state["cuda_order"] = order[::-1]
        self.path("run/run.json", json.dumps(state))
        self.assertIn(f"gpu:{order[4]} (CUDA's gpu3)", self.explain("gpu3"))
        self.assert_one_line(self.railgauge("explain", "run", "gpu8", NIC), "CUDA has no device of that ordinal")
        state["cuda_order"] = None
        self.path("run/run.json", json.dumps(state))
        self.assert_one_line(self.railgauge("explain", "run", "gpu3", NIC), "run.json does not say",
                             "Name the GPU by its PCI address", f"gpu:{order[3]}")

    def test_one_of_them(self):
        text = self.explain(NIC)
        self.assertIn("numa0", text)
        self.assertIn("gpu:0000:64:00.0", text, "not measured, and still a place")
        text = self.explain("numa0")
        self.assertEqual(text.count("(rdmap"), 32 + text.split("Verdicts")[1].count("(rdmap"))

    def test_every_pair(self):
        for place in ["numa0", "numa1", *(f"gpu:0000:{bus}:00.0" for bus in ("53", "64", "ca"))]:
            for nic in (NIC, FAR, "rdmap201s0"):
                self.assertIn("Interconnect ids", self.explain(place, nic))

    def test_names_that_are_not_here(self):
        for names, parts in [
            (["rdmap79s1"], ["rdmap79s1", "The nearest spelling is rdmap79s0"]),
            ([GPU, "rdmap79s1"], ["The nearest spelling is rdmap79s0"]),
            (["nmua0"], ["The nearest spelling"]),
            (["numa7"], ["no such NUMA node"]),
            (["gpu:0000:54:00.0"], ["no GPU at that PCI address"]),
            ([NIC, SISTER], [SISTER, "two NICs"]),
            ([GPU, "numa0"], ["two places"]),
        ]:
            self.assert_one_line(self.railgauge("explain", "run", *names), "railgauge explain", *parts)
        self.assert_one_line(self.railgauge("explain", "run"), "--help")
        self.assert_one_line(self.railgauge("explain", "none", NIC), "none/census.csv", "ENOENT")

    def test_a_run_that_was_cut_short(self):
        # As a crash in the middle of a row leaves it.
        for name in ("placement.csv", "summary.csv", "interconnects.csv", "run.json"):
            os.remove(self.path("run/" + name))
        with open(self.path("run/samples.csv"), "r+b") as file:
            file.truncate(os.path.getsize(file.name) * 2 // 3)
        text = self.explain(GPU, NIC)
        self.assertIn("not in this run directory: placement.csv", text)
        self.assertIn("no placement was judged", text)
        os.remove(self.path("run/samples.csv"))
        self.assertIn("nothing of this pair", self.explain(GPU, NIC))
        os.remove(self.path("run/topology.xml"))
        self.assert_one_line(self.railgauge("explain", "run", NIC), "topology.xml", "--hwloc-xml")

    def test_the_topology_of_a_run(self):
        outcome = self.railgauge("topology", "run", "--output=noted.xml")
        self.assert_status(outcome, 0)
        self.assertIn("lstopo", outcome.stdout)
        with open(self.path("noted.xml"), encoding="utf-8") as file:
            noted = file.read()
        self.assertEqual(self.railgauge("topology", "run").stdout, noted, "the same twice")
        nics = [o for o in ElementTree.fromstring(noted).iter("object") if o.get("pci_busid") == NIC_ADDRESS]
        infos = {info.get("name"): info.get("value") for info in nics[0].findall("info")}
        self.assertRegex(nics[0].get("subtype"), r"^emulated EFA [\d.]+/[\d.]+ MB/s$")
        self.assertIn(f"{GPU}=same_switch", infos["RailgaugeRunRelation"].split())
        self.assertRegex(infos["RailgaugeRunReadToMemory"], rf"\b{GPU}=[\d.]+MB/s\b")
        self.assertIn("numa1=?", infos["RailgaugeRunReadToMemory"].split())
        # What is exported is again a topology: of the same machine.
        os.replace(self.path("noted.xml"), self.path("run/topology.xml"))
        before = self.explain(GPU, NIC)
        self.assertEqual(self.railgauge("topology", "run").stdout, noted)
        shutil.copy(os.path.join(ExplainTest.recorded, "topology.xml"), self.path("run/topology.xml"))
        self.assertEqual(self.explain(GPU, NIC), before)

    def test_lstopo_draws_it(self):
        self.assert_status(self.railgauge("topology", "run", "--output=noted.xml"), 0)
        lstopo = shutil.which("lstopo-no-graphics") or shutil.which("lstopo")
        self.assertIsNotNone(lstopo, "scripts/setup --test installs hwloc-nox")
        text = run([lstopo, "-i", self.path("noted.xml"), "-"])
        self.assert_status(text, 0)
        self.assertRegex(text.stdout, r"PCI\(emulated EFA [\d.]+/[\d.]+ MB/s\) 4f:00.0")
        verbose = run([lstopo, "-v", "-i", self.path("noted.xml"), "-"])
        self.assertIn("RailgaugeRunPlatform=emulated", verbose.stdout)
        self.assertIn("RailgaugeRunIdsRdmaRead=", verbose.stdout)
        self.assert_status(run([lstopo, "-i", self.path("noted.xml"), self.path("noted.svg")]), 0)
        with open(self.path("noted.svg"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r">emulated EFA [\d.]+/[\d.]+ MB/s 4f:00.0<")


if __name__ == "__main__":
    main()
