// The page of a fleet: its parts, put together around one state.

import { watchBar } from './bar.ts';
import { announce, choice, h, replace, type Child } from './dom.ts';
import { distributionChart } from './fleet_charts.ts';
import type { FleetData } from './fleet_data.ts';
import { DISTRIBUTION_LEGEND, legendLine, slotPanel } from './fleet_detail.ts';
import { answer, findingItems, fleetCounts } from './fleet_findings.ts';
import { cellKeyOf, FleetMap } from './fleet_map.ts';
import { Fleet, FleetState, type Filters, type Group, type SlotCell } from './fleet_model.ts';
import { fleetFacts, fleetFile, groupTable, slotTable, unmeasuredTable } from './fleet_tables.ts';
import { nicName, placeName } from './fleet_words.ts';
import { HoverCard } from './hover.ts';
import { CLASS_SHADES } from './shade.ts';
import { themeButton } from './theme.ts';
import { bytes, counted, number } from './words.ts';

const SECTIONS: [string, string][] = [
  ['found', 'What was found'],
  ['map', 'Heat map'],
  ['distribution', 'Distribution'],
  ['unmeasured', 'Not measured'],
  ['slots', 'NIC slots'],
  ['noise', 'Noise and gates'],
  ['facts', 'Machines and plan'],
];

const WIDE = 860; // pixels of a chart by itself
const MANY = 60; // rows; on paper the file serves better

function section(id: string, ...children: Child[]): HTMLElement {
  const title = SECTIONS.find(([key]) => key === id)?.[1] ?? id;
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), children);
}

function header(fleet: Fleet): Child {
  const { data } = fleet;
  const sizes = [
    counted(data.row_count - machinesWithoutRows(fleet), 'NIC slot'),
    counted(data.run_count, 'run'),
    counted(data.windows, 'window'),
  ];
  const when = data.facts.first_start ? `, ${data.facts.first_start.slice(0, 10)}` : '';
  const emulated = data.platform === 'emulated';
  return [
    h(
      'div',
      { class: 'title' },
      h(
        'h1',
        {},
        `Fleet of ${counted(data.machines, 'machine')} `,
        data.platform && h('span', { class: `platform platform-${emulated ? 'emulated' : 'other'}` }, data.platform),
      ),
      themeButton(),
    ),
    h('p', { class: 'subtitle' }, `${data.name}${when}: ${fleet.types.join(', ')}. ${sizes.join(', ')}.`),
    emulated &&
      h(
        'p',
        { class: 'emulated-note' },
        h('b', {}, 'emulated: '),
        'these machines are scenarios, and their capacities mostly assumed; they say nothing about EFA hardware.',
      ),
    !data.complete &&
      h(
        'p',
        { class: 'emulated-note' },
        `This fleet is too large for a page with every machine: it has the machines with a finding, and of all others their number and distribution. ` +
          `${fleet.rows.rows} of ${data.row_count} rows of fleet.csv are here.`,
      ),
    h(
      'nav',
      { 'aria-label': 'Parts of the report', class: 'no-print' },
      SECTIONS.map(([id, title]) => h('a', { href: `#${id}` }, title)),
    ),
  ];
}

// Rows of machines as a whole, which were not measured.
function machinesWithoutRows(fleet: Fleet): number {
  return Array.from({ length: fleet.rows.rows }, (_, row) => row).filter(
    (row) => fleet.rows.text('nic_pci_address', row) === '',
  ).length;
}

function options(any: string, values: string[], show: (value: string) => string): { value: string; text: string }[] {
  return [{ value: '', text: any }, ...values.map((value) => ({ value, text: show(value) }))];
}

