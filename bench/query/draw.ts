/**
 * What is asked, drawn from a seed: with every request other hosts, another metric and another
 * window, so that nothing that remembers statements can answer.
 */
import type { Random } from '../../test/support/random.js';

import { firstTs, hourMs, labelsOf, metrics } from '../generator.js';

/** Of every run, unless SERIESDB_SEED says another: what is compared is asked the same. */
export const seed = Number(process.env['SERIESDB_SEED'] ?? '7');

/** The data that is asked: hosts of ten metrics each, for so many hours. */
export interface Stock {
  readonly hosts: number;
  readonly hours: number;
}

/** How much of it one request is about. */
export interface Extent {
  readonly hosts?: number;
  readonly metrics?: number;
  readonly lengthMs: number;
}

export interface Draw {
  readonly hosts: readonly string[];
  readonly metrics: readonly string[];
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export function draw(random: Random, stock: Stock, extent: Extent): Draw {
  const start = firstTs + random.below(stock.hours * hourMs - extent.lengthMs + 1);
  return {
    hosts: someBelow(random, stock.hosts, extent.hosts ?? 1).map(hostName),
    metrics: someBelow(random, metrics.length, extent.metrics ?? 1).map((at) => metrics[at] ?? ''),
    start,
    end: start + extent.lengthMs,
  };
}

const hostName = (at: number): string => labelsOf(at)['host'] ?? '';

/** So many different numbers below a limit, which is not less. */
function someBelow(random: Random, limit: number, count: number): number[] {
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(random.below(limit));
  return [...drawn];
}
