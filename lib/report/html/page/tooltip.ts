// The tooltip of a cell: its windows at a glance. Shown on hover and on focus, hidden by Escape, and
// itself hoverable, as WCAG 1.4.13 asks.

import { inUnit, nameOfCell, unitFor } from './cell_words.ts';
import { h, replace, svg, type Child } from './dom.ts';
import { isEvidence, type Cell, type Run } from './model.ts';
import type { Shares } from './shade.ts';
import { percent, RELATIONS, wordsOf } from './words.ts';

const MANY = 12;

export class Tooltip {
  readonly element = h('div', { class: 'tooltip', role: 'tooltip', id: 'cell-tooltip', hidden: true });
  private owner: HTMLElement | null = null;

  constructor(
    private readonly run: Run,
    private readonly shares: Shares,
  ) {
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.hide();
    });
    this.element.addEventListener('mouseleave', () => this.hide());
  }

  attach(box: HTMLElement, cell: Cell): void {
    box.addEventListener('mouseenter', () => this.show(box, cell));
    box.addEventListener('focus', () => this.show(box, cell));
    box.addEventListener('blur', () => this.hide());
    box.addEventListener('mouseleave', (event) => {
      if (event.relatedTarget !== this.element) this.hide();
    });
  }

  private hide(): void {
    this.element.hidden = true;
    this.owner?.removeAttribute('aria-describedby');
    this.owner = null;
  }

  private show(box: HTMLElement, cell: Cell): void {
    this.hide();
    this.owner = box;
    box.setAttribute('aria-describedby', this.element.id);
    replace(this.element, this.content(cell));
    this.element.hidden = false;
    const at = box.getBoundingClientRect();
    const size = this.element.getBoundingClientRect();
    const below = at.bottom + size.height + 6 < window.innerHeight;
    const left = Math.min(Math.max(4, at.left), document.documentElement.clientWidth - size.width - 4);
    this.element.style.left = `${Math.max(4, left) + window.scrollX}px`;
    this.element.style.top = `${(below ? at.bottom + 2 : at.top - size.height - 2) + window.scrollY}px`;
  }

  private content(cell: Cell): Child[] {
    const unit = unitFor(this.shares.bestOf(cell.view));
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
    if (cell.verdict && cell.verdict !== 'OK') {
      lines.push(h('div', {}, `${wordsOf(cell.verdict).sign} ${cell.verdict}${cell.reason ? `: ${cell.reason}` : ''}`));
    }
    return lines;
  }

  private windows(cell: Cell): Child {
    const rows = cell.samples;
    const unit = unitFor(this.shares.bestOf(cell.view));
    const rates = rows.map((row) => this.run.samples.number('throughput_bytes_per_second', row));
    const texts = rows.map((row, index) => {
      const rate = rates[index];
      const text = rate === null ? this.run.samples.text('status', row) : inUnit(rate, unit);
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
