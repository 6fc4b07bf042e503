// What the reader looks at: one view, one measure, and what was selected. Parts of the page
// subscribe and draw themselves anew.

import type { Cell, Run } from './model.ts';

export type Metric = 'rate' | 'share' | 'class';

export class State {
  view: string;
  metric: Metric = 'rate';
  selected: Cell | null = null;
  compared: Cell | null = null; // drawn beside the selected one
  device: string | null = null; // a NIC's or place's key, chosen in the topology
  private readonly listeners: ((state: State) => void)[] = [];

  constructor(readonly run: Run) {
    this.view = run.views.length > 0 ? run.views[0].key : '';
  }

  subscribe(listener: (state: State) => void): void {
    this.listeners.push(listener);
    listener(this);
  }

  update(change: Partial<Pick<State, 'view' | 'metric' | 'selected' | 'compared' | 'device'>>): void {
    Object.assign(this, change);
    for (const listener of this.listeners) listener(this);
  }

  select(cell: Cell, compared: Cell | null = null): void {
    this.update({ selected: cell, compared, view: cell.view });
  }
}
