// The two charts that are the evidence for a cell: its windows over the run, and its class.

import * as Plot from '@observablehq/plot';

import { unitFor, type Unit } from './cell_words.ts';
import { isEvidence, type Cell, type Run } from './model.ts';
import type { Shares } from './shade.ts';
import { counted } from './words.ts';

interface Window {
  seconds: number;
  rate: number;
  slowest: number | null; // of the window's intervals
  kind: 'window' | 'disturbed' | 'no evidence';
  cell: Cell;
}

export const COMMON: Plot.PlotOptions = {
  width: 560,
  marginLeft: 52,
  style: { background: 'transparent', fontSize: '12px', fontFamily: 'inherit', overflow: 'visible' },
};

function windowsOf(cell: Cell, run: Run, unit: Unit): Window[] {
  const windows: Window[] = [];
  for (const row of cell.samples) {
    const rate = run.samples.number('throughput_bytes_per_second', row);
    if (rate === null) continue;
    const slowest = run.samples.number('interval_min_bytes_per_second', row);
    const disturbed = run.samples.text('disturbed', row) === 'true';
    windows.push({
      seconds: (run.samples.number('start_offset_ns', row) ?? 0) / 1e9,
      rate: rate / unit.factor,
      slowest: slowest === null ? null : slowest / unit.factor,
      kind: !isEvidence(run.samples, row) ? 'no evidence' : disturbed ? 'disturbed' : 'window',
      cell,
    });
  }
  return windows;
}

// From the slowest to the fastest with some air; from 0 where they are far apart.
function rateDomain(values: number[]): [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (low < high / 2) return [0, high * 1.05];
  const air = Math.max((high - low) * 0.15, high * 0.01);
  return [low - air, high + air];
}

// Of a single window some time around it, or its axis would have one tick with all of its digits.
function timeDomain(windows: Window[]): [number, number] {
  const seconds = windows.map((window) => window.seconds);
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  return first === last ? [first - 1, last + 1] : [first, last];
}

export function finish(chart: SVGSVGElement | HTMLElement, label: string): SVGSVGElement | HTMLElement {
  // One picture with one name: the parts have names that a group may not have.
  for (const part of chart.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', label);
  return chart;
}

// Null where nothing was measured.
export function windowsChart(cell: Cell, compared: Cell | null, run: Run, shares: Shares): Element | null {
  const unit = unitFor(shares.topOf(cell.view));
  const own = windowsOf(cell, run, unit);
  const others = compared ? windowsOf(compared, run, unit) : [];
  const all = [...own, ...others];
  if (own.length === 0) return null;
  const scaled = (value: number | null): number[] => (value === null ? [] : [value / unit.factor]);
  const domain = rateDomain([...all.map((window) => window.rate), ...scaled(cell.low), ...scaled(cell.high)]);
  const band = cell.low !== null && cell.high !== null ? [{ y1: scaled(cell.low)[0], y2: scaled(cell.high)[0] }] : [];
  const isOther = (window: Window): boolean => window.cell === compared;
  const chart = Plot.plot({
    ...COMMON,
    height: 235,
    marginBottom: 42,
    x: { label: 'seconds into the run', domain: timeDomain(all), inset: 10 },
    y: { label: unit.name, domain, grid: true, ticks: 5 },
    symbol: { domain: ['window', 'disturbed', 'no evidence'], range: ['circle', 'circle', 'times'] },
    marks: [
      Plot.rect(band, { y1: 'y1', y2: 'y2', fill: 'var(--band)' }),
      Plot.ruleY(scaled(cell.median), { stroke: 'var(--series-1)', strokeWidth: 1.5 }),
      Plot.ruleY(compared ? scaled(compared.median) : [], { stroke: 'var(--series-2)', strokeDasharray: '6 3' }),
      Plot.ruleX(
        all.filter((window) => window.slowest !== null && window.slowest >= domain[0]),
        { x: 'seconds', y1: 'slowest', y2: 'rate', stroke: 'currentColor', strokeOpacity: 0.35 },
      ),
      Plot.dot(own, {
        x: 'seconds',
        y: 'rate',
        symbol: 'kind',
        r: 4.5,
        stroke: 'var(--series-1)',
        fill: (window: Window) => (window.kind === 'window' ? 'var(--series-1)' : 'var(--page)'),
      }),
      Plot.dot(others, { x: 'seconds', y: 'rate', symbol: 'diamond', r: 5, stroke: 'var(--series-2)', strokeWidth: 2 }),
    ],
    color: { type: 'identity' },
  });
  const beside =
    others.length > 0 ? `, beside ${counted(others.filter(isOther).length, 'window')} of the other NIC` : '';
  return finish(chart, `${counted(own.length, 'window')}${beside}; the table below has the figures`);
}

// Null where the class is too small to tell.
export function classChart(cell: Cell, run: Run, shares: Shares): Element | null {
  const found = run.classOf(cell);
  if (!found) return null;
  const unit = unitFor(shares.topOf(cell.view));
  const rates = found.members.map((member) => (member.median ?? 0) / unit.factor);
  const own = [(cell.median ?? 0) / unit.factor];
  const chart = Plot.plot({
    ...COMMON,
    height: 165,
    marginBottom: 42,
    x: { label: `${unit.name}, medians of cells`, domain: rateDomain(rates) },
    y: { label: 'cells', grid: true, ticks: 4 },
    marks: [
      Plot.rectY(
        rates,
        Plot.binX<Plot.RectYOptions>(
          { y: 'count' },
          { x: (rate: number) => rate, thresholds: 40, fill: 'currentColor', fillOpacity: 0.5, inset: 0.5 },
        ),
      ),
      Plot.ruleY([0]),
      Plot.ruleX([found.median / unit.factor], { stroke: 'currentColor', strokeDasharray: '3 3' }),
      Plot.ruleX(own, { stroke: 'var(--series-1)', strokeWidth: 2.5 }),
      Plot.dot(own, {
        x: (rate: number) => rate,
        r: 6,
        symbol: 'diamond',
        fill: 'var(--series-1)',
        frameAnchor: 'middle',
      }),
    ],
  });
  return finish(
    chart,
    `${counted(rates.length, 'cell')} that should be equally fast: median ${(found.median / unit.factor).toPrecision(4)} ${unit.name}`,
  );
}
