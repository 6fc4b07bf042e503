// The model of a run: NICs, memory places and cells (a NIC, a place, and how they were measured),
// joined from the report files by PCI address.

import { Table, tableOf, type GpuInfo, type NicInfo, type PageData } from './data.ts';
import { letters, median } from './statistics.ts';
import { bytes, dimension, shortAddress } from './words.ts';

export interface Nic {
  key: string; // PCI address
  name: string; // the ibverbs device; may be empty
  label: string;
  info: NicInfo | null;
}

export interface Place {
  key: string; // "numa0", "gpu:0000:53:00.0"
  kind: 'host' | 'gpu' | 'accelerator';
  label: string; // "gpu0 53:00.0"
  info: GpuInfo | null;
}

// How cells were measured: what one heat map shows.
export interface View {
  key: string;
  operation: string;
  direction: string;
  label: string;
  alone: boolean;
}

export interface Cell {
  key: string;
  view: string;
  nic: string;
  place: string;
  operation: string;
  direction: string;
  median: number | null;
  low: number | null;
  high: number | null;
  mad: number | null;
  confidence: number | null;
  ceilingFraction: number | null;
  verdict: string; // empty: none was given
  reason: string;
  z: number | null;
  pValue: number | null;
  relation: string;
  id: number | null;
  findings: string[];
  disturbed: boolean; // in every window the measuring thread was kept from its CPU
  partner: string; // the NIC at the other end of all of its windows, in loopback; else empty
  ofPartner: '' | 'slow_partner' | 'slow_pair'; // it is slow as its partner is, or as one of the two is
  slowItself: boolean; // it looks slow, and its NIC is what makes partners slow
  lineRate: number | null; // the most that it can carry, where its windows say
  samples: number[]; // rows of samples.csv
  classKey: string;
}

export interface Decision {
  row: number;
  consumer: string;
  chosen: string[];
  best: string[];
  regret: number | null;
  regretLow: number | null;
  regretHigh: number | null;
  rounds: number | null;
  verdict: string;
  sentence: string;
}

export interface Class {
  members: Cell[];
  median: number;
}

// Fewer members say nothing of a class; the judge's own gate is in run.json.
const MIN_CLASS = 4;

export class Run {
  readonly nics: Nic[];
  readonly places: Place[];
  readonly views: View[] = [];
  readonly cells = new Map<string, Cell>();
  readonly decisions: Decision[];
  readonly samples: Table;
  readonly census: Table;
  readonly slowPartners = new Set<string>(); // NICs that make cells of others slow
  readonly summarised: boolean; // cells are of summary.csv, and not made from samples.csv here
  private readonly classes = new Map<string, Class>();
  private readonly census_rows = new Map<string, number>();
  private readonly id_letters = new Map<string, string>();

  constructor(readonly data: PageData) {
    this.samples = tableOf(data, 'samples');
    this.census = tableOf(data, 'census');
    const summary = tableOf(data, 'summary');
    this.summarised = summary.rows > 0;
    this.nics = listNics(data);
    this.places = listPlaces(data);
    for (let row = 0; row < this.census.rows; row += 1) {
      const key = pairKey(this.census.text('nic_pci_address', row), this.census.text('place', row));
      if (!this.census_rows.has(key)) this.census_rows.set(key, row);
    }
    this.nameIds();
    this.readCells(this.summarised ? summary : this.samples);
    this.readSamples();
    this.blamePartners();
    this.makeClasses();
    this.decisions = readDecisions(tableOf(data, 'placement'));
  }

  nic(key: string): Nic {
    return this.nics.find((nic) => nic.key === key) ?? { key, name: '', label: shortAddress(key), info: null };
  }

  place(key: string): Place {
    return this.places.find((place) => place.key === key) ?? { key, kind: 'host', label: key, info: null };
  }

  cell(view: string, nic: string, place: string): Cell | undefined {
    return this.cells.get(cellKey(view, nic, place));
  }

  cellsOf(view: string): Cell[] {
    return [...this.cells.values()].filter((cell) => cell.view === view);
  }

  // The same NIC and place, measured in every way.
  siblings(cell: Cell): Cell[] {
    return this.views
      .map((view) => this.cell(view.key, cell.nic, cell.place))
      .filter((sibling): sibling is Cell => sibling !== undefined);
  }

  // Empty where the class is too small, or the cell was not measured.
  classOf(cell: Cell): Class | null {
    const found = this.classes.get(cell.classKey);
    return found && cell.median !== null && found.members.length >= MIN_CLASS ? found : null;
  }

  classRatio(cell: Cell): number | null {
    const found = this.classOf(cell);
    return found && cell.median !== null ? cell.median / found.median : null;
  }

  // Of the fastest class of a view; null where none is large enough.
  fastestClass(view: string): number | null {
    const medians = this.cellsOf(view)
      .map((cell) => this.classOf(cell)?.median)
      .filter((rate): rate is number => rate !== undefined);
    return medians.length > 0 ? Math.max(...medians) : null;
  }

  censusRow(nic: string, place: string): number | null {
    return this.census_rows.get(pairKey(nic, place)) ?? null;
  }

