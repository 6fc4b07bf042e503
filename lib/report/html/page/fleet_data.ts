// The data that `railgauge fleet report` puts into the page. What writes it is lib/fleet/fleet_page.h.

import type { TableData } from './data.ts';

export interface Suspicion {
  kind: 'nic' | 'place' | 'machine' | 'path';
  name: string; // its folder below confirm/
  node: string;
  peer: string | null;
  slots: string[];
  groups: number[]; // rows of FleetData.groups, of kind "place"
  deviation: number;
  z: number;
  adjusted_p: number;
  as_target: boolean;
  could_be_peer: boolean;
  confirmed: 'slow' | 'not' | 'open';
  rounds: number[]; // suspect / reference
  ratio?: number;
  interval?: [low: number, high: number, confidence: number];
  suspect?: [initiator: string, target: string];
  reference?: [initiator: string, target: string];
}

export interface FleetData {
  kind: 'fleet';
  generator: string;
  name: string;
  platform: string;
  machines: number;
  run_count: number;
  row_count: number;
  group_count: number;
  windows: number;
  complete: boolean; // false: only what is flagged, and aggregates
  counts: Record<string, number>;
  check_flags: string[];
  rounds: number;
  confirm_rounds: number;
  gates: {
    differs: number;
    spread_floor: number;
    false_discovery: number;
    min_members: number;
    shared_blame: number;
    machine_share: number;
  };
  nodes: [name: string, type: string, host: string, instance: string][];
  runs: [initiator: string, target: string, type: string, page: boolean, id: string][];
  noise: [type: string, standings: number, median: number, mad: number][];
  suspicions: Suspicion[];
  unmeasured: { pairs: [initiator: string, target: string, why: string][]; left_out: number };
  facts: {
    read: number;
    first_start: string;
    last_end: string;
    list: { name: string; values: [value: string, machines: number, names: string[]][]; distinct: number }[];
  };
  notes: string[];
  rows: TableData; // of fleet.csv
  groups: TableData;
}
