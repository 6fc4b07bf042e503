// The data that `railgauge report` puts into the page: report files as columns, run.json as it is.
// What writes it is lib/report/html/page_data.h.

export type Value = string | number | null;

// One column of a report file. An empty field is null; a column of one value is kept once, and
// texts that repeat are kept once and named by their index.
export type Column = { all: Value } | { numbers: (number | null)[] } | { texts: string[]; index: (number | null)[] };

export interface TableData {
  rows: number;
  columns: Record<string, Column>;
}

export interface FileNote {
  name: string;
  rows: number | null; // null: not read
  problem: string; // why not, or what is wrong with it
}

export interface Identity {
  run_id: string;
  host: string;
  instance_id: string;
  instance_type: string;
  platform: string;
}

export interface PciPosition {
  pci_address: string;
  numa_node: number | null;
  host_bridge: string | null;
  bridges: string[];
  link_speed_bytes_per_second: number | null;
}

export interface NicInfo extends PciPosition {
  name: string | null;
  [fact: string]: unknown;
}

export interface GpuInfo extends PciPosition {
  model: string | null;
  cuda?: { ordinal: number; name: string | null } | null;
  [fact: string]: unknown;
}

export interface MachineInfo {
  numa_nodes: { os_index: number; memory_bytes: number; cpu_count: number }[];
  gpus: GpuInfo[];
  accelerators?: GpuInfo[];
  nics: NicInfo[];
  other_rdma_devices?: string[];
  flat?: boolean;
  shows_pci?: boolean;
  [fact: string]: unknown;
}

// run.json; a run that did not finish may have only the machine.
export interface RunInfo {
  start?: string | null;
  end?: string | null;
  exit_status?: number | null;
  scenario?: string | null;
  command_line?: string[];
  versions?: Record<string, string>;
  machine: MachineInfo;
  thresholds?: { name: string; value: number; reason: string | null }[];
  notes?: string[];
  peer?: Record<string, unknown> | null;
  buffers?: Record<string, Value | boolean>[];
  [fact: string]: unknown;
}

export interface PageData {
  kind: 'run';
  generator: string;
  run: Identity;
  info: RunInfo | null;
  judged: string; // the decision that was judged for this page; empty: the run's own verdicts
  how_to_judge: string; // a command; empty: the page has verdicts, or can have none
  files: FileNote[];
  tables: Record<string, TableData>;
}

// A report file, read by row and column name. A column that the file lacks is null everywhere.
export class Table {
  constructor(private readonly data: TableData) {}

  get rows(): number {
    return this.data.rows;
  }

  // Names of the columns that hold anything.
  get names(): string[] {
    return Object.entries(this.data.columns)
      .filter(([, column]) => !('all' in column) || column.all !== null)
      .map(([name]) => name);
  }

  at(name: string, row: number): Value {
    const column = this.data.columns[name];
    if (!column) return null;
    if ('all' in column) return column.all;
    if ('numbers' in column) return column.numbers[row] ?? null;
    const index = column.index[row];
    return index === null || index === undefined ? null : column.texts[index];
  }

  text(name: string, row: number): string {
    const value = this.at(name, row);
    return value === null ? '' : String(value);
  }

  number(name: string, row: number): number | null {
    const value = this.at(name, row);
    return typeof value === 'number' ? value : null;
  }

  // The members of a list, which are joined by ';'.
  list(name: string, row: number): string[] {
    const text = this.text(name, row);
    return text === '' ? [] : text.split(';');
  }
}

export function tableOf(data: PageData, name: string): Table {
  return new Table(data.tables[name] ?? { rows: 0, columns: {} });
}
