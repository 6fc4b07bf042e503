// The tables of a fleet: every slot, what was not measured, the groups with their noise, and the facts.

import { h, type Child } from './dom.ts';
import type { Value } from './data.ts';
import type { ShowSlot } from './fleet_findings.ts';
import type { Fleet, Group } from './fleet_model.ts';
import { FLEET_ORDER, fleetWords, nicName, placeName } from './fleet_words.ts';
import { dataTable, type ColumnSpec } from './table.ts';
import { badge } from './finding_item.ts';
import { bytes, counted, number, percent, present, shortAddress } from './words.ts';

// Of every slot what a reader looks for first; all columns are in the table below it.
export function slotTable(fleet: Fleet, show: ShowSlot): HTMLElement {
  const { rows } = fleet;
  const text = (column: string) => (row: number) => rows.text(column, row);
  const deviation = (part: string): ColumnSpec<number> => ({
    title: `as ${part}, %`,
    numeric: true,
    value: (row) => rows.number(`${part}_deviation_fraction`, row),
    show: (row) => {
      const value = rows.number(`${part}_deviation_fraction`, row);
      return value === null ? '' : (100 * (1 + value)).toFixed(1);
    },
  });
  const z = (part: string): ColumnSpec<number> => ({
    title: 'z',
    numeric: true,
    value: (row) => rows.number(`${part}_z`, row),
    show: (row) => {
      const value = rows.number(`${part}_z`, row);
      return value === null ? '' : number(value, 3);
    },
  });
  return dataTable({
    caption:
      `${fleet.data.complete ? 'Every NIC slot of every machine' : 'Every NIC slot with a finding'}: ` +
      '% of the median of its slot, and times as fast as a healthy machine in paired rounds',
    rows: Array.from({ length: rows.rows }, (_, row) => row),
    columns: [
      {
        title: 'verdict',
        // Sorted by how bad it is, and not by its letters.
        value: (row) => `${FLEET_ORDER.indexOf(rows.text('verdict', row))} ${rows.text('verdict', row)}`,
        show: (row) => badge(rows.text('verdict', row), fleetWords(rows.text('verdict', row))),
      },
      { title: 'machine', value: text('node') },
      {
        title: 'NIC',
        value: (row) => `${rows.text('nic_pci_address', row)} ${rows.text('nic_name', row)}`,
        show: (row) => slotButton(row, fleet, show),
      },
      { title: 'cause', value: text('cause') },
      deviation('initiator'),
      z('initiator'),
      { title: 'with', value: text('initiator_peer') },
      deviation('target'),
      z('target'),
      { title: 'with', value: text('target_peer') },
      {
        title: 'paired, ×',
        numeric: true,
        value: (row) => rows.number('confirm_ratio', row),
        show: (row) => rows.number('confirm_ratio', row)?.toFixed(3) ?? '',
      },
      { title: 'why', value: text('reason') },
    ],
  });
}

function slotButton(row: number, fleet: Fleet, show: ShowSlot): Child {
  const slot = fleet.rows.text('nic_pci_address', row);
  if (!slot) return 'all';
  return h(
    'button',
    { type: 'button', class: 'link', click: () => show(fleet.cell(fleet.rows.text('node', row), slot)) },
    nicName(slot, fleet.rows.text('nic_name', row)),
  );
}

// fleet.csv as it is, drawn when it is opened.
export function fleetFile(fleet: Fleet): HTMLElement {
  const { rows } = fleet;
  const details = h(
    'details',
    { class: 'file', id: 'file-fleet' },
    h('summary', {}, h('b', {}, 'fleet.csv'), ` ${counted(rows.rows, 'row')} with all columns`),
  );
  details.addEventListener('toggle', () => {
    if (details.childElementCount > 1) return;
    const columns = rows.names.map((name): ColumnSpec<number> => {
      const { title, show, numeric } = present(name);
      const value = (row: number): Value => rows.at(name, row);
      return {
        title,
        numeric,
        value,
        show: (row) => {
          const field = value(row);
          return field === null ? '' : show(field);
        },
      };
    });
    const all = Array.from({ length: rows.rows }, (_, row) => row);
    details.append(dataTable({ caption: 'fleet.csv', columns, rows: all }));
  });
  return details;
}

