// How numbers, names and verdicts are written for people.

const GIGA = 1e9;

export function number(value: number, digits = 4): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return Math.abs(value) >= 10 ** digits ? value.toFixed(0) : String(Number(value.toPrecision(digits)));
}

export function rate(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? 'not measured' : `${(bytesPerSecond / GIGA).toPrecision(4)} GB/s`;
}

export function percent(fraction: number, digits = 0): string {
  return `${(fraction * 100).toFixed(digits)} %`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}

export function duration(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${(nanoseconds / 1e9).toPrecision(3)} s`;
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
  return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// "0000:4f:00.0" as "4f:00.0", which is what people say; the domain stays where it is not 0.
export function shortAddress(address: string): string {
  return address.replace(/^0000:/, '');
}

// As a shell takes it for one word.
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// The columns of the report files, for table heads: their title, and how a value is shown.
export interface Presented {
  title: string;
  numeric: boolean;
  show: (value: string | number) => string;
}

const AS_IS = (value: string | number): string => (typeof value === 'number' ? number(value) : value);

export function present(column: string): Presented {
  const units: [string, string, (value: number) => string][] = [
    ['_bytes_per_second', ', GB/s', (value) => (value / GIGA).toPrecision(4)],
    ['_per_second', ' /s', (value) => number(value)],
    ['_ns', ', ms', (value) => number(value / 1e6)],
    ['_fraction', ', %', (value) => number(value * 100, 3)],
    ['bytes', '', bytes],
  ];
  for (const [suffix, unit, show] of units) {
    if (!column.endsWith(suffix)) continue;
    return {
      title: column.slice(0, -suffix.length).replaceAll('_', ' ').trim() + unit || 'size',
      numeric: true,
      show: (value) => (typeof value === 'number' ? show(value) : value),
    };
  }
  return { title: column.replaceAll('_', ' '), numeric: false, show: AS_IS };
}

// A verdict is a word and a sign, never a colour alone. Worst first.
export interface VerdictWords {
  sign: string;
  tone: 'bad' | 'doubt' | 'good' | 'none';
  meaning: string;
}

export const VERDICTS: Record<string, VerdictWords> = {
  WRONG: { sign: '✗', tone: 'bad', meaning: 'a NIC that could be used instead was measured better by more than 10 %' },
  SLOW: { sign: '▼', tone: 'bad', meaning: 'a chosen NIC is slower than its class' },
  OVERSUBSCRIBED: { sign: '⇉', tone: 'bad', meaning: 'a NIC serves several consumers while others idle' },
  IDLE: { sign: '◌', tone: 'bad', meaning: 'NICs as near and as good as the chosen ones are used by nobody' },
  INVALID: { sign: '⚠', tone: 'doubt', meaning: 'the measurement contradicts itself' },
  NOISY: { sign: '≈', tone: 'doubt', meaning: 'the measurement spreads too much to tell' },
  UNDECIDED: { sign: '?', tone: 'doubt', meaning: 'something that the verdict needs was not measured' },
  OK: { sign: '✓', tone: 'good', meaning: 'no better choice was measured' },
};

export const VERDICT_ORDER = Object.keys(VERDICTS);

export function wordsOf(verdict: string): VerdictWords {
  return VERDICTS[verdict] ?? { sign: '•', tone: 'none', meaning: '' };
}

export function rankOf(verdict: string): number {
  const rank = VERDICT_ORDER.indexOf(verdict);
  return rank < 0 ? VERDICT_ORDER.length : rank;
}

export function dimension(operation: string, direction: string): string {
  return `${operation.toUpperCase()} ${direction}`;
}

export const RELATIONS: Record<string, string> = {
  same_switch: 'same switch',
  same_host_bridge: 'same host bridge',
  same_numa_node: 'same NUMA node',
  other_numa_node: 'other NUMA node',
  unknown: 'relation unknown',
};
