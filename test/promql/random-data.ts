/** Seeded series of every kind that expressions may read. */
import { Random } from '../support/random.js';

import type { NaiveSeries } from './naive-source.js';

export const kDataStartMs = 1_700_000_000_000;
const kScrapeMs = 15_000;
const kScrapes = 180;
/** The time of the last scrape. */
export const kDataEndMs = kDataStartMs + (kScrapes - 1) * kScrapeMs;

type Samples = NaiveSeries['samples'][number][];
type Next = (random: Random, before: number) => number;

const counter: Next = (random, before) =>
  random.chance(0.02) ? random.below(5) : before + (random.chance(0.3) ? 0 : random.below(40));
const gauge: Next = (random, before) => before + Math.round((random.unit() - 0.5) * 800) / 100;
const steps: Next = (random, before) => (random.chance(0.9) ? before : random.below(6) - 2);

/** Scrapes with gaps, stale markers at the end of a series, and occasionally a NaN. */
function samplesOf(random: Random, next: Next, first: number): Samples {
  const samples: Samples = [];
  let value = first;
  let isAway = false;
  for (let scrape = 0; scrape < kScrapes; scrape += 1) {
    const jitter = random.chance(0.3) ? random.below(400) : 0;
    const ts = kDataStartMs + scrape * kScrapeMs + jitter;
    value = next(random, value);
    if (isAway) {
      isAway = random.chance(0.9);
    } else if (random.chance(0.01)) {
      isAway = true;
      samples.push([ts, 'stale']);
    } else if (!random.chance(0.05)) {
      samples.push([ts, value]);
    }
  }
  return samples;
}

export function randomSeries(seed: number): readonly NaiveSeries[] {
  const random = new Random(seed);
  const series: NaiveSeries[] = [];
  const add = (name: string, labels: Record<string, string>, samples: Samples): void => {
    series.push({ labels: { __name__: name, ...labels }, samples });
  };
  for (const job of ['api', 'db']) {
    add('limit', { job }, samplesOf(random, steps, 3));
    for (const instance of ['1', '2', '10']) {
      const of = { job, instance };
      add('temperature', of, samplesOf(random, gauge, 20));
      add(
        'build_info',
        { ...of, version: `v${random.below(3)}` },
        samplesOf(random, () => 1, 1),
      );
      add(
        'odd',
        of,
        samplesOf(random, (from) => from.pick([NaN, Infinity, -0.5, 0, 3]), 0),
      );
      for (const code of ['200', '500']) {
        add('requests_total', { ...of, code }, samplesOf(random, counter, random.below(90)));
      }
      addBuckets(random, of, add);
    }
  }
  return series;
}

function addBuckets(
  random: Random,
  of: Record<string, string>,
  add: (name: string, labels: Record<string, string>, samples: Samples) => void,
): void {
  const counts = [0, 0, 0, 0];
  const bounds = ['0.1', '0.5', '2', '+Inf'];
  const samples: Samples[] = bounds.map(() => []);
  for (let scrape = 0; scrape < kScrapes; scrape += 1) {
    const ts = kDataStartMs + scrape * kScrapeMs;
    let sum = 0;
    bounds.forEach((_bound, place) => {
      counts[place] = (counts[place] ?? 0) + random.below(9);
      samples[place]?.push([ts, (sum += counts[place] ?? 0)]);
    });
  }
  bounds.forEach((le, place) => {
    add('latency_bucket', { ...of, le }, samples[place] ?? []);
  });
}
