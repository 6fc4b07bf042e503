// The page of one run: its parts, put together around one state.

import { counted } from './words.ts';
import { watchBar } from './bar.ts';
import { DISTURBED, inUnit, PARTNER, unitFor } from './cell_words.ts';
import { detailPanel } from './detail.ts';
import { announce, choice, h, replace, type Child } from './dom.ts';
import type { PageData } from './data.ts';
import { fileTables, machineFacts } from './facts.ts';
import { HeatMap } from './heatmap.ts';
import { Run, type Cell } from './model.ts';
import { outlierList } from './outliers.ts';
import { CLASS_SHADES, SHARE_SHADES, Shares, type Shade } from './shade.ts';
import { State, type Metric } from './state.ts';
import { themeButton } from './theme.ts';
import { Tooltip } from './tooltip.ts';
import { Topology } from './topology.ts';
import { decisionList, findingList, groupList, judgedBy, noteList, verdictCounts } from './verdicts.ts';

const SECTIONS: [string, string][] = [
  ['found', 'What was found'],
  ['topology', 'Topology'],
  ['map', 'Heat map'],
  ['files', 'Tables'],
  ['machine', 'Machine'],
];

function header(run: Run): Child {
  const { run: identity, info } = run.data;
  const emulated = identity.platform === 'emulated';
  const sizes = [
    counted(run.nics.length, 'EFA NIC'),
    counted(run.places.filter((place) => place.kind === 'gpu').length, 'GPU'),
    counted(run.places.filter((place) => place.kind === 'host').length, 'NUMA node'),
  ];
  return [
    h(
      'div',
      { class: 'title' },
      h('h1', {}, identity.instance_type || 'unknown instance type', ' ', platform(identity.platform)),
      themeButton(),
    ),
    h(
      'p',
      { class: 'subtitle' },
      `${sizes.join(', ')}. Run ${identity.run_id || 'without an id'} on ${hostOf(run)}${when(info?.start)}.`,
    ),
    emulated &&
      h(
        'p',
        { class: 'emulated-note' },
        h('b', {}, 'emulated: '),
        'this machine is a scenario. Its interconnect ids are synthetic and its capacities mostly assumed; they say nothing about EFA hardware.',
      ),
    h(
      'nav',
      { 'aria-label': 'Parts of the report', class: 'no-print' },
      SECTIONS.map(([id, title]) => h('a', { href: `#${id}` }, title)),
    ),
  ];
}

function platform(word: string): Child {
  return word ? h('span', { class: `platform platform-${word === 'emulated' ? 'emulated' : 'other'}` }, word) : null;
}

function hostOf(run: Run): string {
  const { host, instance_id: id } = run.data.run;
  return id ? `${host || 'an unnamed host'} (${id})` : host || 'an unnamed host';
}

function when(start: string | null | undefined): string {
  return start ? `, ${start.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}` : '';
}

function section(id: string, ...children: Child[]): HTMLElement {
  const title = SECTIONS.find(([key]) => key === id)?.[1] ?? id;
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), children);
}

function controls(state: State, shares: Shares): HTMLElement {
  const bar = h('div', { class: 'controls no-print' });
  state.subscribe(() => {
    const focused = bar.contains(document.activeElement)
      ? [...bar.querySelectorAll('select')].indexOf(document.activeElement as HTMLSelectElement)
      : -1;
    replace(
      bar,
      choice(
        'Operation and direction',
        state.run.views.map((view) => ({ value: view.key, text: view.label })),
        state.view,
        (view) => state.update({ view, selected: matching(state, view), compared: null }),
      ),
      choice(
        'Shown',
        [
          { value: 'rate', text: 'Throughput' },
          { value: 'share', text: `Share of ${shares.reference}` },
          { value: 'class', text: 'Against equal cells' },
        ],
        state.metric,
        (metric) => state.update({ metric: metric as Metric }),
      ),
    );
    if (focused >= 0) bar.querySelectorAll('select')[focused]?.focus();
  });
  return bar;
}

// The cell of the same NIC and place in another view.
function matching(state: State, view: string): Cell | null {
  const { selected, run } = state;
  return selected ? (run.cell(view, selected.nic, selected.place) ?? null) : null;
}

// "12.5 GB/s, the line rate"; where NICs differ, from which rate to which.
function fullRate(view: string, shares: Shares): string {
  const unit = unitFor(shares.topOf(view));
  const [low, high] = [inUnit(shares.bottomOf(view), unit), inUnit(shares.topOf(view), unit)];
  return `${low === high ? '' : `${low} to `}${high} ${unit.name}, ${shares.reference}`;
}