export function unmeasuredTable(fleet: Fleet): Child {
  const { pairs, left_out: leftOut } = fleet.data.unmeasured;
  const machines = Array.from({ length: fleet.rows.rows }, (_, row) => row).filter(
    (row) => fleet.rows.text('verdict', row) === 'UNMEASURED',
  );
  // Of a machine as a whole: what a run of it that does not count is refused for.
  const whyOf = (node: string): string => {
    const whole = machines.find(
      (row) => fleet.rows.text('node', row) === node && !fleet.rows.text('nic_pci_address', row),
    );
    return whole === undefined ? '' : fleet.rows.text('reason', whole);
  };
  if (pairs.length === 0 && machines.length === 0) return h('p', {}, 'All that was planned was measured.');
  return [
    machines.length > 0 && [
      h('h3', {}, `${counted(machines.length, 'row')} UNMEASURED`),
      dataTable({
        caption: 'Machines and NICs that were not measured',
        rows: machines,
        columns: [
          { title: 'machine', value: (row) => fleet.rows.text('node', row) },
          {
            title: 'NIC',
            value: (row) => fleet.rows.text('nic_pci_address', row),
            show: (row) => shortAddress(fleet.rows.text('nic_pci_address', row)) || 'all',
          },
          { title: 'why', value: (row) => fleet.rows.text('reason', row) },
        ],
      }),
    ],
    pairs.length > 0 && [
      h('h3', {}, `${counted(pairs.length + leftOut, 'pair')} of the plan without a run`),
      dataTable({
        caption: 'Pairs that were planned and not measured',
        rows: pairs,
        columns: [
          { title: 'initiator', value: ([initiator]) => initiator },
          { title: 'target', value: ([, target]) => target },
          {
            title: 'why',
            value: ([initiator, , why]) => why || whyOf(initiator) || 'no attempt left a message: see logs/',
          },
        ],
      }),
      leftOut > 0 && h('p', { class: 'small' }, `${leftOut} more are not in this page.`),
    ],
  ];
}

function noise(fleet: Fleet): Child {
  const { gates, noise: types } = fleet.data;
  // As the judge counts z: the spread of a normal distribution with this median deviation.
  const deviation = (mad: number): number => Math.max(1.4826 * mad, gates.spread_floor);
  return dataTable({
    caption: 'Slots of a type among themselves: the spread in which z is counted',
    rows: types,
    columns: [
      { title: 'instance type', value: ([type]) => type },
      { title: 'slots of runs', numeric: true, value: ([, standings]) => standings },
      {
        title: 'median, %',
        numeric: true,
        value: ([, , median]) => median,
        show: ([, , m]) => (100 * (1 + m)).toFixed(2),
      },
      {
        title: 'one deviation, %',
        numeric: true,
        value: ([, , , mad]) => deviation(mad),
        show: ([, , , mad]) => (100 * deviation(mad)).toFixed(2),
      },
    ],
  });
}

