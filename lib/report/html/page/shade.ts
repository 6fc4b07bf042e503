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

// As summary.csv knows it, else as the windows do.
function lineRateOf(cell: Cell): number | null {
  return cell.median !== null && cell.ceilingFraction ? cell.median / cell.ceilingFraction : cell.lineRate;
}

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

// What a cell's rate is a share of: the line rate, where the files know it for every cell, else the
// median of the view's fastest class. Never the fastest cell, as long as there is a class: one
// measured too fast would fade all others.
export class Shares {
  readonly reference: string;
  readonly known: boolean; // the line rate of every cell
  private readonly tops = new Map<string, number>();

  constructor(private readonly run: Run) {
    const measured = [...run.cells.values()].filter((cell) => cell.median !== null);
    const isKnown = measured.length > 0 && measured.every((cell) => lineRateOf(cell) !== null);
    const isClass = run.views.every((view) => run.fastestClass(view.key) !== null);
    this.reference = isKnown ? 'the line rate' : isClass ? 'the median of the fastest class' : 'the fastest cell';
    for (const view of run.views) {
      const cells = measured.filter((cell) => cell.view === view.key);
      const rates = cells.map((cell) => (isKnown ? lineRateOf(cell) : cell.median) ?? 0);
      const top = isKnown || !isClass ? null : run.fastestClass(view.key);
      this.tops.set(view.key, top ?? Math.max(0, ...rates));
    }
    this.known = isKnown;
  }

  // What 100 % is.
  private fullOf(cell: Cell): number {
    return (this.known ? lineRateOf(cell) : null) ?? this.topOf(cell.view);
  }

  of(cell: Cell): number | null {
    const full = this.fullOf(cell);
    return cell.median !== null && full > 0 ? cell.median / full : null;
  }

  // The highest rate that is 100 % in a view, and the lowest, where NICs differ.
  topOf(view: string): number {
    return this.tops.get(view) ?? 0;
  }

  bottomOf(view: string): number {
    const fulls = this.run
      .cellsOf(view)
      .filter((cell) => cell.median !== null)
      .map((cell) => this.fullOf(cell));
    return Math.min(this.topOf(view), ...fulls);
  }

  shade(cell: Cell | undefined, metric: Metric): Shade {
    if (!cell || cell.median === null) return NO_SHADE;
    const value = metric === 'class' ? this.run.classRatio(cell) : this.of(cell);
    if (value === null) return { name: 'plain', meaning: 'no reference' };
    return metric === 'class' ? classShade(value) : shareShade(value);
  }
}
