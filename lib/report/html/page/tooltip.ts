// The tooltip of a cell: its windows at a glance.

import { DISTURBED, disturbance, inUnit, nameOfCell, unitFor } from './cell_words.ts';
import { h, svg, type Child } from './dom.ts';
import { HoverCard } from './hover.ts';
import { isDisturbed, isEvidence, type Cell, type Run } from './model.ts';
import type { Shares } from './shade.ts';
import { percent, RELATIONS, wordsOf } from './words.ts';

const MANY = 12;

export class Tooltip {
  private readonly card = new HoverCard('cell-tooltip');
  readonly element = this.card.element;

  constructor(
    private readonly run: Run,
    private readonly shares: Shares,
  ) {}

  attach(box: HTMLElement, cell: Cell): void {
    this.card.attach(box, () => this.content(cell));
  }

  private content(cell: Cell): Child[] {
    const unit = unitFor(this.shares.topOf(cell.view));
    const lines: Child[] = [h('strong', {}, nameOfCell(cell, this.run))];
    if (cell.median === null) {
      lines.push(h('div', {}, 'not measured'));
    } else {
      const interval =
        cell.low !== null && cell.high !== null
          ? `, ${percent(cell.confidence ?? 0, 1)} interval ${inUnit(cell.low, unit)}–${inUnit(cell.high, unit)}`
          : ', no interval: too few windows';
      lines.push(h('div', {}, `median ${inUnit(cell.median, unit)} ${unit.name}${interval}`));
      const ratio = this.run.classRatio(cell);
      const relation = RELATIONS[cell.relation] ?? cell.relation;
      lines.push(h('div', {}, ratio === null ? relation : `${percent(ratio)} of its class (${relation})`));
    }
    lines.push(this.windows(cell));
    const disturbed = disturbance(cell, this.run);
    if (disturbed) lines.push(h('div', {}, `${DISTURBED} ${disturbed}`));
    if (cell.verdict && cell.verdict !== 'OK') {
      lines.push(h('div', {}, `${wordsOf(cell.verdict).sign} ${cell.verdict}${cell.reason ? `: ${cell.reason}` : ''}`));
    }
    return lines;
  }

  private windows(cell: Cell): Child {
    const rows = cell.samples;
    const unit = unitFor(this.shares.topOf(cell.view));
    const rates = rows.map((row) => this.run.samples.number('throughput_bytes_per_second', row));
    const texts = rows.map((row, index) => {
      const rate = rates[index];
      const mark = isDisturbed(this.run.samples, row) ? DISTURBED : '';
      const text = rate === null ? this.run.samples.text('status', row) : inUnit(rate, unit) + mark;
      return rate === null || isEvidence(this.run.samples, row)
        ? text
        : `${text} (${this.run.samples.text('status', row)})`;
    });
    if (texts.length === 0) return null;
    const more = texts.length > MANY ? ` and ${texts.length - MANY} more` : '';
    return h(
      'div',
      { class: 'windows' },
      `${texts.length} window${texts.length === 1 ? '' : 's'}: ${texts.slice(0, MANY).join(', ')}${more}`,
      strip(rates.filter((rate): rate is number => rate !== null)),
    );
  }
}

// The windows as dots on a line from the slowest to the fastest.
function strip(rates: number[]): SVGElement | null {
  if (rates.length < 2) return null;
  const low = Math.min(...rates);
  const span = Math.max(...rates) - low || 1;
  return svg(
    'svg',
    { class: 'strip', viewBox: '0 0 200 12', 'aria-hidden': 'true' },
    svg('line', { x1: 4, x2: 196, y1: 6, y2: 6 }),
    rates.map((rate) => svg('circle', { cx: 4 + ((rate - low) / span) * 192, cy: 6, r: 3.5 })),
  );
}
