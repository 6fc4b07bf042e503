// Machine facts: run.json for people, and every report file as a table.

import { DISTURBED } from './cell_words.ts';
import { append, h, type Child } from './dom.ts';
import { tableOf, type PageData, type Value } from './data.ts';
import { isDisturbed, type Run } from './model.ts';
import { dataTable, type ColumnSpec } from './table.ts';
import { bytes, counted, number, present } from './words.ts';

const WIDE = ['command line', 'versions', 'peer', 'cuda attributes'];

function list(rows: [string, unknown][]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    rows
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) =>
        h('div', { class: WIDE.includes(name) ? 'wide' : null }, h('dt', {}, name), h('dd', {}, plain(name, value))),
      ),
  );
}

function plain(name: string, value: unknown): string {
  if (typeof value === 'number') return name.endsWith('bytes') ? bytes(value) : number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((item) => plain('', item)).join(', ');
  if (value !== null && typeof value === 'object') {
    return Object.entries(value)
      .map(([key, inner]) => `${key.replaceAll('_', ' ')}: ${plain(key, inner)}`)
      .join('; ');
  }
  return value === null ? '–' : String(value);
}

// { cuda: { name } } as { cuda_name }.
function flattened(object: Record<string, unknown>): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) flat[key] = value;
    else for (const [inner, part] of Object.entries(value)) flat[`${key}_${inner}`] = part;
  }
  return flat;
}

function shownOf(key: string, value: Value): string {
  return value === null ? '' : present(key).show(value);
}

const SHORT = 6;

// Objects as rows: their keys, in the order of the first that has them, are the columns. What is the
// same in all of them stands once, above.
function objectTable(caption: string, objects: Record<string, unknown>[]): Child {
  if (objects.length === 0) return null;
  objects = objects.map(flattened);
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))].filter((key) =>
    objects.some((object) => object[key] !== null && object[key] !== undefined),
  );
  const isSame = (key: string): boolean =>
    objects.length > 1 && objects.every((object) => JSON.stringify(object[key]) === JSON.stringify(objects[0][key]));
  const valueOf = (object: Record<string, unknown>, key: string): Value => {
    const value = object[key];
    return typeof value === 'number' || typeof value === 'string'
      ? value
      : value === null || value === undefined
        ? null
        : plain(key, value);
  };
  const table = dataTable({
    caption,
    rows: objects,
    columns: keys
      .filter((key) => !isSame(key))
      .map((key) => {
        const { title } = present(key);
        const numeric = objects.every((object) => object[key] === null || typeof object[key] === 'number');
        return {
          title,
          numeric,
          value: (object: Record<string, unknown>) => valueOf(object, key),
          show: (object: Record<string, unknown>) => {
            return shownOf(key, valueOf(object, key));
          },
        };
      }),
  });
  const same = keys
    .filter(isSame)
    .map((key): [string, unknown] => [present(key).title, shownOf(key, valueOf(objects[0], key))]);
  return h(
    'details',
    { 'data-print': true, open: objects.length <= SHORT },
    h('summary', {}, `${caption}: ${objects.length}`),
    same.length > 0 && [h('p', { class: 'small' }, 'The same for all:'), list(same)],
    table,
  );
}

export function machineFacts(data: PageData): Child {
  const { info, run } = data;
  if (!info) return h('p', {}, 'run.json is missing: the run did not finish, or the file was not kept.');
  const { machine } = info;
  const rest = Object.entries(machine).filter(([, value]) => typeof value !== 'object');
  return [
    list([
      ['run', run.run_id],
      ['platform', run.platform],
      ['scenario', info.scenario],
      ['start', info.start],
      ['end', info.end],
      ['exit status', info.exit_status],
      ['command line', (info.command_line ?? []).join(' ')],
      ...rest.map(([name, value]): [string, unknown] => [name.replaceAll('_', ' '), value]),
      ['versions', info.versions],
      ['peer', info.peer],
    ]),
    objectTable('NUMA nodes', machine.numa_nodes),
    objectTable('NICs', machine.nics),
    objectTable('GPUs', machine.gpus),
    objectTable('Other accelerators', machine.accelerators ?? []),
    objectTable('Memory measured with', info.buffers ?? []),
    objectTable('Thresholds of the verdicts', info.thresholds ?? []),
  ];
}

const FILES: [string, string][] = [
  ['placement', 'one consumer of the placement'],
  ['assignment', 'all consumers of the placement together'],
  ['findings', 'one finding'],
  ['groups', 'NICs that ran at once'],
  ['summary', 'one cell: NIC, place, operation, direction, size'],
  ['interconnects', 'NIC × field × id'],
  ['census', 'NIC × place × registration way'],
  ['samples', 'one measured window'],
];

// Every report file, drawn when it is opened.
export function fileTables(run: Run): Child {
  const known = FILES.map(([name]) => name);
  const others = Object.keys(run.data.tables).filter((name) => !known.includes(name));
  return [...FILES, ...others.map((name): [string, string] => [name, ''])].map(([name, meaning]) => {
    const table = tableOf(run.data, name);
    if (table.rows === 0) return null;
    const details = h(
      'details',
      { class: 'file', id: `file-${name}` },
      h('summary', {}, h('b', {}, `${name}.csv`), ` ${counted(table.rows, 'row')}${meaning ? `: ${meaning}` : ''}`),
    );
    details.addEventListener(
      'toggle',
      () => {
        if (details.childElementCount === 1) append(details, [fileTable(name, run)]);
      },
      { once: false },
    );
    return details;
  });
}

// What a row's measured rate is, in the files that have one.
const RATES = ['throughput_median_bytes_per_second', 'throughput_bytes_per_second'];

function fileTable(name: string, run: Run): Child {
  const table = tableOf(run.data, name);
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  const disturbed = new Set(
    rows.filter((row) => isDisturbed(table, row) || table.list('findings', row).includes('disturbed')),
  );
  const columns = table.names.map((column): ColumnSpec<number> => {
    const { title, show, numeric } = present(column);
    const isRate = RATES.includes(column);
    const value = (row: number): Value => table.at(column, row);
    return {
      title,
      numeric: numeric || table.number(column, 0) !== null,
      value,
      show: (row) => {
        const cell = value(row);
        const mark = isRate && disturbed.has(row) ? ` ${DISTURBED}` : '';
        return cell === null ? '' : show(cell).replaceAll(';', '; ') + mark;
      },
    };
  });
  return [
    disturbed.size > 0 && h('p', { class: 'small' }, `${DISTURBED} the measuring thread was kept from its CPU`),
    dataTable({ caption: `${name}.csv`, columns, rows }),
  ];
}
