// The model of a fleet: its runs, the groups of cells that should be alike on all machines, and what
// is said of each NIC slot of each machine.

import { Table, type Value } from './data.ts';
import type { FleetData, Suspicion } from './fleet_data.ts';
import { isFlagged } from './fleet_words.ts';
import { median } from './statistics.ts';

export interface FleetRun {
  initiator: string;
  target: string;
  type: string;
  page: boolean; // report.html is beside its files
  id: string;
  place: number; // among the runs of its type, as in Group.values
}

// One slot, operation, direction, class of place and size.
export interface Group {
  row: number; // of FleetData.groups
  type: string;
  slot: string;
  operation: string;
  direction: string;
  place: string;
  size: number;
  machines: number;
  median: number;
  spread: number; // median deviation / median
  lowest: number;
  highest: number;
  values: (number | null)[]; // shares of the median, by FleetRun.place
}

export type Part = 'initiator' | 'target';
export type FleetMetric = 'worst' | 'median';

// What is looked at. Empty: all.
export interface Filters {
  type: string;
  part: Part;
  metric: FleetMetric;
  operation: string;
  direction: string;
  place: string;
  size: string;
}

export interface Reading {
  group: Group;
  run: FleetRun;
  share: number;
}

// The standard deviation of a normal distribution is so many median deviations; and beyond so many
// of it a value is seldom found among some thousands.
const NORMAL = 1.4826;
const NOISE_DEVIATIONS = 4;

// A NIC slot of a machine.
export interface SlotCell {
  node: string;
  slot: string;
  row: number | null; // of FleetData.rows
  verdict: string; // empty: not kept in this page
}

export class Fleet {
  readonly rows: Table;
  readonly runs: FleetRun[];
  readonly groups: Group[];
  readonly types: string[];
  private readonly row_of = new Map<string, number>();
  private readonly groups_of = new Map<string, Group[]>(); // by type and slot
  private readonly names = new Map<string, string>();

  constructor(readonly data: FleetData) {
    this.rows = new Table(data.rows);
    const counts = new Map<string, number>();
    this.runs = data.runs.map(([initiator, target, type, page, id]) => {
      const place = counts.get(type) ?? 0;
      counts.set(type, place + 1);
      return { initiator, target, type, page, id, place };
    });
    for (let row = 0; row < this.rows.rows; row += 1) {
      const slot = this.rows.text('nic_pci_address', row);
      this.row_of.set(`${this.rows.text('node', row)} ${slot}`, row);
      if (!this.names.get(slot)) this.names.set(slot, this.rows.text('nic_name', row));
    }
    this.groups = this.readGroups(new Table(data.groups));
    for (const group of this.groups) {
      const key = `${group.type} ${group.slot}`;
      this.groups_of.set(key, [...(this.groups_of.get(key) ?? []), group]);
    }
    this.types = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  }

  private readGroups(table: Table): Group[] {
    return Array.from({ length: table.rows }, (_, row) => {
      const slot = table.text('nic_pci_address', row);
      if (!this.names.get(slot)) this.names.set(slot, table.text('nic_name', row));
      const values = table.text('values', row);
      return {
        row,
        type: table.text('instance_type', row),
        slot,
        operation: table.text('operation', row),
        direction: table.text('direction', row),
        place: table.text('place', row),
        size: table.number('size_bytes', row) ?? 0,
        machines: table.number('machines', row) ?? 0,
        median: table.number('throughput_median_bytes_per_second', row) ?? 0,
        spread: table.number('spread_fraction', row) ?? 0,
        lowest: table.number('lowest_fraction', row) ?? 0,
        highest: table.number('highest_fraction', row) ?? 0,
        values: values === '' ? [] : values.split(',').map((text) => (text === '' ? null : Number(text) / 1000)),
      };
    });
  }

  // The width of the bins of a group's distribution, and how many machines each holds.
  bins(group: Group): { width: number; counts: [bin: number, machines: number][] } {
    const [width, counts] = new Table(this.data.groups).text('bins', group.row).split(';');
    return {
      width: Number(width),
      counts: (counts ?? '')
        .split(',')
        .filter(Boolean)
        .map((pair) => pair.split(':').map(Number) as [number, number]),
    };
  }

  nameOf(slot: string): string {
    return this.names.get(slot) ?? '';
  }

  typeOf(node: string): string {
    return this.data.nodes.find(([name]) => name === node)?.[1] ?? '';
  }

  // By address.
  slotsOf(type: string): string[] {
    const slots = new Set(this.groups.filter((group) => group.type === type).map((group) => group.slot));
    for (let row = 0; row < this.rows.rows; row += 1) {
      const slot = this.rows.text('nic_pci_address', row);
      if (slot && this.rows.text('instance_type', row) === type) slots.add(slot);
    }
    return [...slots].sort();
  }

