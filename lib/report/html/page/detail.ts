// The details of one cell: its verdict, the windows that it rests on, and where it stands among its
// like. What the reader comes for who asks "how do you know?".

import { DISTURBED, disturbance, figure, inUnit, isBad, nameOfCell, unitFor } from './cell_words.ts';
import { classChart, windowsChart } from './charts.ts';
import { command, h, replace, type Child } from './dom.ts';
import { isDisturbed, isEvidence, type Cell, type Run } from './model.ts';
import type { Shares } from './shade.ts';
import type { State } from './state.ts';
import { dataTable } from './table.ts';
import { badge } from './finding_item.ts';
import { counted, dimension, duration, number, percent, rate, RELATIONS, shellWord } from './words.ts';

export function detailPanel(state: State, shares: Shares, back: (cell: Cell) => void): HTMLElement {
  const panel = h('section', { class: 'detail', id: 'cell', 'aria-labelledby': 'cell-title' });
  state.subscribe(({ selected, compared }) => {
    panel.classList.toggle('no-print', !selected);
    replace(panel, selected ? detail(selected, compared, state, shares, back) : hint());
  });
  return panel;
}

function hint(): Child {
  return [
    h('h3', { id: 'cell-title', tabindex: -1 }, 'One cell'),
    h('p', {}, 'Choose a cell of the map, or “Show the evidence” of a verdict: its windows appear here.'),
  ];
}

function detail(cell: Cell, compared: Cell | null, state: State, shares: Shares, back: (cell: Cell) => void): Child {
  const { run } = state;
  return [
    h(
      'h3',
      { id: 'cell-title', tabindex: -1 },
      h('span', { class: 'kicker' }, `${run.viewOf(cell.view)?.label ?? dimension(cell.operation, cell.direction)}`),
      nameOfCell(cell, run),
    ),
    h('button', { type: 'button', class: 'back no-print', click: () => back(cell) }, '↑ Back to the map'),
    cell.verdict && h('p', {}, badge(cell.verdict), ' ', cell.reason),
    windows(cell, compared, run, shares),
    classFigure(cell, run, shares),
    facts(cell, run, shares),
    siblings(cell, state, shares),
    samplesTable(cell, run),
    h('p', { class: 'small' }, 'All of it in words, in the run’s folder: ', command(explainCommand(cell))),
  ];
}

function windows(cell: Cell, compared: Cell | null, run: Run, shares: Shares): Child {
  const chart = windowsChart(cell, compared, run, shares);
  if (!chart) return h('p', {}, 'Nothing was measured here.');
  const legend = [
    '● window',
    `○ ${DISTURBED} disturbed: the thread was kept from its CPU`,
    '× no evidence',
    '─ median',
  ];
  if (cell.low !== null) legend.push(`▒ ${percent(cell.confidence ?? 0, 1)} interval of the median`);
  if (compared) legend.push(`◇ ┄ ${run.nic(compared.nic).label}, measured in turns with it`);
  return h(
    'figure',
    {},
    h('figcaption', {}, compared ? `Its windows beside those of ${run.nic(compared.nic).label}` : 'Its windows'),
    chart,
    legendLine(legend),
  );
}

function legendLine(parts: string[]): Child {
  return h(
    'p',
    { class: 'legend-line' },
    parts.map((part) => h('span', {}, part)),
  );
}

function classFigure(cell: Cell, run: Run, shares: Shares): Child {
  const chart = classChart(cell, run, shares);
  const found = run.classOf(cell);
  if (!chart || !found) return null;
  const like = `${RELATIONS[cell.relation] ?? cell.relation}, ${run.place(cell.place).kind} memory`;
  return h(
    'figure',
    {},
    h('figcaption', {}, `Among ${counted(found.members.length, 'cell')} that should be equally fast (${like})`),
    chart,
    legendLine(['◆ this cell', '▮ all of them', '┊ their median']),
  );
}