function controls(state: FleetState): HTMLElement {
  const bar = h('div', { class: 'controls no-print' });
  const { fleet } = state;
  const set =
    (name: keyof Filters) =>
    (value: string): void =>
      state.filter({ [name]: value });
  state.subscribe(({ filters }) => {
    const focused = bar.contains(document.activeElement)
      ? [...bar.querySelectorAll('select')].indexOf(document.activeElement as HTMLSelectElement)
      : -1;
    const groups = fleet.groups.filter((group) => group.type === filters.type);
    const all = (of: (group: Group) => string): string[] => [...new Set(groups.map(of))].sort();
    const sizes = [...new Set(groups.map((group) => group.size))].sort((a, b) => a - b).map(String);
    const typeOptions = fleet.types.map((type) => ({ value: type, text: type }));
    const operations = options(
      'any',
      all((group) => group.operation),
      (value) => value.toUpperCase(),
    );
    const places = options(
      'any',
      all((group) => group.place),
      placeName,
    );
    replace(
      bar,
      fleet.types.length > 1 && choice('Type', typeOptions, filters.type, set('type')),
      choice('Operation', operations, filters.operation, set('operation')),
      choice(
        'Direction',
        options(
          'any',
          all((group) => group.direction),
          String,
        ),
        filters.direction,
        set('direction'),
      ),
      choice('Memory', places, filters.place, set('place')),
      sizes.length > 1 &&
        choice(
          'Size',
          options('any', sizes, (value) => bytes(Number(value))),
          filters.size,
          set('size'),
        ),
      choice(
        'Measured as',
        [
          { value: 'initiator', text: 'the initiator' },
          { value: 'target', text: 'the target' },
        ],
        filters.part,
        set('part'),
      ),
      choice(
        'Shown',
        [
          { value: 'worst', text: 'its worst group' },
          { value: 'median', text: 'the median of its groups' },
        ],
        filters.metric,
        set('metric'),
      ),
    );
    if (focused >= 0) bar.querySelectorAll('select')[focused]?.focus();
  });
  return bar;
}

function legend(): HTMLElement {
  return h(
    'div',
    { class: 'legend', 'aria-hidden': 'true' },
    'of the slot’s median: ',
    CLASS_SHADES.map(({ name, meaning }) =>
      h('span', { class: `key shade-${name}` }, name === 'class-even' ? `${meaning} or noise` : meaning),
    ),
    [
      ['▼', ' SLOW'],
      ['✗', ' MISSING'],
      ['?', ' SUSPECT'],
      ['–', ' UNMEASURED'],
      ['⇄', ' its peer is to blame'],
    ].map(([sign, meaning]) => h('span', {}, h('span', { class: 'bad-mark' }, sign), meaning)),
  );
}

function heatMap(state: FleetState, tooltip: HoverCard): { element: HTMLElement; focus: (key: string) => void } {
  const element = h('div', {});
  let map: FleetMap | null = null;
  let drawn: Filters | null = null;
  let all = false;
  const draw = (): void => {
    map = new FleetMap(state, {
      tooltip,
      all,
      showAll: () => {
        all = true;
        draw();
      },
    });
    replace(element, map.element);
  };
  state.subscribe(({ filters, selected }) => {
    // A selection alone moves the mark, so that focus and tooltip stay.
    const same = drawn && JSON.stringify(drawn) === JSON.stringify(filters);
    drawn = filters;
    if (!same) return draw();
    const key = selected ? cellKeyOf(selected) : '';
    for (const box of element.querySelectorAll<HTMLElement>('[data-cell]')) {
      box.setAttribute('aria-selected', String(box.dataset.cell === key));
    }
  });
  return { element, focus: (key) => map?.focus(key) };
}

function nameOfGroup(group: Group): string {
  return `${group.operation.toUpperCase()} ${group.direction}, ${placeName(group.place)}, ${bytes(group.size)}`;
}

