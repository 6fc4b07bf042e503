// NICs that stand out by their cells, whatever the placement is: what is slow itself first, then what
// its loopback partner makes slow.

import { figure, isBad, PARTNER, unitFor } from './cell_words.ts';
import { h, type Child } from './dom.ts';
import { findingItem, itemList, type Words } from './finding_item.ts';
import type { Cell, Run } from './model.ts';
import type { Shares } from './shade.ts';
import { nicNames, type ShowCell } from './verdicts.ts';
import { counted, percent, wordsOf } from './words.ts';

interface Outlier {
  nics: string[]; // of several, one is meant
  cells: Cell[];
  worst: Cell;
}

// The cells by the NICs that `nicsOf` says they tell of, the most first.
function outliers(run: Run, cells: Cell[], nicsOf: (cell: Cell) => string[]): Outlier[] {
  const found = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = [...nicsOf(cell)].sort().join(';');
    found.set(key, [...(found.get(key) ?? []), cell]);
  }
  return [...found]
    .map(([key, of]) => ({ nics: key.split(';'), cells: of, worst: worstOf(of, run) }))
    .sort((a, b) => b.cells.length - a.cells.length);
}

function worstOf(cells: Cell[], run: Run): Cell {
  return [...cells].sort((a, b) => (run.classRatio(a) ?? 2) - (run.classRatio(b) ?? 2))[0];
}

const TO_TELL = 'measure against another host (--peer) to tell.';

// NICs with cells that are proven slow or contradict themselves, and those that make their partners
// slow, first; then whom these make slow; then those of which one is slow.
export function outlierList(run: Run, shares: Shares, show: ShowCell): Child {
  const cells = [...run.cells.values()];
  const bad = outliers(run, cells.filter(isBad), (cell) => [cell.nic]);
  const causes = [...bad].sort((a, b) => Number(isCause(b, run)) - Number(isCause(a, run)));
  const names = new Set(bad.map((one) => one.nics[0]));
  const unproven = [...run.slowPartners].filter((nic) => !names.has(nic));
  const victims = outliers(run, cells.filter(isVictim), (cell) => [cell.nic]);
  const pairs = outliers(
    run,
    cells.filter((cell) => cell.ofPartner === 'slow_pair'),
    (cell) => [cell.nic, cell.partner].filter(Boolean),
  );
  const count = causes.length + unproven.length;
  if (count + victims.length + pairs.length === 0) return null;
  const item = (one: Outlier): HTMLElement => outlierItem(one, run, shares, show);
  const title = count === 0 ? 'NICs that are slow' : count === 1 ? 'One NIC stands out' : `${count} NICs stand out`;
  return [
    h('h3', {}, title),
    itemList([
      ...unproven.map((nic) => causeItem(nic, run, show)),
      ...causes.map(item),
      ...victims.map(item),
      ...pairs.map(item),
    ]),
  ];
}

function isVictim(cell: Cell): boolean {
  return cell.ofPartner === 'slow_partner';
}

function isCause({ nics, worst }: Outlier, run: Run): boolean {
  return !worst.ofPartner && run.slowPartners.has(nics[0]);
}

function outlierItem({ nics, cells, worst }: Outlier, run: Run, shares: Shares, show: ShowCell): HTMLElement {
  const unit = unitFor(shares.topOf(worst.view));
  const ratio = run.classRatio(worst);
  const what = worst.median === null ? worst.verdict : `${figure(worst, 'rate', unit, run, shares)} ${unit.name}`;
  const against = ratio === null ? '' : `, ${percent(ratio)} of its class`;
  const all = [...run.cells.values()].filter((cell) => nics.includes(cell.nic)).length;
  const partners = [...new Set(cells.map((cell) => cell.partner).filter(Boolean))];
  const words = wordsOfOutlier(worst);
  const slowed = nics.length === 1 && run.slowPartners.has(nics[0]) ? partnersSlowedBy(nics[0], run) : [];
  return findingItem({
    name: words?.name ?? worst.verdict,
    words: words ?? undefined,
    whom: nics.map((nic) => nicNames([nic], run)).join(' or '),
    sentence: [
      worst.ofPartner === 'slow_partner' && `Slow as its partner ${nicNames(partners, run)} is, which is to blame.`,
      worst.ofPartner === 'slow_pair' && `They were measured with each other alone, and either may be slow: ${TO_TELL}`,
      slowed.length > 0 && !worst.ofPartner && slowsDown(slowed, run),
      `${cells.length} of ${counted(all, 'cell')}. Worst: ${run.viewOf(worst.view)?.label ?? ''} with ` +
        `${run.place(worst.place).label}, ${what}${against}.`,
    ]
      .filter(Boolean)
      .join(' '),
    more: worst.reason,
    show: () => show(worst, null),
  });
}

function wordsOfOutlier(worst: Cell): (Words & { name: string }) | null {
  if (worst.slowItself) return { name: 'slow itself', sign: wordsOf('SLOW').sign, tone: 'bad' };
  if (worst.ofPartner === 'slow_partner') return { name: 'partner slow', sign: PARTNER, tone: 'doubt' };
  if (worst.ofPartner === 'slow_pair') return { name: 'one of two', sign: PARTNER, tone: 'doubt' };
  return null;
}

function partnersSlowedBy(nic: string, run: Run): string[] {
  const slowed = [...run.cells.values()].filter((cell) => isVictim(cell) && cell.partner === nic);
  return [...new Set(slowed.map((cell) => cell.nic))];
}

function slowsDown(nics: string[], run: Run): string {
  return `It is slow itself, and makes its loopback partner ${nicNames(nics, run)} slow with it.`;
}

// A NIC whose own cells prove nothing by themselves.
function causeItem(nic: string, run: Run, show: ShowCell): HTMLElement {
  const own = [...run.cells.values()].filter((cell) => cell.nic === nic && cell.median !== null);
  const worst = own.length > 0 ? worstOf(own, run) : null;
  return findingItem({
    name: 'slow itself',
    words: { sign: wordsOf('SLOW').sign, tone: 'bad' },
    whom: nicNames([nic], run),
    sentence: slowsDown(partnersSlowedBy(nic, run), run),
    show: worst && (() => show(worst, null)),
  });
}
