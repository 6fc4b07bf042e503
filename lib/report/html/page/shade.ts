// The shade of a value: five steps, each with a name, so that a legend can say them and a style
// sheet can give each a colour pair of its own for light, dark and paper.

import type { Cell, Run } from './model.ts';
import type { Metric } from './state.ts';

export interface Shade {
  name: string; // the CSS class is "shade-<name>"
  meaning: string;
}

// Of what a path or its line could carry.
export const SHARE_SHADES: Shade[] = [
  { name: 'share-5', meaning: '90 % and more' },
  { name: 'share-4', meaning: '75–90 %' },
  { name: 'share-3', meaning: '50–75 %' },
  { name: 'share-2', meaning: '25–50 %' },
  { name: 'share-1', meaning: 'below 25 %' },
];

// Of the median of cells that should be equally fast.
export const CLASS_SHADES: Shade[] = [
  { name: 'class-up', meaning: 'above 103 %' },
  { name: 'class-even', meaning: '97–103 %' },
  { name: 'class-3', meaning: '90–97 %' },
  { name: 'class-2', meaning: '75–90 %' },
  { name: 'class-1', meaning: 'below 75 %' },
];

export const NO_SHADE: Shade = { name: 'none', meaning: 'not measured' };

function shareShade(fraction: number): Shade {
  const limits = [0.9, 0.75, 0.5, 0.25];
  const step = limits.findIndex((limit) => fraction >= limit);
  return SHARE_SHADES[step < 0 ? 4 : step];
}

export function classShade(ratio: number): Shade {
  const limits = [1.03, 0.97, 0.9, 0.75];
  const step = limits.findIndex((limit, index) => (index === 0 ? ratio > limit : ratio >= limit));
  return CLASS_SHADES[step < 0 ? 4 : step];
}

// What a cell's rate is a share of: its ceiling where the file knows one, else the best rate of the
// view.
export class Shares {
  private readonly best = new Map<string, number>();
  readonly ceilings: boolean; // every measured cell has one

  constructor(private readonly run: Run) {
    let all = true;
    let any = false;
    for (const cell of run.cells.values()) {
      if (cell.median === null) continue;
      any = true;
      all &&= cell.ceilingFraction !== null;
      this.best.set(cell.view, Math.max(this.best.get(cell.view) ?? 0, cell.median));
    }
    this.ceilings = any && all;
  }

  get reference(): string {
    return this.ceilings ? 'the ceiling of the path' : 'the fastest cell of this view';
  }

  of(cell: Cell): number | null {
    if (cell.median === null) return null;
    if (this.ceilings) return cell.ceilingFraction;
    const best = this.best.get(cell.view) ?? 0;
    return best > 0 ? cell.median / best : null;
  }

  bestOf(view: string): number {
    return this.best.get(view) ?? 0;
  }

  shade(cell: Cell | undefined, metric: Metric): Shade {
    if (!cell || cell.median === null) return NO_SHADE;
    const value = metric === 'class' ? this.run.classRatio(cell) : this.of(cell);
    if (value === null) return { name: 'plain', meaning: 'no reference' };
    return metric === 'class' ? classShade(value) : shareShade(value);
  }
}