function distribution(state: FleetState): HTMLElement {
  const { fleet } = state;
  const element = h('div', {});
  state.subscribe(({ group, selected, filters }) => {
    if (!group) return replace(element, h('p', {}, 'Nothing was measured.'));
    const focused = element.contains(document.activeElement)
      ? [...element.querySelectorAll('select')].indexOf(document.activeElement as HTMLSelectElement)
      : -1;
    const slots = fleet.slotsOf(group.type).map((slot) => ({ value: slot, text: nicName(slot, fleet.nameOf(slot)) }));
    const groups = fleet.groupsOf(group.type, group.slot);
    const toSlot = (slot: string): void => {
      const others = fleet.groupsOf(filters.type, slot);
      const like = others.find((other) => nameOfGroup(other) === nameOfGroup(group)) ?? others[0];
      if (like) state.choose(like);
    };
    const marked = selected?.slot === group.slot ? selected.node : null;
    replace(
      element,
      h(
        'div',
        { class: 'controls no-print' },
        choice('Slot', slots, group.slot, toSlot),
        choice(
          'Group',
          groups.map((one) => ({ value: String(one.row), text: nameOfGroup(one) })),
          String(group.row),
          (row) => state.choose(groups.find((one) => String(one.row) === row) ?? group),
        ),
      ),
      h(
        'figure',
        { class: 'wide-figure' },
        h('figcaption', {}, `${nicName(group.slot, fleet.nameOf(group.slot))}: ${nameOfGroup(group)}`),
        distributionChart(group, fleet, marked, WIDE),
        legendLine(DISTRIBUTION_LEGEND.map((part) => (part instanceof Node ? part.cloneNode(true) : part))),
        h(
          'p',
          { class: 'small' },
          `Median ${(group.median / 1e9).toPrecision(4)} GB/s, median deviation ${number(group.spread * 100, 2)} %, ` +
            `lowest ${number(group.lowest * 100, 3)} %, highest ${number(group.highest * 100, 3)} % of the median.`,
        ),
      ),
    );
    if (focused >= 0) element.querySelectorAll('select')[focused]?.focus();
  });
  return element;
}

function notes(fleet: Fleet): Child {
  if (fleet.data.notes.length === 0) return null;
  return [
    h('h3', {}, 'Notes of the report'),
    h(
      'ul',
      { class: 'notes' },
      fleet.data.notes.map((note) => h('li', {}, note)),
    ),
  ];
}

export function fleetPage(data: FleetData): Child {
  const fleet = new Fleet(data);
  document.title = `Fleet of ${counted(data.machines, 'machine')}: ${data.name} (${data.platform || 'unknown'})`;
  const state = new FleetState(fleet);
  const tooltip = new HoverCard('cell-tooltip');
  const map = heatMap(state, tooltip);
  const panel = slotPanel(state, (cell) => map.focus(cellKeyOf(cell)));
  const show = (cell: SlotCell): void => {
    state.select(cell);
    announce('The evidence is shown');
    const title = document.getElementById('cell-title');
    title?.scrollIntoView({ block: 'start' });
    title?.focus({ preventScroll: true });
  };
  const choose = (group: Group): void => {
    state.choose(group);
    document.getElementById('distribution')?.scrollIntoView({ block: 'start' });
  };
  const measured = fleet.runs.length > 0;
  const many = fleet.rows.rows > MANY;
  return [
    h('header', {}, header(fleet)),
    h(
      'main',
      { id: 'main' },
      section('found', answer(fleet), fleetCounts(fleet), findingItems(fleet, show), notes(fleet)),
      h(
        'div',
        {},
        measured && watchBar(h('div', { class: 'looking' }, controls(state), legend())),
        section(
          'map',
          measured
            ? h('div', { class: 'map-and-cell fleet-map' }, map.element, panel)
            : h('p', {}, 'No run of these machines is in this page.'),
        ),
      ),
      section('distribution', distribution(state)),
      section('unmeasured', unmeasuredTable(fleet)),
      section(
        'slots',
        many && h('p', { class: 'paper-only' }, 'All slots are in fleet.csv, which is beside this page.'),
        h('div', { class: many ? 'no-print' : null, id: 'slot-table' }, slotTable(fleet, show)),
        fleetFile(fleet),
      ),
      section('noise', groupTable(fleet, choose)),
      section('facts', fleetFacts(fleet)),
      tooltip.element,
    ),
    h('footer', {}, h('p', {}, `Made by ${data.generator}.`)),
  ];
}
