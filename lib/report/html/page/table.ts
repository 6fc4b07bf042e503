// A real table that is sorted by the buttons in its head and filtered by words. Rows beyond the
// first few hundred wait for a button, so that opening one of thousands stays quick.

import { announce, freshId, h, replace, type Child } from './dom.ts';
import type { Value } from './data.ts';

export interface ColumnSpec<Row> {
  title: string;
  value: (row: Row) => Value; // sorted and filtered by
  show?: (row: Row) => Child; // default: the value
  numeric?: boolean;
}

export interface TableSpec<Row> {
  caption: string;
  columns: ColumnSpec<Row>[];
  rows: Row[];
  filter?: boolean; // default: from 8 rows
}

const FIRST_ROWS = 200;
const FILTER_FROM = 8;
const LONG = 60; // characters; such a column needs room

function compare(a: Value, b: Value): number {
  if (a === b) return 0;
  if (a === null || a === '') return 1; // unknown comes last, whatever the order
  if (b === null || b === '') return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

export function dataTable<Row>(spec: TableSpec<Row>): HTMLElement {
  return new DataTable(spec).element;
}

class DataTable<Row> {
  readonly element: HTMLElement;
  private readonly body = h('tbody');
  private readonly count = h('span', { class: 'count', 'aria-live': 'polite' });
  private readonly more = h('button', { type: 'button', hidden: true, click: () => this.showAll() });
  private readonly heads: HTMLElement[];
  private sorted: { column: number; down: boolean } | null = null;
  private words: string[] = [];
  private limit = FIRST_ROWS;
  private readonly texts = new Map<Row, string>();

  constructor(private readonly spec: TableSpec<Row>) {
    const captionId = freshId('caption');
    this.heads = spec.columns.map((column, index) =>
      h(
        'th',
        { scope: 'col', class: column.numeric ? 'numeric' : null },
        h('button', { type: 'button', click: () => this.sortBy(index) }, column.title),
      ),
    );
    const table = h(
      'table',
      { class: 'data' },
      h('caption', { id: captionId }, spec.caption),
      h('thead', {}, h('tr', {}, this.heads)),
      this.body,
    );
    this.element = h(
      'div',
      { class: 'table' },
      (spec.filter ?? spec.rows.length >= FILTER_FROM) && this.filterBox(),
      h('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-labelledby': captionId }, table),
      this.more,
    );
    this.draw();
  }

  private filterBox(): HTMLElement {
    const id = freshId('filter');
    const input = h('input', { id, type: 'search', placeholder: 'words, all of which a row has' });
    input.addEventListener('input', () => {
      this.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.draw();
    });
    return h('div', { class: 'filter' }, h('label', { for: id }, 'Filter'), input, this.count);
  }

  private sortBy(column: number): void {
    const again = this.sorted?.column === column;
    this.sorted = { column, down: again ? !this.sorted?.down : false };
    this.heads.forEach((head, index) => {
      if (index === column) head.setAttribute('aria-sort', this.sorted?.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    this.draw();
    announce(`sorted by ${this.spec.columns[column].title}, ${this.sorted.down ? 'descending' : 'ascending'}`);
  }

  private showAll(): void {
    this.limit = Infinity;
    this.draw();
  }

  private textOf(row: Row): string {
    let text = this.texts.get(row);
    if (text === undefined) {
      text = this.spec.columns
        .map((column) => {
          const shown = column.show?.(row);
          return `${column.value(row) ?? ''} ${typeof shown === 'string' ? shown : ''}`;
        })
        .join(' ')
        .toLowerCase();
      this.texts.set(row, text);
    }
    return text;
  }

  private visibleRows(): Row[] {
    const rows = this.spec.rows.filter((row) => this.words.every((word) => this.textOf(row).includes(word)));
    if (!this.sorted) return rows;
    const { value } = this.spec.columns[this.sorted.column];
    const sign = this.sorted.down ? -1 : 1;
    return rows.sort((a, b) => {
      const order = compare(value(a), value(b));
      const unknown = value(a) === null || value(a) === '' || value(b) === null || value(b) === '';
      return unknown ? order : sign * order;
    });
  }

  private draw(): void {
    const rows = this.visibleRows();
    replace(
      this.body,
      rows.slice(0, this.limit).map((row) => this.drawRow(row)),
    );
    this.count.textContent = `${rows.length} of ${this.spec.rows.length} rows`;
    this.more.hidden = rows.length <= this.limit;
    this.more.textContent = `Show all ${rows.length} rows`;
  }

  private drawRow(row: Row): HTMLElement {
    return h(
      'tr',
      {},
      this.spec.columns.map((column) => {
        const shown = column.show ? column.show(row) : String(column.value(row) ?? '');
        const long = typeof shown === 'string' && shown.length > LONG;
        return h('td', { class: column.numeric ? 'numeric' : long ? 'long' : null }, shown);
      }),
    );
  }
}
