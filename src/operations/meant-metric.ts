/** What was meant by the name of a metric that matched nothing, for errors. */

import { didYouMean } from '../model/nearest.js';

import { findMetrics } from './discovery.js';

import type { Storage } from '../storage/storage.js';

/** Metrics that are compared with it: those that begin alike, in order. */
const kComparedMax = 2000;

/** A hint, or undefined where nothing is near. Never rejects: it explains another error. */
export async function meantMetric(storage: Storage, metric: string): Promise<string | undefined> {
  const [prefix] = metric;
  const known = await metricNames(storage, prefix).catch((): readonly string[] => []);
  if (known.includes(metric)) {
    return `${metric} has no such series; write show series from ${asWritten(metric)}`;
  }
  return didYouMean(metric, known);
}

/** As a statement names it. */
function asWritten(metric: string): string {
  const isPlain = /^[A-Za-z_]\w*(?:\.\w+)*$/.test(metric);
  return isPlain ? metric : `"${metric.replaceAll('"', '""')}"`;
}

async function metricNames(
  storage: Storage,
  prefix: string | undefined,
): Promise<readonly string[]> {
  const limit = kComparedMax;
  const stream = findMetrics(storage, { prefix, labels: undefined, limit });
  try {
    const pieces: Uint8Array[] = [];
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
      pieces.push(piece);
    }
    const found = JSON.parse(Buffer.concat(pieces).toString()) as readonly { metric?: string }[];
    return found.flatMap(({ metric = '' }) => metric);
  } finally {
    stream.close();
  }
}
