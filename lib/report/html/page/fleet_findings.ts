// What was found in a fleet: which NIC, machine or path is bad, and how that is known.

import { h, type Child } from './dom.ts';
import type { Suspicion } from './fleet_data.ts';
import { badge, findingItem, foldedItems, longItemList } from './finding_item.ts';
import { runLink, withWhom } from './fleet_detail.ts';
import type { Fleet, FleetRun, SlotCell } from './fleet_model.ts';
import { FLEET_ORDER, fleetWords, nicName, pValue, subject } from './fleet_words.ts';
import { counted, number, percent } from './words.ts';

export type ShowSlot = (cell: SlotCell) => void;

const NAMED = 5; // in the sentence at the top
const SHOWN = 12;

export function fleetCounts(fleet: Fleet): Child {
  const { counts } = fleet.data;
  return h(
    'ul',
    { class: 'counts', 'aria-label': 'Number of each verdict' },
    FLEET_ORDER.filter((verdict) => counts[verdict]).map((verdict) =>
      h('li', {}, h('b', {}, String(counts[verdict])), ' ', badge(verdict, fleetWords(verdict))),
    ),
  );
}

// What paired rounds cleared stays open where its peer could be to blame.
function stands(fleet: Fleet, confirmed: Suspicion['confirmed']): Suspicion[] {
  return fleet.data.suspicions.filter(
    (one) => (one.confirmed === 'not' && one.could_be_peer ? 'open' : one.confirmed) === confirmed,
  );
}

// Rows without a suspicion of their own: a NIC that is not there, a machine that was not measured.
function rowsOf(fleet: Fleet, verdict: string): number[] {
  return Array.from({ length: fleet.rows.rows }, (_, row) => row).filter(
    (row) => fleet.rows.text('verdict', row) === verdict,
  );
}

function nameOfRow(row: number, fleet: Fleet): string {
  const slot = fleet.rows.text('nic_pci_address', row);
  const node = fleet.rows.text('node', row);
  return slot ? `${node} ${nicName(slot, fleet.rows.text('nic_name', row))}` : node;
}

function listed(names: string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return names.slice(0, NAMED).join('; ') + more;
}

// The answer to "which NIC is bad?", in a sentence or two.
export function answer(fleet: Fleet): Child {
  const slow = stands(fleet, 'slow').map((one) => subject(one, (slot) => fleet.nameOf(slot)));
  const missing = rowsOf(fleet, 'MISSING').map((row) => nameOfRow(row, fleet));
  const open = stands(fleet, 'open').map((one) => subject(one, (slot) => fleet.nameOf(slot)));
  const unmeasured = rowsOf(fleet, 'UNMEASURED').map((row) => nameOfRow(row, fleet));
  const parts: [string, string[]][] = [
    ['Slow', slow],
    ['Missing', missing],
    ['Suspected', open],
    ['Not measured', unmeasured],
  ];
  const told = parts.filter(([, names]) => names.length > 0);
  const measured = fleet.data.counts.OK ?? 0;
  if (told.length === 0) {
    return h(
      'p',
      { class: 'answer' },
      measured > 0 ? 'No NIC, machine or path stands out.' : 'Nothing was measured yet.',
    );
  }
  return h(
    'ul',
    { class: 'answer' },
    told.map(([word, names]) => h('li', {}, h('b', {}, `${word}: `), listed(names))),
  );
}

function sentenceOf(suspicion: Suspicion, fleet: Fleet): string {
  return fleet.text(fleet.cell(suspicion.node, suspicion.slots[0] ?? ''), 'reason');
}

// The runs that show it: of a path the one between the two, else all of the machine's.
function runsOf(suspicion: Suspicion, fleet: Fleet): FleetRun[] {
  const { kind, node, peer } = suspicion;
  return fleet.runs.filter((run) =>
    kind === 'path'
      ? [run.initiator, run.target].sort().join() === [node, peer ?? ''].sort().join()
      : run.initiator === node || run.target === node,
  );
}

function evidence(suspicion: Suspicion, fleet: Fleet): Child {
  const rows: [string, Child][] = [
    [
      'Against the fleet',
      `${percent(-suspicion.deviation, 1)} slower, z ${number(suspicion.z, 3)}, adjusted p ${pValue(suspicion.adjusted_p)}`,
    ],
  ];
  if (suspicion.ratio !== undefined) {
    const interval = suspicion.interval
      ? `, ${suspicion.interval[0].toFixed(3)} to ${suspicion.interval[1].toFixed(3)} (${percent(suspicion.interval[2], 1)})`
      : ', too few rounds for an interval';
    rows.push([
      'Paired rounds',
      `${suspicion.ratio.toFixed(3)} times as fast${interval} in ${counted(suspicion.rounds.length, 'round')}`,
    ]);
  }
  const whom = withWhom(suspicion);
  if (whom) rows.push([suspicion.ratio === undefined ? 'To be measured again' : 'Measured again', whom]);
  const runs = runsOf(suspicion, fleet);
  if (runs.length > 0) rows.push(['Rests on', runs.map((run, index) => [index > 0 ? ', ' : '', runLink(run)])]);
  return h(
    'dl',
    { class: 'facts evidence-list' },
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}

// `reason` is a sentence without its full stop, as fleet.csv has it.
function item(
  verdict: string,
  whom: string,
  reason: string,
  more: Child,
  cell: SlotCell | null,
  show: ShowSlot,
): HTMLElement {
  return findingItem({
    name: verdict,
    words: fleetWords(verdict),
    whom,
    sentence: reason && `${reason}.`,
    more,
    show: cell && (() => show(cell)),
  });
}

function suspicionItem(suspicion: Suspicion, verdict: string, fleet: Fleet, show: ShowSlot): HTMLElement {
  const { node, slots } = suspicion;
  const whom = subject(suspicion, (slot) => fleet.nameOf(slot));
  const cell = slots.length > 0 ? fleet.cell(node, slots[0]) : null;
  return item(verdict, whom, sentenceOf(suspicion, fleet), evidence(suspicion, fleet), cell, show);
}

function rowItem(row: number, fleet: Fleet, show: ShowSlot): HTMLElement {
  const slot = fleet.rows.text('nic_pci_address', row);
  const cell = slot ? fleet.cell(fleet.rows.text('node', row), slot) : null;
  return item(fleet.rows.text('verdict', row), nameOfRow(row, fleet), fleet.rows.text('reason', row), null, cell, show);
}

export function findingItems(fleet: Fleet, show: ShowSlot): Child {
  const cleared = stands(fleet, 'not');
  const items = [
    ...stands(fleet, 'slow').map((one) => suspicionItem(one, 'SLOW', fleet, show)),
    ...rowsOf(fleet, 'MISSING').map((row) => rowItem(row, fleet, show)),
    ...stands(fleet, 'open').map((one) => suspicionItem(one, 'SUSPECT', fleet, show)),
  ];
  return [
    items.length > 0 && longItemList(items, SHOWN),
    cleared.length > 0 &&
      foldedItems(
        `${cleared.length} stood out, and paired rounds did not confirm it`,
        cleared.map((one) => suspicionItem(one, 'OK', fleet, show)),
      ),
  ];
}
