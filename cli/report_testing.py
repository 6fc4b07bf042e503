"""Run directories for the tests of `railgauge report`: a machine of the emulator, and measurements that
are staged here, so that what the page must show is known.

The machine, the census and the columns of every file come from a short real run; its figures depend on
how busy the host is, and are replaced.
"""
import csv
import json
import os
import random
import shutil

GIGA = 1e9
DIMENSIONS = [(operation, direction) for operation in ("read", "write")
              for direction in ("to_memory", "from_memory")]
RATES = {"same_switch": 12.5, "same_host_bridge": 10.5, "same_numa_node": 8.4, "other_numa_node": 5.2,
         "unknown": 12.5}
ROUNDS = 12
SLOW_NIC, SLOW_FACTOR = 2, 0.6  # by index


class StagedRun:
    """A copy of the run in `source` below `folder`, with staged measurements."""

    def __init__(self, source, folder):
        shutil.copytree(source, folder)
        self.folder = folder
        with open(self._path("run.json"), encoding="utf-8") as file:
            self.info = json.load(file)
        self.census = self._rows("census.csv")
        self.columns = {name: self._columns(name)
                        for name in ("census.csv", "samples.csv", "summary.csv", "placement.csv")}
        self.identity = {name: self.census[0][name] for name in list(self.census[0])[:6]}
        self.nics = [(nic["pci_address"], nic["name"]) for nic in self.info["machine"]["nics"]]
        self.slow = self.nics[min(SLOW_NIC, len(self.nics) - 1)]
        self._stage()

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _rows(self, name):
        with open(self._path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _columns(self, name):
        with open(self._path(name), encoding="utf-8", newline="") as file:
            return next(csv.reader(file))

    def write(self, name, rows):
        with open(self._path(name), "w", encoding="utf-8", newline="") as file:
            columns = self.columns.get(name) or [*self.identity, *rows[0]]
            writer = csv.DictWriter(file, columns, lineterminator="\n", restval="")
            writer.writeheader()
            writer.writerows({**self.identity, **row} for row in rows)

    def write_info(self):
        with open(self._path("run.json"), "w", encoding="utf-8") as file:
            json.dump(self.info, file)

    def _stage(self):
        noise = random.Random(1)
        pairs = {}
        for row in self.census:
            pairs.setdefault((row["nic_pci_address"], row["place"]), row)
        samples, summary = [], []
        for (nic, place), row in pairs.items():
            if place.startswith("accelerator"):
                continue
            for operation, direction in DIMENSIONS:
                cell = {"nic_pci_address": nic, "nic_name": row["nic_name"], "place": place,
                        "operation": operation, "direction": direction, "size_bytes": 1048576, "depth": 32,
                        "load": "alone", "way": row["way"]}
                if direction == "to_memory":
                    field = "rdma_read_ic_id" if operation == "read" else "rdma_recv_ic_id"
                    cell["interconnect_id"] = row[field]
                samples.append(self._samples(cell, RATES[row["relation"]], noise, len(samples)))
                summary.append(self._summary(cell, samples[-1], row["relation"]))
        self.samples = [sample for windows in samples for sample in windows]
        self.summary = summary
        self.write("samples.csv", self.samples)
        self.write("summary.csv", summary)
        self.placement = self._placement()
        self.write("placement.csv", self.placement)
        self.write("findings.csv", [
            {"kind": "staged_note", "severity": "note", "nic_pci_address": "", "nic_name": "", "places": "",
             "field": "", "sentence": "All is as it was staged.", "evidence": ""},
            {"kind": "staged_error", "severity": "error", "nic_pci_address": self.slow[0], "nic_name": self.slow[1],
             "places": "numa0", "field": "rdma_read", "sentence": "Two staged ids do not fit.", "evidence": "7 and 9"}])
        self.info.update({"notes": ["a staged run"], "exit_status": 1})
        self.write_info()

    def _samples(self, cell, rate, noise, index):
        if cell["nic_pci_address"] == self.slow[0]:
            rate *= SLOW_FACTOR
        partner = self.nics[(self.nics.index((cell["nic_pci_address"], cell["nic_name"])) + 1) % len(self.nics)]
        windows = []
        for number in range(ROUNDS):
            throughput = rate * GIGA * noise.gauss(1, 0.002)
            # Rows that contradict themselves show as not valid.
            completions = int(throughput / 50 / 1048576)
            payload = completions * 1048576
            duration = round(payload / throughput * 1e9)
            idle = 0.5 + noise.random() / 3
            windows.append({
                **cell, "partner_pci_address": partner[0], "partner_name": partner[1],
                "partner_place": "numa0", "peer": "loopback", "round": number,
                "start_offset_ns": int((number + index / 10000) * 1e9), "duration_ns": duration,
                "completions": completions, "payload_bytes": payload, "posted_bytes": payload,
                "counter_bytes": payload, "throughput_bytes_per_second": payload / (duration / 1e9),
                "messages_per_second": completions / (duration / 1e9), "status": "ok", "disturbed": "false",
                "post_fraction": 0.1, "poll_fraction": 0.9 - idle, "idle_fraction": idle, "cpu_bound": "false"})
        return windows

    def _summary(self, cell, windows, relation):
        rates = sorted(window["throughput_bytes_per_second"] for window in windows)
        slow = cell["nic_pci_address"] == self.slow[0]
        return {**cell, "relation": relation, "sample_count": len(rates),
                "throughput_median_bytes_per_second": (rates[5] + rates[6]) / 2,
                "throughput_mad_bytes_per_second": (rates[8] - rates[3]) / 2,
                "throughput_low_bytes_per_second": rates[2], "throughput_high_bytes_per_second": rates[9],
                "interval_confidence_fraction": 0.994, "ceiling_fraction": (rates[5] + rates[6]) / 2 / 12.5e9,
                "verdict": "SLOW" if slow else "OK",
                "reason": "40 % below its class in 9 paired rounds" if slow else ""}

    def _placement(self):
        places = [f"gpu:{gpu['pci_address']}" for gpu in self.info["machine"]["gpus"]] or ["numa0"]
        share = max(1, len(self.nics) // len(places))
        rows = []
        for index, place in enumerate(places):
            chosen = (self.nics[index * share:(index + 1) * share] or self.nics[:1])
            wrong = index == 1 and len(self.nics) > 8
            if wrong:
                chosen = self.nics[:share]
            best = self.nics[index * share:(index + 1) * share] if wrong else []
            slow = self.slow in chosen and not wrong
            verdict = "WRONG" if wrong else "SLOW" if slow else "OK"
            sentence = {"WRONG": f"Use {best[0][1]} instead of {chosen[0][1]}: 33 % more." if best else "",
                        "SLOW": f"{self.slow[1]} is 40 % slower than its class.", "OK": "No better NIC."}[verdict]
            rows.append({"consumer": place, "chosen_nic_pci_addresses": ";".join(nic[0] for nic in chosen),
                         "chosen_nic_names": ";".join(nic[1] for nic in chosen),
                         "best_nic_pci_addresses": ";".join(nic[0] for nic in best),
                         "best_nic_names": ";".join(nic[1] for nic in best),
                         "regret_fraction": 0.33 if wrong else 0, "regret_rounds": 9, "verdict": verdict,
                         "reason": sentence})
        return rows