export function groupTable(fleet: Fleet, choose: (group: Group) => void): Child {
  const share = (title: string, of: (group: Group) => number): ColumnSpec<Group> => ({
    title,
    numeric: true,
    value: of,
    show: (group) => (of(group) * 100).toFixed(2),
  });
  const left = fleet.data.group_count - fleet.groups.length;
  return [
    gateList(fleet),
    noise(fleet),
    h(
      'details',
      { id: 'file-groups' },
      h('summary', {}, `${counted(fleet.groups.length, 'group')}, each with its median and spread`),
      left > 0 && h('p', { class: 'small' }, `${left} more groups are not in this page.`),
      dataTable({
        caption: 'Groups: one NIC slot, operation, direction, class of place and size',
        rows: [...fleet.groups],
        columns: [
          ...(fleet.types.length > 1 ? [{ title: 'type', value: (group: Group) => group.type }] : []),
          {
            title: 'slot',
            value: ({ slot }) => slot,
            show: (group) =>
              h('button', { type: 'button', class: 'link', click: () => choose(group) }, shortAddress(group.slot)),
          },
          { title: 'transfer', value: ({ operation, direction }) => `${operation.toUpperCase()} ${direction}` },
          { title: 'place', value: ({ place }) => placeName(place) },
          { title: 'size', numeric: true, value: ({ size }) => size, show: ({ size }) => bytes(size) },
          { title: 'runs', numeric: true, value: ({ machines }) => machines },
          {
            title: 'median, GB/s',
            numeric: true,
            value: ({ median }) => median,
            show: ({ median }) => (median / 1e9).toPrecision(4),
          },
          share('median deviation, %', ({ spread }) => spread),
          share('lowest, % of median', ({ lowest }) => lowest),
          share('highest, %', ({ highest }) => highest),
        ],
      }),
    ),
  ];
}

function gateList(fleet: Fleet): Child {
  const { gates, confirm_rounds: rounds } = fleet.data;
  const rows: [string, string][] = [
    [
      'Stands out',
      `more than ${percent(gates.differs)} below the others, and adjusted p of ${gates.false_discovery} at most`,
    ],
    ['Least spread assumed', percent(gates.spread_floor, 1)],
    ['Least machines of a type', String(gates.min_members)],
    ['Slow with another peer, too', `at ${percent(gates.shared_blame)} of the deviation or more`],
    ['The machine, and not its NICs', `from ${percent(gates.machine_share)} of its slots`],
    ['SLOW', `and slower by more than ${percent(gates.differs)}, for certain, in up to ${rounds} paired rounds`],
  ];
  return h(
    'dl',
    { class: 'facts' },
    rows.map(([name, value]) =>
      h('div', { class: value.length > 40 ? 'wide' : null }, h('dt', {}, name), h('dd', {}, value)),
    ),
  );
}

function utc(time: string): string {
  return time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
}

export function fleetFacts(fleet: Fleet): Child {
  const { data } = fleet;
  const { facts } = data;
  const rows: [string, string][] = [
    ['fleet', data.name],
    ['measured', facts.first_start && `${utc(facts.first_start)} to ${utc(facts.last_end)}`],
    ['plan', `a ring of ${counted(data.machines, 'machine')} in ${counted(data.rounds, 'round')} of disjoint pairs`],
    ['check', data.check_flags.join(' ')],
    [
      'runs read for what follows',
      facts.read < data.run_count ? `${facts.read} of ${data.run_count}` : String(facts.read),
    ],
  ];
  return [
    h(
      'dl',
      { class: 'facts' },
      rows
        .filter(([, value]) => value)
        .map(([name, value]) => h('div', { class: 'wide' }, h('dt', {}, name), h('dd', {}, value))),
    ),
    facts.list.length > 0 &&
      dataTable({
        caption: 'What the runs say of the machines',
        filter: false,
        rows: facts.list.flatMap(({ name, values, distinct }) =>
          values.map(([value, machines, names]) => ({ name, value, machines, names, distinct })),
        ),
        columns: [
          { title: 'what', value: ({ name }) => name.replaceAll('_', ' ') },
          { title: 'is', value: ({ value }) => value },
          { title: 'machines', numeric: true, value: ({ machines }) => machines },
          {
            title: 'which',
            value: ({ machines, names, distinct }) =>
              distinct === 1 ? 'all that say' : names.join(', ') + (machines > names.length ? ', …' : ''),
          },
        ],
      }),
  ];
}