  // By name, with numbers in it by their size; those with a finding apart.
  nodesOf(type: string): { flagged: string[]; others: string[] } {
    const bad = new Set<string>();
    const slots = this.slotsOf(type);
    const nodes = [...new Set(this.runs.filter((run) => run.type === type).map((run) => run.initiator))];
    nodes.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1));
    for (const node of nodes) {
      if (slots.some((slot) => isFlagged(this.cell(node, slot).verdict))) bad.add(node);
    }
    return { flagged: nodes.filter((node) => bad.has(node)), others: nodes.filter((node) => !bad.has(node)) };
  }

  groupsOf(type: string, slot: string): Group[] {
    return this.groups_of.get(`${type} ${slot}`) ?? [];
  }

  cell(node: string, slot: string): SlotCell {
    const row = this.row_of.get(`${node} ${slot}`) ?? null;
    return { node, slot, row, verdict: row === null ? '' : this.rows.text('verdict', row) };
  }

  runsOf(node: string, part: Part): FleetRun[] {
    return this.runs.filter((run) => (part === 'initiator' ? run.initiator : run.target) === node);
  }

  // What was measured of a slot.
  readings(cell: SlotCell, part: Part, filters?: Filters): Reading[] {
    const found: Reading[] = [];
    for (const run of this.runsOf(cell.node, part)) {
      for (const group of this.groupsOf(run.type, cell.slot)) {
        if (filters && !passes(group, filters)) continue;
        const share = group.values[run.place] ?? null;
        if (share !== null) found.push({ group, run, share });
      }
    }
    return found;
  }

  // The figure of a slot, and how far the same figure of others lies from their median by chance.
  figure(cell: SlotCell, filters: Filters): { share: number; noise: number } | null {
    const readings = this.readings(cell, filters.part, filters);
    if (readings.length === 0) return null;
    if (filters.metric === 'worst') {
      const worst = readings.reduce((a, b) => (b.share < a.share ? b : a));
      return { share: worst.share, noise: NOISE_DEVIATIONS * NORMAL * worst.group.spread };
    }
    const mad = this.data.noise.find(([type]) => type === filters.type)?.[3] ?? 0;
    const share = median(readings.map((reading) => reading.share)) ?? 0;
    return { share, noise: NOISE_DEVIATIONS * NORMAL * mad };
  }

  suspicionOf(cell: SlotCell): Suspicion | null {
    const about = (one: Suspicion): boolean =>
      one.slots.includes(cell.slot) && (one.node === cell.node || (one.kind === 'path' && one.peer === cell.node));
    const all = this.data.suspicions.filter(about);
    return all.find((one) => one.confirmed === 'slow') ?? all.find((one) => one.confirmed === 'open') ?? all[0] ?? null;
  }

  // The peers of a slot whose own NIC in it is flagged: what makes a healthy one look slow.
  badPeers(cell: SlotCell, part: Part): string[] {
    const peers = this.runsOf(cell.node, part).map((run) => (part === 'initiator' ? run.target : run.initiator));
    return peers.filter((peer) => ['SLOW', 'SUSPECT'].includes(this.cell(peer, cell.slot).verdict));
  }

  value(cell: SlotCell, column: string): Value {
    return cell.row === null ? null : this.rows.at(column, cell.row);
  }

  text(cell: SlotCell, column: string): string {
    return cell.row === null ? '' : this.rows.text(column, cell.row);
  }
}

function passes(group: Group, filters: Filters): boolean {
  return (
    (!filters.operation || group.operation === filters.operation) &&
    (!filters.direction || group.direction === filters.direction) &&
    (!filters.place || group.place === filters.place) &&
    (!filters.size || String(group.size) === filters.size)
  );
}

// What the reader looks at; parts of the page subscribe and draw themselves anew.
export class FleetState {
  filters: Filters;
  selected: SlotCell | null = null;
  group: Group | null = null; // whose distribution is drawn
  private readonly listeners: ((state: FleetState) => void)[] = [];

  constructor(readonly fleet: Fleet) {
    this.filters = {
      type: fleet.types[0] ?? '',
      part: 'initiator',
      metric: 'worst',
      operation: '',
      direction: '',
      place: '',
      size: '',
    };
    this.group = fleet.groups.find((group) => group.type === this.filters.type) ?? null;
  }

  subscribe(listener: (state: FleetState) => void): void {
    this.listeners.push(listener);
    listener(this);
  }

  filter(change: Partial<Filters>): void {
    this.filters = { ...this.filters, ...change };
    this.tell();
  }

  // With the group in which the cell is worst.
  select(cell: SlotCell): void {
    this.selected = cell;
    const type = this.fleet.typeOf(cell.node) || this.filters.type;
    this.filters = { ...this.filters, type };
    const readings = (['initiator', 'target'] as Part[]).flatMap((part) => this.fleet.readings(cell, part));
    const worst = readings.sort((a, b) => a.share - b.share)[0];
    this.group = worst?.group ?? this.fleet.groupsOf(type, cell.slot)[0] ?? this.group;
    this.tell();
  }

  choose(group: Group): void {
    this.group = group;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener(this);
  }
}
