// The keyboard of a grid of the ARIA pattern: one cell is in the tab order, arrow keys move, Enter
// opens the cell and goes to what it opened.

export class Grid {
  // Cells that can be opened have a data-cell.
  constructor(
    table: HTMLTableElement,
    private readonly boxes: HTMLElement[][], // by row
    private readonly opened: string, // the id of what is focused after Enter
    selected?: string,
  ) {
    table.addEventListener('keydown', (event) => this.move(event));
    const all = this.boxes.flat().filter((box) => box.dataset.cell);
    const first = all.find((box) => box.dataset.cell === selected) ?? all[0];
    if (first) first.tabIndex = 0;
  }

  focus(key: string): void {
    const box = this.boxes.flat().find((candidate) => candidate.dataset.cell === key);
    if (box) this.focusBox(box);
  }

  private focusBox(box: HTMLElement): void {
    for (const other of this.boxes.flat()) if (other.dataset.cell) other.tabIndex = -1;
    box.tabIndex = 0;
    box.focus();
  }

  private move(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const row = this.boxes.findIndex((boxes) => boxes.includes(target));
    if (row < 0) return;
    const column = this.boxes[row].indexOf(target);
    const lastRow = this.boxes.length - 1;
    const lastColumn = this.boxes[row].length - 1;
    const everywhere = event.ctrlKey || event.metaKey;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [0, column],
      PageDown: [lastRow, column],
      Home: [everywhere ? 0 : row, 0],
      End: [everywhere ? lastRow : row, lastColumn],
    };
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      target.click();
      document.getElementById(this.opened)?.focus();
      return;
    }
    const to = steps[event.key];
    if (!to) return;
    event.preventDefault();
    const next = this.boxes[to[0]]?.[to[1]];
    if (next) this.focusBox(next);
  }
}
