// The heat map of a fleet: one row per machine, one column per NIC slot.

import { h, type Child } from './dom.ts';
import type { Filters, Fleet, FleetState, SlotCell } from './fleet_model.ts';
import { fleetWords, isFlagged, nicName, placeName } from './fleet_words.ts';
import { Grid } from './grid.ts';
import type { HoverCard } from './hover.ts';
import { classShade } from './shade.ts';
import { counted, percent, shortAddress } from './words.ts';

const FIRST_MACHINES = 120;
const LOW = 0.97; // as the shades begin

type Figure = { share: number; noise: number } | null;

// Low, and not by chance alone.
function isLow(figure: Figure): boolean {
  return figure !== null && figure.share < Math.min(LOW, 1 - figure.noise);
}

function shadeOf(figure: Figure): string {
  if (figure === null) return 'none';
  const byChance = Math.abs(figure.share - 1) <= figure.noise;
  return byChance ? 'class-even' : classShade(figure.share).name;
}

export function cellKeyOf(cell: SlotCell): string {
  return `${cell.node} ${cell.slot}`;
}

// The signs beside a figure: of the verdict, or that the other end is to blame.
function signOf(cell: SlotCell, figure: Figure, fleet: Fleet, filters: Filters): string {
  if (cell.verdict && cell.verdict !== 'OK') return fleetWords(cell.verdict).sign;
  return isLow(figure) && fleet.badPeers(cell, filters.part).length > 0 ? '⇄' : '';
}

export function tooltipOf(cell: SlotCell, fleet: Fleet, filters: Filters): Child[] {
  const readings = fleet.readings(cell, filters.part, filters).sort((a, b) => a.share - b.share);
  const lines: Child[] = [h('strong', {}, `${cell.node} ${nicName(cell.slot, fleet.nameOf(cell.slot))}`)];
  if (cell.verdict) lines.push(h('div', {}, `${fleetWords(cell.verdict).sign} ${cell.verdict}`));
  if (readings.length === 0) {
    lines.push(h('div', {}, `not measured as the ${filters.part}`));
  } else {
    const worst = readings[0];
    const rate = ((worst.share * worst.group.median) / 1e9).toPrecision(4);
    const { operation, direction, place } = worst.group;
    lines.push(
      h(
        'div',
        {},
        `lowest of ${counted(readings.length, 'group')}: ${percent(worst.share, 1)} of the median of ` +
          `${counted(worst.group.machines, 'machine')} (${operation.toUpperCase()} ${direction}, ${placeName(place)}: ${rate} GB/s)`,
      ),
    );
    const runs = [...new Set(readings.map(({ run }) => (filters.part === 'initiator' ? run.target : run.initiator)))];
    lines.push(h('div', {}, `as the ${filters.part}, with ${runs.join(', ')}`));
  }
  const blamed = cell.verdict === 'OK' ? fleet.badPeers(cell, filters.part) : [];
  if (blamed.length > 0) lines.push(h('div', {}, `⇄ the NIC in this slot of ${blamed.join(', ')} is to blame`));
  const reason = fleet.text(cell, 'reason');
  if (reason) lines.push(h('div', {}, `${reason}.`));
  return lines;
}

export interface FleetMapOptions {
  tooltip: HoverCard;
  all: boolean; // machines; else the first
  showAll: () => void;
}

export class FleetMap {
  readonly element: HTMLElement;
  private readonly boxes: HTMLTableCellElement[][] = [];
  private readonly grid: Grid;
  private readonly fleet: Fleet;

  constructor(
    private readonly state: FleetState,
    private readonly options: FleetMapOptions,
  ) {
    this.fleet = state.fleet;
    const { filters } = state;
    const slots = this.fleet.slotsOf(filters.type);
    const { flagged, others } = this.fleet.nodesOf(filters.type);
    const shown = options.all ? others : others.slice(0, Math.max(0, FIRST_MACHINES - flagged.length));
    const table = h(
      'table',
      { class: 'heat fleet-heat', role: 'grid' },
      h('caption', {}, h('span', {}, this.caption())),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', class: 'corner' }, 'Machine'),
          slots.map((slot) => h('th', { scope: 'col', title: this.fleet.nameOf(slot) || null }, this.slotHead(slot))),
        ),
      ),
    );
    const parts: [string, string[]][] =
      flagged.length > 0
        ? [
            ['With a finding', flagged],
            ['All others', shown],
          ]
        : [['', shown]];
    for (const [label, nodes] of parts) if (nodes.length > 0) table.append(this.body(label, nodes, slots));
    this.grid = new Grid(table, this.boxes, 'cell-title', state.selected ? cellKeyOf(state.selected) : undefined);
    const left = others.length - shown.length;
    this.element = h(
      'div',
      {},
      h('div', { class: 'scroll fleet-scroll', id: 'heat' }, table),
      left > 0 &&
        h('button', { type: 'button', class: 'no-print', click: options.showAll }, `Show ${left} more machines`),
    );
  }

  focus(key: string): void {
    this.grid.focus(key);
  }

  private caption(): string {
    const { metric, part, operation, direction, place, type } = this.state.filters;
    const of = [operation.toUpperCase(), direction, place && placeName(place)].filter(Boolean).join(', ');
    const what = metric === 'worst' ? 'lowest of its groups' : 'median of its groups';
    return `${type} as the ${part}${of ? `, ${of}` : ''}: % of the group’s median over all machines, ${what}`;
  }

  private slotHead(slot: string): Child {
    return h('span', { class: 'slot-head' }, shortAddress(slot));
  }

  private body(label: string, nodes: string[], slots: string[]): HTMLElement {
    return h(
      'tbody',
      {},
      label &&
        h('tr', { class: 'group' }, h('th', { scope: 'rowgroup', colspan: slots.length + 1 }, h('span', {}, label))),
      nodes.map((node) => {
        const boxes = slots.map((slot) => this.box(this.fleet.cell(node, slot)));
        this.boxes.push(boxes);
        return h('tr', {}, h('th', { scope: 'row' }, node), boxes);
      }),
    );
  }

  private box(cell: SlotCell): HTMLTableCellElement {
    const { filters, selected } = this.state;
    const figure = this.fleet.figure(cell, filters);
    const share = figure?.share ?? null;
    const sign = signOf(cell, figure, this.fleet, filters);
    const spoken = [
      `${cell.node} ${shortAddress(cell.slot)}`,
      share === null ? 'not measured' : percent(share, 1),
      cell.verdict,
      sign === '⇄' && 'its peer is to blame',
    ];
    const key = cellKeyOf(cell);
    const box = h(
      'td',
      {
        class: `shade-${shadeOf(figure)}${isFlagged(cell.verdict) ? ' bad' : ''}`,
        'data-cell': key,
        role: 'gridcell',
        tabindex: -1,
        'aria-selected': String(selected !== null && cellKeyOf(selected) === key),
        click: () => this.state.select(cell),
      },
      h(
        'span',
        { class: 'figure', 'aria-hidden': 'true' },
        share === null ? '' : (share * 100).toFixed(0),
        sign && h('span', { class: 'bad-mark' }, sign),
      ),
      h('span', { class: 'hidden' }, spoken.filter(Boolean).join(', ')),
    );
    this.options.tooltip.attach(box, () => tooltipOf(cell, this.fleet, filters));
    return box;
  }
}
