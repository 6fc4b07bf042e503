// The heat map: one row per NIC, one column per memory place, of one operation and direction.

import { figure, isBad, marks, nicMark, spoken, unitFor } from './cell_words.ts';
import { h } from './dom.ts';
import { Grid } from './grid.ts';
import type { Cell, Nic, Place, Run } from './model.ts';
import type { Shares } from './shade.ts';
import type { Metric } from './state.ts';
import type { Tooltip } from './tooltip.ts';
import { groupsOf } from './tree.ts';
import { shortAddress } from './words.ts';

export interface HeatMapOptions {
  view: string;
  metric: Metric;
  selected?: Cell | null;
  open?: (cell: Cell) => void; // none: for paper
  tooltip?: Tooltip;
}

export class HeatMap {
  readonly element: HTMLTableElement;
  private readonly boxes: HTMLTableCellElement[][] = []; // by row, of places
  private readonly grid: Grid | null = null;

  constructor(
    private readonly run: Run,
    private readonly shares: Shares,
    private readonly options: HeatMapOptions,
  ) {
    const view = run.viewOf(options.view);
    const unit = unitFor(shares.topOf(options.view));
    const units = { rate: unit.name, share: `% of ${shares.reference}`, class: '% of the median of its class' };
    const places = run.places.filter((place) => run.nics.some((nic) => run.cell(options.view, nic.key, place.key)));
    this.element = h(
      'table',
      { class: 'heat', role: options.open ? 'grid' : null },
      h('caption', {}, h('span', {}, `${view?.label ?? ''}: ${units[options.metric]}`)),
      this.head(places),
    );
    for (const group of groupsOf(run)) {
      const nics = group.nics.filter((nic) => places.some((place) => run.cell(options.view, nic.key, place.key)));
      if (nics.length > 0) this.element.append(this.body(group.label, nics, places));
    }
    if (options.open) this.grid = new Grid(this.element, this.boxes, 'cell-title', options.selected?.key);
  }

  private head(places: Place[]): HTMLElement {
    return h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', class: 'corner' }, 'NIC'),
        places.map((place) => {
          const [first, ...rest] = place.label.split(' ');
          return h('th', { scope: 'col' }, first, rest.length > 0 && h('small', {}, ` ${rest.join(' ')}`));
        }),
      ),
    );
  }

  private body(label: string, nics: Nic[], places: Place[]): HTMLElement {
    const title =
      label &&
      h('tr', { class: 'group' }, h('th', { scope: 'rowgroup', colspan: places.length + 1 }, h('span', {}, label)));
    return h(
      'tbody',
      {},
      title,
      nics.map((nic) => {
        const boxes = places.map((place) => this.box(this.run.cell(this.options.view, nic.key, place.key)));
        this.boxes.push(boxes);
        const address = nic.name ? h('small', {}, ` ${shortAddress(nic.key)}`) : null;
        return h('tr', {}, h('th', { scope: 'row' }, nic.label, address, nicMark(nic, this.run)), boxes);
      }),
    );
  }

  private box(cell: Cell | undefined): HTMLTableCellElement {
    const { metric, open, tooltip, selected } = this.options;
    const unit = unitFor(this.shares.topOf(this.options.view));
    const shade = this.shares.shade(cell, metric).name;
    if (!cell) return h('td', { class: 'shade-absent' }, h('span', { class: 'hidden' }, 'not asked for'));
    const box = h(
      'td',
      {
        class: `shade-${shade}${isBad(cell) ? ' bad' : ''}`,
        'data-cell': cell.key,
        role: open ? 'gridcell' : null,
        'aria-selected': open ? String(selected?.key === cell.key) : null,
        tabindex: open ? -1 : null,
      },
      h(
        'span',
        { class: 'figure', 'aria-hidden': 'true' },
        figure(cell, metric, unit, this.run, this.shares),
        marks(cell, this.run),
      ),
      h('span', { class: 'hidden' }, spoken(cell, this.run, this.shares)),
    );
    if (open) box.addEventListener('click', () => open(cell));
    tooltip?.attach(box, cell);
    return box;
  }

  focus(key: string): void {
    this.grid?.focus(key);
  }
}
