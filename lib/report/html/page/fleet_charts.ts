// The two charts that are the evidence against a NIC slot of a machine: where it stands among all
// machines, and its paired rounds with a healthy one.

import * as Plot from '@observablehq/plot';

import { COMMON, finish } from './charts.ts';
import type { FleetData, Suspicion } from './fleet_data.ts';
import type { Fleet, Group } from './fleet_model.ts';
import { fleetWords, isFlagged } from './fleet_words.ts';
import { counted, percent } from './words.ts';

export interface Named {
  label: string;
  percent: number;
}

const MOST_NAMES = 8;
const LETTER = 7; // pixels

// The runs in a group that end at a flagged machine, and the one that is looked at.
export function namedIn(group: Group, fleet: Fleet, selected: string | null): Named[] {
  const names: Named[] = [];
  for (const run of fleet.runs) {
    const share = run.type === group.type ? (group.values[run.place] ?? null) : null;
    if (share === null) continue;
    const own = fleet.cell(run.initiator, group.slot).verdict;
    const other = fleet.cell(run.target, group.slot).verdict;
    if (!isFlagged(own) && !isFlagged(other) && run.initiator !== selected) continue;
    const sign = isFlagged(own) ? `${fleetWords(own).sign} ` : '';
    const peer = isFlagged(other) ? ` with ${fleetWords(other).sign} ${run.target}` : '';
    names.push({ label: `${sign}${run.initiator}${peer}`, percent: share * 100 });
  }
  return names.sort((a, b) => a.percent - b.percent);
}

// Names on lines above each other where they would overlap.
function stacked(names: Named[], low: number, high: number, chartWidth: number): (Named & { line: number })[] {
  const ends: number[] = [];
  return names.map((name) => {
    const at = (name.percent - low) / (high - low || 1);
    const half = (name.label.length * LETTER) / 2 / chartWidth;
    let line = ends.findIndex((end) => end < at - half);
    if (line < 0) line = ends.length;
    ends[line] = at + half;
    return { ...name, line };
  });
}

export function distributionChart(
  group: Group,
  fleet: Fleet,
  selected: string | null,
  chartWidth: number,
): Element | null {
  const { width, counts } = fleet.bins(group);
  if (counts.length === 0) return null;
  const bars = counts.map(([bin, machines]) => ({ x1: bin * width * 100, x2: (bin + 1) * width * 100, machines }));
  const low = Math.min(bars[0].x1, 100 * (1 - fleet.data.gates.differs));
  const high = Math.max(bars[bars.length - 1].x2, 100 + 100 * fleet.data.gates.differs);
  const air = (high - low) * 0.04;
  const most = Math.max(...bars.map((bar) => bar.machines));
  const names = stacked(namedIn(group, fleet, selected).slice(0, MOST_NAMES), low, high, chartWidth);
  const lines = Math.max(0, ...names.map((name) => name.line + 1));
  const chart = Plot.plot({
    ...COMMON,
    width: chartWidth,
    height: 215 + 16 * lines,
    marginTop: 24 + 16 * lines,
    marginBottom: 40,
    x: { label: `% of the median of ${counted(group.machines, 'run')}`, domain: [low - air, high + air] },
    y: { label: 'runs', grid: true, ticks: Math.min(4, most), tickFormat: 'd' },
    marks: [
      Plot.rectY(bars, { x1: 'x1', x2: 'x2', y: 'machines', fill: 'currentColor', fillOpacity: 0.5 }),
      Plot.ruleY([0]),
      Plot.ruleX([100], { stroke: 'currentColor', strokeDasharray: '3 3' }),
      Plot.ruleX([100 * (1 - fleet.data.gates.differs)], { stroke: 'var(--doubt)', strokeDasharray: '6 3' }),
      Plot.dot(names, { x: 'percent', y: 0, dy: -5, r: 5, symbol: 'diamond', fill: 'var(--series-2)' }),
      [...new Set(names.map((name) => name.line))].map((line) =>
        Plot.text(
          names.filter((name) => name.line === line),
          {
            x: 'percent',
            text: 'label',
            frameAnchor: 'top',
            dy: -8 - 16 * line,
            lineAnchor: 'bottom',
            fill: 'currentColor',
            fontWeight: 600,
          },
        ),
      ),
    ],
  });
  const who = names.map((name) => `${name.label} ${percent(name.percent / 100, 1)}`).join(', ');
  return finish(chart, `${counted(group.machines, 'run')} of this group${who && `; ${who}`}`);
}

// Null where no round was measured.
export function roundsChart(suspicion: Suspicion, data: FleetData, chartWidth: number): Element | null {
  if (suspicion.rounds.length === 0) return null;
  const rounds = suspicion.rounds.map((ratio, index) => ({ round: index + 1, ratio }));
  const gate = 1 - data.gates.differs;
  const values = [...suspicion.rounds, 1, ...(suspicion.interval?.slice(0, 2) ?? [])];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const air = Math.max((high - low) * 0.12, 0.01);
  const band = suspicion.interval ? [{ y1: suspicion.interval[0], y2: suspicion.interval[1] }] : [];
  const chart = Plot.plot({
    ...COMMON,
    width: chartWidth,
    height: 205,
    marginBottom: 40,
    x: { label: 'round', domain: rounds.map((round) => round.round), type: 'point' },
    y: { label: 'times as fast as the healthy machine', domain: [low - air, high + air], grid: true, ticks: 5 },
    marks: [
      Plot.rect(band, { y1: 'y1', y2: 'y2', fill: 'var(--band)' }),
      Plot.ruleY([1], { stroke: 'currentColor', strokeDasharray: '3 3' }),
      Plot.ruleY(gate > low - air ? [gate] : [], { stroke: 'var(--doubt)', strokeDasharray: '6 3' }),
      Plot.ruleY(suspicion.ratio === undefined ? [] : [suspicion.ratio], {
        stroke: 'var(--series-1)',
        strokeWidth: 1.5,
      }),
      Plot.dot(rounds, { x: 'round', y: 'ratio', r: 4.5, fill: 'var(--series-1)' }),
    ],
  });
  return finish(
    chart,
    `${counted(rounds.length, 'paired round')}: ${suspicion.rounds.map((ratio) => ratio.toFixed(3)).join(', ')}`,
  );
}
