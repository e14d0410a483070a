/** Of values that are no finite numbers, in chunks of every kind that has them, and in the log. */
import { replaced } from './case.js';
import { specialFormat } from './formats.js';

import type { SentSeries } from '../support/remote-write.js';
import type { Opened, Point } from './outcome.js';

const staleBits = 0x7ff0000000000002n;
/** In turn; the NaNs are the usual one and one that says more. */
const specials = [
  staleBits,
  0x7ff8000000000000n,
  0x7ff0000000000000n,
  staleBits,
  0xfff0000000000000n,
  0x7ff80000000000abn,
];

type SentPoint = readonly [ts: number, value: number | bigint];

/** Every `every`th is special. */
function points(count: number, every: number, value: (ts: number) => number): SentPoint[] {
  return Array.from({ length: count }, (_, ts) => {
    const turn = specials[Math.floor(ts / every) % specials.length] ?? staleBits;
    return [ts, ts % every === every - 1 ? turn : value(ts)];
  });
}

/** Quarters, of which every sum is exact. */
const quarters = (ts: number): number => ((ts * 7) % 1000) / 4;

/** By metric: decimals merged, decimals and a line as flushed, too many to be kept apart, a log. */
const sent: Readonly<Record<string, readonly SentPoint[]>> = {
  merged: points(400, 40, quarters),
  flushed: points(120, 20, quarters),
  line: points(120, 20, (ts) => 3 * (ts - Math.floor(ts / 20))),
  many: points(30, 5, quarters),
  logged: points(30, 10, quarters),
};

function series(...metrics: readonly string[]): readonly SentSeries[] {
  return metrics.map((name) => ({ labels: { __name__: name }, samples: sent[name] ?? [] }));
}

/** As `make.ts` takes it in. */
export const specialParts = {
  merged: [0, 200].map((first) =>
    series('merged').map(({ labels, samples }) => ({
      labels,
      samples: samples.slice(first, first + 200),
    })),
  ),
  flushed: series('flushed', 'line', 'many'),
  logged: series('logged'),
};

function byMetric<T>(of: (all: readonly SentPoint[]) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(sent).map(([metric, all]) => [metric, of(all)]));
}

/** What reads of values see: no stale marker, and null for what is no finite number. */
const seen = (all: readonly SentPoint[]): Point[] =>
  all
    .filter(([, value]) => value !== staleBits)
    .map(([ts, value]) => [ts, typeof value === 'bigint' ? null : value]);

const bitsOf = (all: readonly SentPoint[]): (readonly [number, string])[] =>
  all.flatMap(([ts, value]) => (typeof value === 'bigint' ? [[ts, value.toString(16)]] : []));

const numbersOf = (all: readonly SentPoint[]): number[] =>
  seen(all).flatMap(([, value]) => value ?? []);

const sumOf = (all: readonly SentPoint[]): number => numbersOf(all).reduce((a, b) => a + b, 0);

function answersOf(metric: string, all: readonly SentPoint[]): (readonly [string, string])[] {
  const numbers = numbersOf(all);
  const folded = {
    rows: seen(all).length,
    values: numbers.length,
    total: sumOf(all),
    least: Math.min(...numbers),
    greatest: Math.max(...numbers),
    newest: numbers.at(-1),
  };
  const aggregates =
    'count(*) as rows, count(value) as values, sum(value) as total, min(value) as least, ' +
    'max(value) as greatest, last(value) as newest';
  const nulls = seen(all).filter(([, value]) => value === null);
  return [
    [`select ${aggregates} from ${metric} where time >= 0`, `${JSON.stringify(folded)}\n`],
    [
      `select time, value from ${metric} where time >= 0 and value is null`,
      nulls.map(([time, value]) => `${JSON.stringify({ time, value })}\n`).join(''),
    ],
  ];
}

const special: Opened = {
  opens: true,
  from: null,
  samples: byMetric(seen),
  sums: byMetric(sumOf),
  bits: byMetric(bitsOf),
  answers: Object.fromEntries(
    Object.entries(sent).flatMap(([metric, all]) => answersOf(metric, all)),
  ),
  annotations: 0,
  reasons: [],
};

export const specialCase = replaced('special', special, specialFormat);
