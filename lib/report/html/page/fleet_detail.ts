// The details of a NIC slot of a machine: its verdict, where it stands among all machines, the paired
// rounds, and the runs that all of it rests on.

import { command, h, replace, type Child } from './dom.ts';
import { distributionChart, roundsChart } from './fleet_charts.ts';
import type { Suspicion } from './fleet_data.ts';
import type { Fleet, FleetRun, FleetState, Part, Reading, SlotCell } from './fleet_model.ts';
import { fleetWords, fromMedian, nicName, placeName, pValue } from './fleet_words.ts';
import { dataTable } from './table.ts';
import { badge } from './finding_item.ts';
import { bytes, counted, number, percent, shellWord } from './words.ts';

const NARROW = 430; // as the panel is, so that letters keep their size

export function slotPanel(state: FleetState, back: (cell: SlotCell) => void): HTMLElement {
  const panel = h('section', { class: 'detail', id: 'cell', 'aria-labelledby': 'cell-title' });
  let drawn: SlotCell | null | undefined;
  state.subscribe(({ selected }) => {
    if (selected === drawn) return;
    drawn = selected;
    panel.classList.toggle('no-print', !selected);
    replace(panel, selected ? detail(selected, state.fleet, back) : hint());
  });
  return panel;
}

function hint(): Child {
  return [
    h('h3', { id: 'cell-title', tabindex: -1 }, 'One NIC of one machine'),
    h('p', {}, 'Choose a cell of the map, or “Show the evidence” of a finding: what it rests on appears here.'),
  ];
}

function detail(cell: SlotCell, fleet: Fleet, back: (cell: SlotCell) => void): Child {
  const reason = fleet.text(cell, 'reason');
  const suspicion = fleet.suspicionOf(cell);
  return [
    h(
      'h3',
      { id: 'cell-title', tabindex: -1 },
      h('span', { class: 'kicker' }, [fleet.typeOf(cell.node), instanceOf(cell, fleet)].filter(Boolean).join(', ')),
      `${cell.node} ${nicName(cell.slot, fleet.nameOf(cell.slot))}`,
    ),
    h('button', { type: 'button', class: 'back no-print', click: () => back(cell) }, '↑ Back to the map'),
    cell.verdict && h('p', {}, badge(cell.verdict, fleetWords(cell.verdict)), ' ', reason && `${reason}.`),
    suspicion && roundsFigure(suspicion, fleet),
    distributionFigure(cell, fleet),
    standing(cell, fleet),
    runList(cell, fleet),
    readingsTable(cell, fleet),
  ];
}

function instanceOf(cell: SlotCell, fleet: Fleet): string {
  const [, , host, instance] = fleet.data.nodes.find(([name]) => name === cell.node) ?? ['', '', '', ''];
  return [host && host !== cell.node ? `host ${host}` : '', instance].filter(Boolean).join(', ');
}

export function legendLine(parts: Child[]): Child {
  return h(
    'p',
    { class: 'legend-line' },
    parts.filter(Boolean).map((part) => h('span', {}, part)),
  );
}

export function withWhom(suspicion: Suspicion): string {
  const { suspect, reference } = suspicion;
  if (!suspect || !reference) return '';
  return `${suspect.join(' with ')}, in turn with ${reference.join(' with ')}`;
}

function roundsFigure(suspicion: Suspicion, fleet: Fleet): Child {
  const chart = roundsChart(suspicion, fleet.data, NARROW);
  if (!chart) return null;
  const interval = suspicion.interval;
  return h(
    'figure',
    {},
    h('figcaption', {}, 'Measured again, in turn with a healthy machine'),
    chart,
    legendLine([
      '● one round',
      '─ median',
      interval && `▒ ${percent(interval[2], 1)} interval: ${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`,
      '┊ as fast',
      h('span', { class: 'gate' }, '┄ the gate'),
    ]),
    withWhom(suspicion) && h('p', { class: 'small' }, `${withWhom(suspicion)}.`),
  );
}

export const DISTRIBUTION_LEGEND: Child[] = [
  '▮ runs',
  '◆ named: what is flagged or was chosen',
  '┊ the median',
  h('span', { class: 'gate' }, '┄ the gate'),
];

