/** The databases to compare, and the installed ones among them. */
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
  /** This build comes first. */
  readonly peers: readonly Peer[];
  readonly versions: Readonly<Record<string, string>>;
  /** How to install the missing ones, by name. */
  readonly missing: Readonly<Record<string, string>>;
}

/** This build, and the databases whose name contains one of the words between commas. */
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