function facts(cell: Cell, run: Run, shares: Shares): Child {
  const rows: [string, string][] = [];
  if (cell.median !== null) rows.push([run.summarised ? 'Median' : 'Median (computed here)', rate(cell.median)]);
  if (cell.low !== null && cell.high !== null) {
    rows.push(['Interval', `${rate(cell.low)} to ${rate(cell.high)} (${percent(cell.confidence ?? 0, 1)})`]);
  }
  if (cell.mad !== null && cell.median) rows.push(['Median deviation', percent(cell.mad / cell.median, 2)]);
  const share = shares.of(cell);
  if (share !== null) {
    // lib/measure/proof.h says how much of it is possible.
    const above = shares.known && share > 1.005 ? '; what was in flight when a window opened counts in it, too' : '';
    rows.push(['Share', `${percent(share, 1)} of ${shares.reference}${above}`]);
  }
  const ratio = run.classRatio(cell);
  if (ratio !== null) rows.push(['Of its class', `${percent(ratio, 1)} of the median`]);
  if (cell.z !== null) rows.push(['Robust z', number(cell.z, 3)]);
  if (cell.pValue !== null) rows.push(['Adjusted p', number(cell.pValue, 2)]);
  const disturbed = disturbance(cell, run);
  if (disturbed) rows.push([`${DISTURBED} Disturbed`, disturbed]);
  if (cell.findings.length > 0) rows.push(['Findings', cell.findings.join(', ').replaceAll('_', ' ')]);
  const letter = run.letterOf(cell);
  const synthetic = run.data.run.platform === 'emulated' ? ', synthetic' : '';
  if (letter) rows.push(['Interconnect id', `${letter} (${cell.id}${synthetic}; means only equal or different)`]);
  else if (cell.direction === 'from_memory') rows.push(['Interconnect id', 'none describes this direction']);
  const census = run.censusRow(cell.nic, cell.place);
  rows.push(['Relation', RELATIONS[cell.relation] ?? cell.relation]);
  if (census !== null) rows.push(['Path', run.census.text('pci_path', census)]);
  return h(
    'dl',
    { class: 'facts' },
    rows
      .filter(([, value]) => value !== '')
      .map(([name, value]) =>
        h('div', { class: name === 'Path' ? 'wide' : null }, h('dt', {}, name), h('dd', {}, value)),
      ),
  );
}

function explainCommand(cell: Cell): string {
  return `railgauge explain . ${shellWord(cell.place)} ${shellWord(cell.nic)}`;
}

// The other operations and directions of the same pair.
function siblings(cell: Cell, state: State, shares: Shares): Child {
  const { run } = state;
  const all = run.siblings(cell);
  if (all.length < 2) return null;
  return h(
    'div',
    { class: 'siblings no-print', role: 'group', 'aria-label': 'The same NIC and place, measured in every way' },
    all.map((sibling) => {
      const unit = unitFor(shares.topOf(sibling.view));
      const value = figure(sibling, 'rate', unit, run, shares);
      return h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(sibling === cell),
          class: isBad(sibling) ? 'bad' : null,
          click: () => state.select(sibling),
        },
        h('span', {}, run.viewOf(sibling.view)?.label ?? ''),
        h('b', {}, sibling.median === null ? 'not measured' : `${value} ${unit.name}`),
      );
    }),
  );
}

function samplesTable(cell: Cell, run: Run): Child {
  const { samples } = run;
  if (cell.samples.length === 0) return null;
  const unit = unitFor(
    Math.max(0, ...cell.samples.map((row) => samples.number('throughput_bytes_per_second', row) ?? 0)),
  );
  const partner = (row: number): string =>
    samples.text('partner_name', row) || samples.text('partner_pci_address', row);
  const start = (row: number): number | null => samples.number('start_offset_ns', row);
  const throughput = (row: number): number | null => samples.number('throughput_bytes_per_second', row);
  return dataTable({
    caption: `Windows of ${nameOfCell(cell, run)}`,
    rows: cell.samples,
    columns: [
      { title: 'start', numeric: true, value: start, show: (row) => duration(start(row) ?? 0) },
      { title: 'round', numeric: true, value: (row) => samples.number('round', row) },
      {
        title: unit.name,
        numeric: true,
        value: throughput,
        show: (row) => (throughput(row) === null ? '' : inUnit(throughput(row) ?? 0, unit)),
      },
      { title: 'status', value: (row) => samples.text('status', row), show: (row) => status(row, run) },
      { title: 'partner', value: partner },
      { title: 'reason', value: (row) => samples.text('reason', row) },
    ],
  });
}

function status(row: number, run: Run): string {
  const word = run.samples.text('status', row).replaceAll('_', ' ');
  const disturbed = isDisturbed(run.samples, row);
  return `${isEvidence(run.samples, row) ? '' : '× '}${word}${disturbed ? `, ${DISTURBED} disturbed` : ''}`;
}
