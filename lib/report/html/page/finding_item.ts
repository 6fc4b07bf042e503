// One thing that was found, as a list has it: how bad, of whom, a sentence, and the way to what it
// rests on. The same for a run and for a fleet.

import { h, type Child } from './dom.ts';
import { wordsOf } from './words.ts';

export type Words = { sign: string; tone: string; meaning?: string };

export function badge(name: string, words: Words = wordsOf(name)): HTMLElement {
  return h(
    'span',
    { class: `badge tone-${words.tone}`, title: words.meaning || null },
    h('span', { 'aria-hidden': 'true' }, `${words.sign} `),
    name,
  );
}

export interface Item {
  name: string; // of the badge: a verdict, a severity
  words?: Words; // default: those of the verdict
  whom?: string; // empty: nobody in particular
  sentence: string;
  more?: Child; // in small letters
  show?: (() => void) | null; // to the evidence
}

export function findingItem({ name, words = wordsOf(name), whom, sentence, more, show }: Item): HTMLElement {
  return h(
    'li',
    { class: `decision tone-${words.tone}` },
    h(
      'p',
      { class: 'sentence' },
      badge(name, words),
      ' ',
      whom && h('b', {}, whom),
      whom && sentence && ': ',
      sentence,
    ),
    typeof more === 'string' ? more && h('p', { class: 'small' }, more) : more,
    show && h('button', { type: 'button', class: 'evidence no-print', click: show }, 'Show the evidence'),
  );
}

export function itemList(items: HTMLElement[]): HTMLElement {
  return h('ul', { class: 'decisions' }, items);
}

// The first `shown` of them; the others wait to be opened, and are printed all the same.
export function longItemList(items: HTMLElement[], shown: number): Child {
  const rest = items.slice(shown);
  return [itemList(items.slice(0, shown)), rest.length > 0 && foldedItems(`${rest.length} more`, rest)];
}

export function foldedItems(title: string, items: HTMLElement[], open = false): HTMLElement {
  return h('details', { open, 'data-print': true }, h('summary', {}, title), itemList(items));
}
