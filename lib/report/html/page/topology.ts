// The drawing of the machine: boxes in boxes, as lstopo draws, each device a button. Its colour is
// the throughput of the path that is looked at, its letter the interconnect id.

import { figure, isBad, marks, nicMark, spoken, unitFor } from './cell_words.ts';
import { h, replace, type Child } from './dom.ts';
import type { Cell, Nic, Place, Run } from './model.ts';
import type { Shares } from './shade.ts';
import type { State } from './state.ts';
import type { Tooltip } from './tooltip.ts';
import { machineTree, type Group } from './tree.ts';
import { bytes, shortAddress } from './words.ts';

const NEAREST = ['same_switch', 'same_host_bridge', 'same_numa_node', 'other_numa_node', 'unknown'];

// Of a NIC, its nearest memory that was measured: GPUs before the host's.
function nearestCell(run: Run, view: string, nic: string): Cell | undefined {
  const cells = run.places
    .map((place) => run.cell(view, nic, place.key))
    .filter((cell): cell is Cell => cell !== undefined);
  const rank = (cell: Cell): number =>
    (cell.median === null ? 100 : 0) +
    NEAREST.indexOf(cell.relation) * 2 +
    (run.place(cell.place).kind === 'gpu' ? 0 : 1);
  return cells.sort((a, b) => rank(a) - rank(b))[0];
}

function devices(boxes: (HTMLElement | null)[]): Child {
  const there = boxes.filter((box): box is HTMLElement => box !== null);
  if (there.length === 0) return null;
  return h(
    'ul',
    { class: 'devices' },
    there.map((box) => h('li', {}, box)),
  );
}

export class Topology {
  readonly element = h('div', { class: 'topology' });
  private readonly run: Run;

  constructor(
    private readonly state: State,
    private readonly shares: Shares,
    private readonly tooltip: Tooltip,
  ) {
    this.run = state.run;
    state.subscribe(() => this.draw());
  }

  private draw(): void {
    const focused = this.element.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.device
      : undefined;
    const tree = machineTree(this.run);
    replace(
      this.element,
      h('p', { class: 'what', role: 'status' }, this.what()),
      h(
        'ul',
        { class: 'machine' },
        tree.groups.map((group) => this.group(group)),
      ),
    );
    if (focused) {
      const again = [...this.element.querySelectorAll<HTMLElement>('[data-device]')];
      again.find((box) => box.dataset.device === focused)?.focus();
    }
  }

  private what(): string {
    const view = this.run.viewOf(this.state.view);
    const { device } = this.state;
    if (!view) return 'Nothing was measured.';
    if (!device) return `${view.label}: each NIC with its nearest memory. Choose a device to see its paths.`;
    if (this.isNic(device)) return `${view.label}: ${this.run.nic(device).label} with every memory place.`;
    return `${view.label}: every NIC with ${this.run.place(device).label}.`;
  }

  private isNic(key: string): boolean {
    return this.run.nics.some((nic) => nic.key === key);
  }

  private group(group: Group): HTMLElement {
    const { place } = group;
    const host = place
      ? this.device(place.key, 'memory', place.label, this.memorySize(place), this.placeCell(place))
      : null;
    return h(
      'li',
      { class: `group group-${group.kind}` },
      h('span', { class: 'group-label' }, group.label),
      devices([host, ...group.gpus.map((gpu) => this.gpu(gpu))]),
      devices(group.nics.map((nic) => this.nic(nic))),
      group.groups.length > 0 &&
        h(
          'ul',
          { class: 'groups' },
          group.groups.map((inner) => this.group(inner)),
        ),
    );
  }

  private memorySize(place: Place): string {
    const node = this.run.data.info?.machine.numa_nodes.find((candidate) => `numa${candidate.os_index}` === place.key);
    return node ? bytes(node.memory_bytes) : '';
  }

  // What a place's box is about: its path to the NIC that was chosen.
  private placeCell(place: Place): Cell | undefined {
    const { device, view } = this.state;
    return device && this.isNic(device) ? this.run.cell(view, device, place.key) : undefined;
  }

  private gpu(place: Place): HTMLElement {
    const [name, ...address] = place.label.split(' ');
    return this.device(place.key, 'gpu', name, address.join(' '), this.placeCell(place));
  }

  private nic(nic: Nic): HTMLElement {
    const { device, view } = this.state;
    const cell = !device
      ? nearestCell(this.run, view, nic.key)
      : this.isNic(device)
        ? undefined
        : this.run.cell(view, nic.key, device);
    return this.device(nic.key, 'nic', nic.label, nic.name ? shortAddress(nic.key) : '', cell);
  }

  private device(key: string, kind: string, name: string, sub: string, cell: Cell | undefined): HTMLElement {
    const { metric, view, device } = this.state;
    const shade = cell ? `shade-${this.shares.shade(cell, metric).name}` : 'shade-plain';
    const unit = unitFor(this.shares.topOf(view));
    const words = kind === 'nic' ? 'NIC' : kind === 'gpu' ? 'GPU' : 'memory';
    const value: Child = cell
      ? h(
          'span',
          { class: 'figure', 'aria-hidden': 'true' },
          figure(cell, metric, unit, this.run, this.shares),
          marks(cell, this.run),
        )
      : null;
    const box = h(
      'button',
      {
        type: 'button',
        class: `device device-${kind} ${shade}${(cell && isBad(cell)) || this.run.slowPartners.has(key) ? ' bad' : ''}`,
        'data-device': key,
        'aria-pressed': String(device === key),
        click: () => this.choose(key, cell),
      },
      h('span', { class: 'name' }, h('span', { class: 'hidden' }, `${words} `), name, sub && h('small', {}, ` ${sub}`)),
      (!cell || !isBad(cell)) && kind === 'nic' && nicMark(this.run.nic(key), this.run),
      value,
      cell && h('span', { class: 'hidden' }, `: ${spoken(cell, this.run, this.shares)}`),
    );
    if (cell) this.tooltip.attach(box, cell);
    return box;
  }

  // Of two devices chosen one after the other, the path between them is shown.
  private choose(key: string, cell: Cell | undefined): void {
    const { device } = this.state;
    if (device === key) this.state.update({ device: null });
    else if (device && cell) this.state.select(cell);
    else this.state.update({ device: key });
  }
}