  relation(nic: string, place: string): string {
    const row = this.censusRow(nic, place);
    return row === null ? 'unknown' : this.census.text('relation', row);
  }

  // The letter of an id among those of its NIC and field: ids mean only "equal" and "different".
  letterOf(cell: Cell): string {
    const field = attributingField(cell.operation, cell.direction);
    if (!field || cell.id === null) return '';
    return this.id_letters.get(`${cell.nic} ${field} ${cell.id}`) ?? '?';
  }

  viewOf(key: string): View | undefined {
    return this.views.find((view) => view.key === key);
  }

  private nameIds(): void {
    const counts = new Map<string, number>();
    for (const nic of this.nics) {
      for (const place of this.places) {
        const row = this.censusRow(nic.key, place.key);
        if (row === null) continue;
        for (const field of ['rdma_read', 'rdma_recv', 'recv']) {
          const id = this.census.number(`${field}_ic_id`, row);
          if (id === null) continue;
          const key = `${nic.key} ${field} ${id}`;
          if (this.id_letters.has(key)) continue;
          const count = counts.get(`${nic.key} ${field}`) ?? 0;
          counts.set(`${nic.key} ${field}`, count + 1);
          this.id_letters.set(key, letters(count));
        }
      }
    }
  }

  private readCells(table: Table): void {
    const views = new Map<string, View>();
    const several = (name: string): boolean =>
      new Set(Array.from({ length: table.rows }, (_, row) => table.at(name, row))).size > 1;
    const shown = { size: several('size_bytes'), depth: several('depth'), load: several('load') };
    for (let row = 0; row < table.rows; row += 1) {
      const view = viewOfRow(table, row, shown);
      if (!views.has(view.key)) views.set(view.key, view);
      const cell = this.readCell(table, row, view);
      if (!this.cells.has(cell.key)) this.cells.set(cell.key, cell);
    }
    // The largest size first, as verdicts rest on it; what ran at once comes after what ran alone.
    this.views.push(...[...views.values()].sort((a, b) => Number(b.alone) - Number(a.alone) || sizeOf(b) - sizeOf(a)));
  }

  private readCell(table: Table, row: number, view: View): Cell {
    const findings = this.summarised ? table.list('findings', row) : [];
    const nic = table.text('nic_pci_address', row);
    const place = table.text('place', row);
    const relation = this.relation(nic, place);
    return {
      key: cellKey(view.key, nic, place),
      view: view.key,
      nic,
      place,
      operation: view.operation,
      direction: view.direction,
      median: table.number('throughput_median_bytes_per_second', row),
      low: table.number('throughput_low_bytes_per_second', row),
      high: table.number('throughput_high_bytes_per_second', row),
      mad: table.number('throughput_mad_bytes_per_second', row),
      confidence: table.number('interval_confidence_fraction', row),
      ceilingFraction: table.number('ceiling_fraction', row),
      verdict: table.text('verdict', row),
      reason: this.summarised ? table.text('reason', row) : '',
      z: table.number('class_z', row),
      pValue: table.number('rounds_adjusted_p_value', row) ?? table.number('class_adjusted_p_value', row),
      relation,
      id: table.number('interconnect_id', row),
      findings,
      disturbed: findings.includes('disturbed'),
      partner: '',
      ofPartner: findings.includes('slow_partner') ? 'slow_partner' : findings.includes('slow_pair') ? 'slow_pair' : '',
      slowItself: false,
      lineRate: null,
      samples: [],
      classKey: `${relation} ${this.place(place).kind} ${view.key}`,
    };
  }

  private readSamples(): void {
    const shown = { size: false, depth: false, load: false };
    for (let row = 0; row < this.samples.rows; row += 1) {
      const view = viewOfRow(this.samples, row, shown);
      const nic = this.samples.text('nic_pci_address', row);
      this.cells.get(cellKey(view.key, nic, this.samples.text('place', row)))?.samples.push(row);
    }
    for (const cell of this.cells.values()) {
      const numbers = (name: string, rows: number[]): number[] =>
        rows.map((row) => this.samples.number(name, row)).filter((value): value is number => value !== null);
      cell.lineRate = Math.max(0, ...numbers('line_rate_bytes_per_second', cell.samples)) || null;
      cell.partner = this.partnerOf(cell.samples);
      if (this.summarised) continue;
      // Of a run that did not get as far as summary.csv.
      const evidence = cell.samples.filter((row) => isEvidence(this.samples, row));
      cell.median = median(numbers('throughput_bytes_per_second', evidence));
      cell.disturbed = evidence.length > 0 && evidence.every((row) => isDisturbed(this.samples, row));
    }
  }

  private partnerOf(samples: number[]): string {
    const loopback = samples.filter((row) => this.samples.text('peer', row) === 'loopback');
    const partners = new Set(loopback.map((row) => this.samples.text('partner_pci_address', row)));
    return partners.size === 1 ? [...partners][0] : '';
  }