function distributionFigure(cell: SlotCell, fleet: Fleet): Child {
  const readings = (['initiator', 'target'] as Part[]).flatMap((part) => fleet.readings(cell, part));
  const worst = readings.sort((a, b) => a.share - b.share)[0];
  const chart = worst && distributionChart(worst.group, fleet, cell.node, NARROW);
  if (!chart) return null;
  const { operation, direction, place, size } = worst.group;
  return h(
    'figure',
    {},
    h(
      'figcaption',
      {},
      `Among all machines, where it is lowest: ${operation.toUpperCase()} ${direction}, ${placeName(place)}, ${bytes(size)}`,
    ),
    chart,
    legendLine(DISTRIBUTION_LEGEND.map((part) => (part instanceof Node ? part.cloneNode(true) : part))),
  );
}

function standing(cell: SlotCell, fleet: Fleet): Child {
  const rows: [string, string][] = [];
  for (const part of ['initiator', 'target']) {
    const value = (column: string): number | null => {
      const found = fleet.value(cell, `${part}_${column}`);
      return typeof found === 'number' ? found : null;
    };
    const deviation = value('deviation_fraction');
    if (deviation === null) continue;
    const z = value('z');
    const p = value('adjusted_p_value');
    rows.push([
      `As the ${part}, with ${fleet.text(cell, `${part}_peer`)}`,
      [fromMedian(deviation), z !== null && `z ${number(z, 3)}`, p !== null && `adjusted p ${pValue(p)}`]
        .filter(Boolean)
        .join(', '),
    ]);
  }
  const groups = fleet.text(cell, 'groups');
  if (groups) rows.push(['Slow in', groups.replaceAll(';', '; ').replaceAll('_', ' ')]);
  return h(
    'dl',
    { class: 'facts' },
    rows.map(([name, value]) => h('div', { class: 'wide' }, h('dt', {}, name), h('dd', {}, value))),
  );
}

// Where the run's files are, below the fleet's folder.
function pathOf(run: FleetRun): string {
  return `runs/${run.initiator}/with-${run.target}`;
}

// The same, or its page where there is one.
export function runLink(run: FleetRun): Child {
  const path = pathOf(run);
  const href = `runs/${encodeURIComponent(run.initiator)}/with-${encodeURIComponent(run.target)}/report.html`;
  return run.page ? h('a', { href }, path) : h('code', {}, path);
}

function runList(cell: SlotCell, fleet: Fleet): Child {
  const runs = (['initiator', 'target'] as Part[]).flatMap((part) => fleet.runsOf(cell.node, part));
  if (runs.length === 0) return null;
  return [
    h('h4', {}, 'Rests on'),
    h(
      'ul',
      { class: 'notes' },
      runs.map((run) =>
        h(
          'li',
          {},
          runLink(run),
          run.page ? '' : [' (its page: ', command(`railgauge report ${shellWord(pathOf(run))}`), ')'],
        ),
      ),
    ),
    h(
      'p',
      { class: 'small' },
      'Why, from the run’s files, in the folder of this page: ',
      command(`railgauge explain ${shellWord(pathOf(runs[0]))} ${cell.slot}`),
    ),
  ];
}

function readingsTable(cell: SlotCell, fleet: Fleet): Child {
  const rows = (['initiator', 'target'] as Part[]).flatMap((part) =>
    fleet.readings(cell, part).map((reading): Reading & { part: Part } => ({ ...reading, part })),
  );
  if (rows.length === 0) return null;
  rows.sort((a, b) => a.share - b.share);
  return dataTable({
    caption: `${counted(rows.length, 'group')} of ${cell.node} ${nicName(cell.slot, fleet.nameOf(cell.slot))}`,
    rows,
    columns: [
      { title: 'as the', value: ({ part }) => part },
      { title: 'with', value: ({ part, run }) => (part === 'initiator' ? run.target : run.initiator) },
      { title: 'transfer', value: ({ group }) => `${group.operation.toUpperCase()} ${group.direction}` },
      { title: 'place', value: ({ group }) => placeName(group.place) },
      { title: 'size', numeric: true, value: ({ group }) => group.size, show: ({ group }) => bytes(group.size) },
      {
        title: 'GB/s',
        numeric: true,
        value: ({ group, share }) => group.median * share,
        show: ({ group, share }) => ((group.median * share) / 1e9).toPrecision(4),
      },
      {
        title: '% of median',
        numeric: true,
        value: ({ share }) => share,
        show: ({ share }) => (share * 100).toFixed(1),
      },
    ],
  });
}
