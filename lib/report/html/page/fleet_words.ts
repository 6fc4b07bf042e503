// How what a fleet's verdicts say is written for people.

import type { Suspicion } from './fleet_data.ts';
import { counted, number, percent, shortAddress, type VerdictWords } from './words.ts';

// Worst first.
export const FLEET_VERDICTS: Record<string, VerdictWords> = {
  SLOW: { sign: '▼', tone: 'bad', meaning: 'stood out of the fleet, and lost to a healthy machine in paired rounds' },
  MISSING: { sign: '✗', tone: 'bad', meaning: 'most machines of the type have a NIC in this slot' },
  SUSPECT: { sign: '?', tone: 'doubt', meaning: 'stood out of the fleet, and paired rounds did not settle it yet' },
  UNMEASURED: { sign: '–', tone: 'doubt', meaning: 'no run has it' },
  OK: { sign: '✓', tone: 'good', meaning: 'like the same slot of the other machines' },
};

export const FLEET_ORDER = Object.keys(FLEET_VERDICTS);

export function fleetWords(verdict: string): VerdictWords {
  return FLEET_VERDICTS[verdict] ?? { sign: '•', tone: 'none', meaning: '' };
}

// A chance that is too small to be written is not zero.
export function pValue(p: number): string {
  return p === 0 ? '< 1e-300' : number(p, 2);
}

export function fromMedian(deviation: number): string {
  return `${percent(Math.abs(deviation), 1)} ${deviation < 0 ? 'below' : 'above'} the median`;
}

export function isFlagged(verdict: string): boolean {
  return verdict === 'SLOW' || verdict === 'MISSING' || verdict === 'SUSPECT';
}

// "gpu same_switch" as "GPU, same switch".
export function placeName(place: string): string {
  const [kind, ...relation] = place.split(' ');
  return `${kind === 'gpu' ? 'GPU' : kind}, ${relation.join(' ').replaceAll('_', ' ').replace('numa', 'NUMA')}`;
}

export function nicName(slot: string, name: string): string {
  return name ? `${name} (${shortAddress(slot)})` : shortAddress(slot);
}

// What a suspicion is about: "n3 rdmap79s0 (4f:00.0)".
export function subject(suspicion: Suspicion, nameOf: (slot: string) => string): string {
  const { kind, node, peer, slots } = suspicion;
  const nics = slots.length === 1 ? nicName(slots[0], nameOf(slots[0])) : counted(slots.length, 'NIC');
  if (kind === 'path') return `${node} ↔ ${peer ?? ''}, ${nics}`;
  if (kind === 'machine') return `${node}, the machine (${nics})`;
  return `${node} ${nics}`;
}
