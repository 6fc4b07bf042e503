// What was found, the sentence first: verdicts on the placement, findings, and the notes of the run.

import { tableOf } from './data.ts';
import { command, h, type Child } from './dom.ts';
import { badge, findingItem, foldedItems, itemList, longItemList, type Words } from './finding_item.ts';
import { attributingField, type Cell, type Decision, type Run } from './model.ts';
import { counted, percent, rankOf, shortAddress, VERDICT_ORDER } from './words.ts';

export type ShowCell = (cell: Cell, compared: Cell | null) => void;

function count<Key>(keys: Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

export function verdictCounts(decisions: Decision[]): Child {
  const counts = count(decisions.map((decision) => decision.verdict));
  return h(
    'ul',
    { class: 'counts', 'aria-label': 'Number of each verdict' },
    VERDICT_ORDER.filter((verdict) => counts.has(verdict)).map((verdict) =>
      h('li', {}, h('b', {}, String(counts.get(verdict))), ' ', badge(verdict)),
    ),
  );
}

// Of a run that judged nothing how to get verdicts, and of verdicts of this page alone whose they are.
export function judgedBy(run: Run): Child {
  const { judged, how_to_judge: how } = run.data;
  if (judged) {
    return h(
      'p',
      { class: 'small' },
      'Judged for this page, by what the run recorded: placement ',
      h('b', {}, judged),
      '. The run’s files have none of these verdicts.',
    );
  }
  if (run.decisions.length > 0) return null;
  return h(
    'p',
    { class: how ? 'answer' : null },
    'No placement was judged in this run',
    how ? [', so no verdict stands here. This makes the page with verdicts: ', command(how)] : '.',
  );
}

// The cells that a verdict rests on: where a chosen NIC loses most against one that is better, else
// the chosen NIC's cell that looks worst.
export function evidenceOf(decision: Decision, run: Run): { cell: Cell; compared: Cell | null } | null {
  const cellsOf = (nic: string): Cell[] =>
    run.views.map((view) => run.cell(view.key, nic, decision.consumer)).filter((cell): cell is Cell => !!cell);
  const chosen = decision.chosen.flatMap(cellsOf);
  const better = decision.best.filter((nic) => !decision.chosen.includes(nic)).flatMap(cellsOf);
  let found: { cell: Cell; compared: Cell | null; ratio: number } | null = null;
  for (const cell of chosen.filter((candidate) => !decision.best.includes(candidate.nic))) {
    for (const compared of better) {
      if (compared.view !== cell.view || !cell.median || !compared.median) continue;
      const ratio = cell.median / compared.median;
      if (!found || ratio < found.ratio) found = { cell, compared, ratio };
    }
  }
  if (found) return found;
  const ranked = chosen.sort(
    (a, b) => rankOf(a.verdict) - rankOf(b.verdict) || (run.classRatio(a) ?? 2) - (run.classRatio(b) ?? 2),
  );
  return ranked.length > 0 ? { cell: ranked[0], compared: null } : null;
}

export function nicNames(keys: string[], run: Run): string {
  return keys
    .map((key) => {
      const nic = run.nic(key);
      return nic.name ? `${nic.name} (${shortAddress(key)})` : shortAddress(key);
    })
    .join(', ');
}

function regretOf(decision: Decision): string {
  // What the other sentences say already, where nothing is lost.
  if (decision.regret === null || decision.regret < 0.0005) return '';
  const interval =
    decision.regretLow !== null && decision.regretHigh !== null
      ? `, interval ${percent(Math.max(0, decision.regretLow), 1)} to ${percent(Math.max(0, decision.regretHigh), 1)}`
      : ', without an interval';
  const rounds = decision.rounds === null ? '' : ` in ${counted(decision.rounds, 'paired round')}`;
  return `${percent(decision.regret, 1)} of the best choice’s throughput${rounds}${interval}`;
}

function decisionItem(decision: Decision, run: Run, show: ShowCell): HTMLElement {
  const regret = regretOf(decision);
  const evidence = evidenceOf(decision, run);
  return findingItem({
    name: decision.verdict,
    whom: run.place(decision.consumer).label,
    sentence: decision.sentence,
    more: [
      `Chosen: ${nicNames(decision.chosen, run) || 'none'}.`,
      decision.best.length > 0 && `Best: ${nicNames(decision.best, run)}.`,
      regret && `Lost: ${regret}.`,
    ]
      .filter(Boolean)
      .join(' '),
    show: evidence && (() => show(evidence.cell, evidence.compared)),
  });
}

export function decisionList(run: Run, show: ShowCell): Child {
  const items = (decisions: Decision[]): HTMLElement[] =>
    decisions.map((decision) => decisionItem(decision, run, show));
  const sorted = [...run.decisions].sort((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
  const open = sorted.filter((decision) => decision.verdict !== 'OK');
  const fine = sorted.filter((decision) => decision.verdict === 'OK');
  return [
    open.length > 0 && itemList(items(open)),
    fine.length > 0 && foldedItems(`${counted(fine.length, 'consumer')} OK`, items(fine), open.length === 0),
  ];
}

const SEVERITIES: Record<string, Words> = {
  error: { sign: '✗', tone: 'bad' },
  warning: { sign: '⚠', tone: 'doubt' },
  note: { sign: 'ℹ', tone: 'none' },
};

function severityRank(severity: string): number {
  const rank = Object.keys(SEVERITIES).indexOf(severity);
  return rank < 0 ? Object.keys(SEVERITIES).length : rank;
}

// A cell that a finding is about: the slowest of its NIC and places, of the transfers that its field
// attributes.
function cellOfFinding(nic: string, places: string[], field: string, run: Run): Cell | null {
  const views = run.views.filter(
    (view) => !field || field === 'recv' || attributingField(view.operation, view.direction) === field,
  );
  const cells = views
    .flatMap((view) => places.map((place) => run.cell(view.key, nic, place)))
    .filter((cell): cell is Cell => cell !== undefined && cell.median !== null);
  return cells.sort((a, b) => (run.classRatio(a) ?? 2) - (run.classRatio(b) ?? 2))[0] ?? null;
}

const SHOWN = 8;

export function findingList(run: Run, show: ShowCell): Child {
  const table = tableOf(run.data, 'findings');
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  if (rows.length === 0) return null;
  rows.sort((a, b) => severityRank(table.text('severity', a)) - severityRank(table.text('severity', b)));
  const item = (row: number): HTMLElement => {
    const severity = table.text('severity', row);
    const nic = table.text('nic_pci_address', row);
    const cell = nic ? cellOfFinding(nic, table.list('places', row), table.text('field', row), run) : null;
    return findingItem({
      name: severity,
      words: SEVERITIES[severity] ?? { sign: '•', tone: 'none' },
      whom: nic && nicNames([nic], run),
      sentence: table.text('sentence', row),
      more: table.text('evidence', row),
      show: cell && (() => show(cell, null)),
    });
  };
  return [h('h3', {}, counted(rows.length, 'finding')), longItemList(rows.map(item), SHOWN)];
}

const SHARING: Record<string, Words> = {
  slowed: { sign: '▼', tone: 'bad' },
  noisy: { sign: '≈', tone: 'doubt' },
  undecided: { sign: '?', tone: 'doubt' },
  independent: { sign: '✓', tone: 'good' },
};

// Of a run of load: what NICs that run at once do to each other.
export function groupList(run: Run): Child {
  const table = tableOf(run.data, 'groups');
  if (table.rows === 0) return null;
  const order = Object.keys(SHARING);
  const rows = Array.from({ length: table.rows }, (_, row) => row).sort(
    (a, b) => order.indexOf(table.text('sharing', a)) - order.indexOf(table.text('sharing', b)),
  );
  const item = (row: number): HTMLElement => {
    const sharing = table.text('sharing', row);
    const factor = table.number('sharing_factor', row);
    const [low, high] = [table.number('sharing_factor_low', row), table.number('sharing_factor_high', row)];
    const interval = low !== null && high !== null ? ` (${percent(low, 1)} to ${percent(high, 1)})` : '';
    const moved = factor === null ? '' : ` At once they move ${percent(factor, 1)} of what they move alone${interval}.`;
    const direction = table.text('direction', row) || 'both directions';
    return findingItem({
      name: sharing,
      words: SHARING[sharing] ?? { sign: '•', tone: 'none' },
      whom: `${table.text('load', row)}, ${table.text('operation', row).toUpperCase()} ${direction}`,
      sentence: table.text('reason', row),
      more: `${nicNames(table.list('nic_pci_addresses', row), run)} at ${table.list('places', row).join(', ')}.${moved}`,
    });
  };
  return [h('h3', {}, 'NICs that ran at once'), itemList(rows.map(item))];
}

export function noteList(run: Run): Child {
  const notes = run.data.info?.notes ?? [];
  const missing = run.data.files.filter((file) => file.problem !== '').map((file) => `${file.name}: ${file.problem}`);
  const all = [...notes, ...missing];
  if (all.length === 0) return null;
  return [
    h('h3', {}, 'Notes of the run'),
    h(
      'ul',
      { class: 'notes' },
      all.map((note) => h('li', {}, note)),
    ),
  ];
}
