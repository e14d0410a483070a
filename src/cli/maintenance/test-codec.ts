/** Stores samples of many kinds in a new database, and compares them bit by bit after a restart. */

import path from 'node:path';

import type { Directories, ScratchDatabase } from '../session/directories.js';
import type { TestFinding } from '../../common/model/finding.js';
import type { TestPlace } from './test-place.js';

const kSamplesPerSeries = 50_000;
const kSamplesPerBody = 10_000;
const kStart = 1_700_000_000_000n;

/** The same numbers on each machine, from 0 to below 1 (a linear congruential generator). */
function* uniform(): Generator<number> {
  let state = 1n;
  for (;;) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    yield Number(state >> 11n) / 2 ** 53;
  }
}

const extremes = [0, -0, 1, -1, 5e-324, -5e-324, 1.7976931348623157e308, 2 ** 53, 0.1, 1 / 3];

/** `next` gives numbers from 0 to below 1. */
type Maker = (at: number, next: () => number) => number;

/** One maker of values for each codec that a chunk may choose. */
const makers: Readonly<Record<string, Maker>> = {
  constant: () => 42.5,
  counter: (at) => at * 15,
  decimals: (at, next) => Math.round(20_000 + 1000 * Math.sin(at / 100) + 10 * next()) / 100,
  doubles: (_, next) => next(),
  runs: (at) => Math.floor(at / 500) % 7,
  extremes: (at) => extremes[at % extremes.length] ?? 0,
};

/** Steps that repeat, jitter and leap. */
function timesOf(count: number, next: () => number): readonly bigint[] {
  let time = kStart;
  return Array.from({ length: count }, (_, at) => {
    const leap = at % 10_000 === 9_999 ? 3_600_000n : 0n;
    time += 10_000n + BigInt(Math.floor(3 * next())) + leap;
    return time;
  });
}

interface StoredSeries {
  readonly metric: string;
  readonly times: readonly bigint[];
  readonly values: readonly number[];
}

export async function testCodec({ folder, directories, signal }: TestPlace): Promise<TestFinding> {
  const directory = path.join(folder, 'data');
  const numbers = uniform();
  const next = (): number => numbers.next().value as number;
  const times = timesOf(kSamplesPerSeries, next);
  const series = Object.entries(makers).map(([metric, make]) => {
    return { metric, times, values: times.map((_, at) => make(at, next)) };
  });
  const count = series.length * kSamplesPerSeries;
  const began = performance.now();
  let database = await directories.openScratch(directory);
  const { kernel } = database;
  try {
    for (const one of series) {
      for (let at = 0; at < kSamplesPerSeries; at += kSamplesPerBody) {
        signal.throwIfAborted();
        await database.ingest(linesOf(one, at));
      }
    }
    if (!(await isLocked(directories, directory))) {
      return { verdict: 'failed', text: 'a database can be opened twice' };
    }
  } finally {
    await database.close();
  }
  const storedMs = performance.now() - began;
  database = await directories.openScratch(directory);
  try {
    for (const one of series) {
      signal.throwIfAborted();
      const wrong = await firstWrong(database, one);
      if (wrong !== null) return { verdict: 'failed', text: wrong };
    }
  } finally {
    await database.close();
  }
  const rate = Math.round((count / storedMs) * 1000);
  return {
    verdict: 'ok',
    text:
      `${String(count)} samples are equal bit by bit after a restart, by the ${kernel} kernels; ` +
      `${String(rate)} stored a second`,
    figures: { kernel, samples: count, samples_per_second: rate },
  };
}

/** True if the directory refuses to be opened because it is open. Rejects for another reason. */
async function isLocked({ openScratch }: Directories, directory: string): Promise<boolean> {
  try {
    const second = await openScratch(directory);
    await second.close();
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'locked') return true;
    throw error;
  }
}

function linesOf({ metric, times, values }: StoredSeries, from: number): string {
  const lines: string[] = [];
  for (let at = from; at < from + kSamplesPerBody; at += 1) {
    const value = values[at] ?? 0;
    const text = Object.is(value, -0) ? '-0.0' : String(value);
    lines.push(`{"metric":"${metric}","labels":{},"ts":${String(times[at])},"value":${text}}`);
  }
  return lines.join('\n');
}

/** A sentence about the first sample that differs; null if all are equal. */
async function firstWrong(
  database: ScratchDatabase,
  { metric, times, values }: StoredSeries,
): Promise<string | null> {
  const end = times.at(-1) ?? kStart;
  const found = await database.range({ metric, start: kStart, end });
  if (found.length !== times.length) {
    return `${metric} has ${String(found.length)} samples instead of ${String(times.length)}`;
  }
  const at = found.findIndex(({ ts, value }, i) => ts !== times[i] || !Object.is(value, values[i]));
  if (at < 0) return null;
  const { ts, value } = found[at] ?? {};
  return (
    `sample ${String(at)} of ${metric} is ${String(value)} at ${String(ts)}, ` +
    `and was stored as ${String(values[at])} at ${String(times[at])}`
  );
}
