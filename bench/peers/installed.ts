/** The databases that are compared, and which of them are here. */
import { chdb } from './chdb.js';
import { clickhouse } from './clickhouse.js';
import { duckdb } from './duckdb.js';
import { influxdb } from './influxdb.js';
import type { Peer } from './peer.js';
import { prometheus } from './prometheus.js';
import { seriesdb, seriesdbPromql } from './seriesdb.js';
import { victoriaMetrics } from './victoria-metrics.js';

const all: readonly Peer[] = [
  ...[seriesdb, seriesdbPromql, victoriaMetrics, prometheus, influxdb, clickhouse, chdb, duckdb],
];

export interface Found {
  /** This build is the first. */
  readonly peers: readonly Peer[];
  readonly versions: Readonly<Record<string, string>>;
  /** What brings those that are missing, by name. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Of those whose name contains one of the words between commas, and this build. */
export async function findInstalled(words: string): Promise<Found> {
  const peers: Peer[] = [];
  const versions: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const isMeant = ({ name }: Peer): boolean => words.split(',').some((word) => name.includes(word));
  for (const peer of all.filter((one) => one === seriesdb || isMeant(one))) {
    const version = await peer.version();
    if (version === null) {
      missing[peer.name] = peer.origin;
      continue;
    }
    peers.push(peer);
    versions[peer.name] = version;
  }
  return { peers, versions, missing };
}