  // Of two NICs the one that is slow may have no proven cell, as rounds cost time: its cells that look
  // slow are then what its partners' are slow by.
  private blamePartners(): void {
    for (const cell of this.cells.values()) {
      if (cell.ofPartner === 'slow_partner' && cell.partner) this.slowPartners.add(cell.partner);
    }
    for (const cell of this.cells.values()) {
      const looksSlow = cell.verdict === 'UNDECIDED' && cell.median !== null && !cell.ofPartner;
      cell.slowItself = looksSlow && this.slowPartners.has(cell.nic);
    }
  }

  private makeClasses(): void {
    const members = new Map<string, Cell[]>();
    for (const cell of this.cells.values()) {
      if (cell.median === null) continue;
      members.set(cell.classKey, [...(members.get(cell.classKey) ?? []), cell]);
    }
    for (const [key, cells] of members) {
      this.classes.set(key, { members: cells, median: median(cells.map((cell) => cell.median ?? 0)) ?? 0 });
    }
  }
}

// Whether a window's rate counts.
export function isEvidence(samples: Table, row: number): boolean {
  const status = samples.text('status', row);
  return status === 'ok' || status === 'no_counters';
}

// Whether the measuring thread was kept from its CPU: such a window tells of the scheduler.
export function isDisturbed(samples: Table, row: number): boolean {
  return samples.text('disturbed', row) === 'true';
}

export function attributingField(operation: string, direction: string): string {
  if (direction !== 'to_memory') return '';
  return operation === 'read' ? 'rdma_read' : 'rdma_recv';
}

export function cellKey(view: string, nic: string, place: string): string {
  return `${view} ${nic} ${place}`;
}

function pairKey(nic: string, place: string): string {
  return `${nic} ${place}`;
}

function sizeOf(view: View): number {
  return Number(view.key.split('/')[2]);
}

function viewOfRow(table: Table, row: number, shown: { size: boolean; depth: boolean; load: boolean }): View {
  const operation = table.text('operation', row);
  const direction = table.text('direction', row);
  const size = table.number('size_bytes', row) ?? 0;
  const depth = table.text('depth', row);
  const load = table.text('load', row);
  let label = dimension(operation, direction);
  if (shown.size) label += `, ${bytes(size)}`;
  if (shown.depth) label += `, depth ${depth}`;
  if (shown.load) label += load === 'alone' ? ', alone' : `, with ${load}`;
  return {
    key: [operation, direction, size, depth, load].join('/'),
    operation,
    direction,
    label,
    alone: load === 'alone',
  };
}

function listNics(data: PageData): Nic[] {
  const names = new Map<string, string>();
  for (const info of data.info?.machine.nics ?? []) names.set(info.pci_address, info.name ?? '');
  for (const file of ['census', 'samples', 'summary']) {
    const table = tableOf(data, file);
    for (let row = 0; row < table.rows; row += 1) {
      const key = table.text('nic_pci_address', row);
      if (key && !names.get(key)) names.set(key, table.text('nic_name', row));
    }
  }
  return [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, name]) => ({
      key,
      name,
      label: name || shortAddress(key),
      info: data.info?.machine.nics.find((nic) => nic.pci_address === key) ?? null,
    }));
}

function listPlaces(data: PageData): Place[] {
  const keys = new Set<string>();
  const machine = data.info?.machine;
  for (const node of machine?.numa_nodes ?? []) if (node.memory_bytes > 0) keys.add(`numa${node.os_index}`);
  for (const gpu of machine?.gpus ?? []) keys.add(`gpu:${gpu.pci_address}`);
  for (const file of ['census', 'samples', 'summary']) {
    const table = tableOf(data, file);
    for (let row = 0; row < table.rows; row += 1) keys.add(table.text('place', row));
  }
  keys.delete('');
  return [...keys].sort(comparePlaces).map((key) => {
    const address = key.slice(key.indexOf(':') + 1);
    if (key.startsWith('accelerator:')) {
      return { key, kind: 'accelerator', label: `accelerator ${shortAddress(address)}`, info: null };
    }
    if (!key.startsWith('gpu:')) return { key, kind: 'host', label: key, info: null };
    const info = machine?.gpus.find((gpu) => gpu.pci_address === address) ?? null;
    const ordinal = info?.cuda ? String(info.cuda.ordinal) : '';
    return { key, kind: 'gpu', label: `gpu${ordinal} ${shortAddress(address)}`, info };
  });
}

// NUMA nodes by number, then what is on PCI by address.
function comparePlaces(a: string, b: string): number {
  const rank = (key: string): number => (key.startsWith('numa') ? 0 : key.startsWith('gpu') ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return rank(a) === 0 ? Number(a.slice(4)) - Number(b.slice(4)) : a < b ? -1 : 1;
}

function readDecisions(table: Table): Decision[] {
  return Array.from({ length: table.rows }, (_, row) => ({
    row,
    consumer: table.text('consumer', row),
    chosen: table.list('chosen_nic_pci_addresses', row),
    best: table.list('best_nic_pci_addresses', row),
    regret: table.number('regret_fraction', row),
    regretLow: table.number('regret_low_fraction', row),
    regretHigh: table.number('regret_high_fraction', row),
    rounds: table.number('regret_rounds', row),
    verdict: table.text('verdict', row),
    sentence: table.text('reason', row),
  }));
}
