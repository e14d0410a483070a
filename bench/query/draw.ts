/**
 * Random queries from a seed. Every request has other hosts, another metric and another window, so
 * that no cache of statements can answer.
 */
import type { Random } from '../../test/support/random.js';

import { firstTs, hourMs, labelsOf, metrics } from '../generator.js';

/**
 * The seed of every run, unless SERIESDB_SEED is set, so that compared builds get the same
 * requests.
 */
export const seed = Number(process.env['SERIESDB_SEED'] ?? '7');

/** The stored data: hosts with ten metrics each, for some hours. */
export interface Stock {
  readonly hosts: number;
  readonly hours: number;
}

/** The part of the data that one request reads. */
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

/** `count` different numbers below `limit`. REQUIRES: `limit` is not less than `count`. */
function someBelow(random: Random, limit: number, count: number): number[] {
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(random.below(limit));
  return [...drawn];
}