function legend(state: State, shares: Shares): HTMLElement {
  const element = h('div', { class: 'legend', 'aria-hidden': 'true' });
  const key = (shade: Shade): Child => h('span', { class: `key shade-${shade.name}` }, shade.meaning);
  const cells = [...state.run.cells.values()];
  const anyDisturbed = cells.some((cell) => cell.disturbed);
  const anyOfPartner = cells.some((cell) => cell.ofPartner);
  state.subscribe(({ metric, view }) => {
    const isClass = metric === 'class';
    replace(
      element,
      isClass ? 'of the median of cells that should be equally fast: ' : `100 % is ${fullRate(view, shares)}: `,
      (isClass ? CLASS_SHADES : SHARE_SHADES).map(key),
      h('span', {}, h('sup', { class: 'id-mark' }, 'a'), ' interconnect id: equal letter = equal id within one NIC'),
      h('span', {}, '– not measured'),
      h(
        'span',
        {},
        h('span', { class: 'bad-mark' }, '▼'),
        ' slow, ',
        h('span', { class: 'bad-mark' }, '⚠'),
        ' invalid',
      ),
      anyOfPartner &&
        h('span', {}, h('span', { class: 'bad-mark' }, PARTNER), ' its partner is slow, or one of the two'),
      anyDisturbed &&
        h(
          'span',
          {},
          h('span', { class: 'bad-mark' }, DISTURBED),
          ' disturbed: the measuring thread was kept from its CPU in every window',
        ),
    );
  });
  return element;
}

function heatMap(
  state: State,
  shares: Shares,
  tooltip: Tooltip,
): { element: HTMLElement; focus: (key: string) => void } {
  const element = h('div', { class: 'scroll heat-scroll', id: 'heat' });
  let map: HeatMap | null = null;
  let drawn = '';
  state.subscribe(({ view, metric, selected }) => {
    // A selection in the same view moves the mark only, so that focus and tooltip stay.
    const what = `${view} ${metric}`;
    if (map && what === drawn) {
      for (const box of element.querySelectorAll<HTMLElement>('[data-cell]')) {
        box.setAttribute('aria-selected', String(box.dataset.cell === selected?.key));
      }
      return;
    }
    drawn = what;
    map = new HeatMap(state.run, shares, { view, metric, selected, tooltip, open: (cell) => state.select(cell) });
    replace(element, map.element);
  });
  return { element, focus: (key) => map?.focus(key) };
}

// On paper there is no selector: every view is printed.
function paperMaps(run: Run, shares: Shares): HTMLElement {
  const element = h('div', { class: 'paper-only', 'aria-hidden': 'true' });
  const draw = (): void => {
    if (element.childElementCount > 0) return;
    for (const view of run.views.slice(0, 8)) {
      element.append(new HeatMap(run, shares, { view: view.key, metric: 'rate' }).element);
    }
  };
  window.addEventListener('beforeprint', draw);
  window.matchMedia('print').addEventListener('change', draw);
  return element;
}

export function runPage(data: PageData): Child {
  const run = new Run(data);
  document.title = `${data.run.instance_type || 'railgauge'} ${data.run.run_id} (${data.run.platform})`;
  const shares = new Shares(run);
  const state = new State(run);
  const tooltip = new Tooltip(run, shares);
  const map = heatMap(state, shares, tooltip);
  const back = (cell: Cell): void => map.focus(cell.key);
  const panel = detailPanel(state, shares, back);
  const show = (cell: Cell, compared: Cell | null): void => {
    state.select(cell, compared);
    announce('The evidence is shown');
    const title = document.getElementById('cell-title');
    title?.scrollIntoView({ block: 'start' });
    title?.focus({ preventScroll: true });
  };
  const measured = run.views.length > 0;
  return [
    h('header', {}, header(run)),
    h(
      'main',
      { id: 'main' },
      section(
        'found',
        run.decisions.length > 0 && verdictCounts(run.decisions),
        judgedBy(run),
        decisionList(run, show),
        outlierList(run, shares, show),
        groupList(run),
        findingList(run, show),
        noteList(run),
      ),
      measured && watchBar(h('div', { class: 'looking' }, controls(state, shares), legend(state, shares))),
      section('topology', new Topology(state, shares, tooltip).element),
      section(
        'map',
        measured
          ? [h('div', { class: 'map-and-cell' }, map.element, panel), paperMaps(run, shares)]
          : h('p', {}, 'Nothing was measured.'),
      ),
      section(
        'files',
        h('p', { class: 'paper-only' }, 'Of the CSV files, those that were open are printed.'),
        fileTables(run),
      ),
      section('machine', machineFacts(run.data)),
      tooltip.element,
    ),
    h('footer', {}, h('p', {}, `Made by ${run.data.generator}.`)),
  ];
}
