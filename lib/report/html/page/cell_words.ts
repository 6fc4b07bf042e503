// What is said of a cell, in the heat map, the tooltip, the topology and the details alike.

import { h, type Child } from './dom.ts';
import { isDisturbed, type Cell, type Nic, type Run } from './model.ts';
import type { Shares } from './shade.ts';
import type { Metric } from './state.ts';
import { counted, dimension, percent, wordsOf } from './words.ts';

export interface Unit {
  name: string;
  factor: number;
}

// Of the fastest cell of the view, as small messages and scaled machines are slow.
export function unitFor(bytesPerSecond: number): Unit {
  if (bytesPerSecond >= 1e9 || bytesPerSecond === 0) return { name: 'GB/s', factor: 1e9 };
  if (bytesPerSecond >= 1e6) return { name: 'MB/s', factor: 1e6 };
  return { name: 'kB/s', factor: 1e3 };
}

export function inUnit(bytesPerSecond: number, unit: Unit): string {
  const value = bytesPerSecond / unit.factor;
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function isBad(cell: Cell): boolean {
  return cell.slowItself || ['SLOW', 'WRONG', 'INVALID', 'OVERSUBSCRIBED'].includes(cell.verdict);
}

// The figure in a box of the map or the topology.
export function figure(cell: Cell | undefined, metric: Metric, unit: Unit, run: Run, shares: Shares): string {
  if (!cell) return '';
  if (cell.median === null) return cell.verdict === 'INVALID' ? 'invalid' : '–';
  if (metric === 'rate') return inUnit(cell.median, unit);
  const value = metric === 'class' ? run.classRatio(cell) : shares.of(cell);
  return value === null ? '–' : (value * 100).toFixed(0);
}

export const DISTURBED = '~';
export const PARTNER = '⇄';
export const OF_PARTNER = { slow_partner: 'its partner is slow', slow_pair: 'it or its partner is slow' };

// The marks beside a figure: the letter of its interconnect id, the sign of a verdict that is bad, that
// its partner may be what is slow, and that no window of it is undisturbed.
export function marks(cell: Cell, run: Run): Child[] {
  const letter = run.letterOf(cell);
  return [
    letter && h('sup', { class: 'id-mark' }, letter),
    isBad(cell) && h('span', { class: 'bad-mark' }, wordsOf(cell.slowItself ? 'SLOW' : cell.verdict).sign),
    cell.ofPartner && h('span', { class: 'bad-mark' }, PARTNER),
    cell.disturbed && h('span', { class: 'bad-mark' }, DISTURBED),
  ];
}

// Beside the name of a NIC that makes its partners slow, whatever its own cells have proven.
export function nicMark(nic: Nic, run: Run): Child {
  if (!run.slowPartners.has(nic.key)) return null;
  return h('span', { class: 'bad-mark' }, wordsOf('SLOW').sign, h('span', { class: 'hidden' }, ' slow itself'));
}

// Of how many windows the scheduler had a part; empty where of none.
export function disturbance(cell: Cell, run: Run): string {
  const count = cell.samples.filter((row) => isDisturbed(run.samples, row)).length;
  if (count === 0 && !cell.disturbed) return '';
  const windows = cell.disturbed ? 'every window' : `${count} of ${counted(cell.samples.length, 'window')}`;
  return `the measuring thread was kept from its CPU in ${windows}`;
}

export function nameOfCell(cell: Cell, run: Run): string {
  return `${run.nic(cell.nic).label} ${cell.direction === 'to_memory' ? '→' : '←'} ${run.place(cell.place).label}`;
}

// For a screen reader, in words alone.
export function spoken(cell: Cell, run: Run, shares: Shares): string {
  const unit = unitFor(shares.topOf(cell.view));
  const parts = [
    `${run.nic(cell.nic).label}, ${run.place(cell.place).label}`,
    dimension(cell.operation, cell.direction),
    cell.median === null ? 'not measured' : `${inUnit(cell.median, unit)} ${unit.name}`,
  ];
  const share = shares.of(cell);
  if (share !== null) parts.push(`${percent(share)} of ${shares.reference}`);
  const ratio = run.classRatio(cell);
  if (ratio !== null) parts.push(`${percent(ratio)} of its class`);
  const letter = run.letterOf(cell);
  if (letter) parts.push(`interconnect id ${letter}`);
  if (cell.verdict) parts.push(cell.verdict);
  if (cell.ofPartner) parts.push(OF_PARTNER[cell.ofPartner]);
  if (cell.slowItself) parts.push('looks slow, as its partners do');
  if (cell.disturbed) parts.push('disturbed in every window');
  return parts.join(', ');
}
