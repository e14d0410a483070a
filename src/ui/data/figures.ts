/** The server's status and metrics. This tab alone stores their history. */

import { signal } from '@preact/signals';

import { figureOf, quantileBetween, readExposition, risen, type Between } from '../exposition.js';
import { baseUrl } from './base.js';
import { askStatus } from './server.js';

import type { Status } from '../../client/client.js';
import type { Exposition } from '../exposition.js';

/** The figures of one moment; rates cover the time since the previous moment. */
interface FigureMoment {
  readonly atMs: number;
  readonly samplesPerSecond: number;
  readonly queriesPerSecond: number;
  /** The share of one CPU core. */
  readonly cpuShare: number;
  readonly memoryBytes: number;
  readonly residentBytes: number;
}

export interface ServerView {
  readonly status: Status;
  /** Covers the last minute, or the server's uptime if this tab is younger. */
  readonly between: Between;
  readonly seconds: number;
  readonly isSinceStart: boolean;
}

/** Ten minutes of moments, one every five seconds. */
const kMomentsMax = 120;
/** Quantiles cover a minute: over five seconds they would jump. */
const kLooksMax = 13;

export const moments = signal<readonly FigureMoment[]>([]);

interface FigureLook {
  readonly atMs: number;
  readonly figures: Exposition;
}

let looks: readonly FigureLook[] = [];

export async function askServer(signal: AbortSignal): Promise<ServerView> {
  const status = await askStatus(signal);
  const response = await fetch(`${baseUrl}/metrics`, {
    signal,
    credentials: 'omit',
    cache: 'no-store',
  });
  if (!response.ok) throw new Error(`/metrics was answered by ${response.status}`);
  const look = { atMs: Date.now(), figures: readExposition(await response.text()) };
  keep(look, status);
  return viewOf(look, status);
}

function keep(look: FigureLook, status: Status): void {
  const last = looks.at(-1);
  looks = [...looks, look].slice(-kLooksMax);
  if (last === undefined) return;
  const between = { before: last.figures, now: look.figures };
  const seconds = Math.max(0.001, (look.atMs - last.atMs) / 1000);
  const moment = {
    atMs: look.atMs,
    samplesPerSecond: risen(between, 'seriesdb_ingest_total') / seconds,
    queriesPerSecond: risen(between, 'seriesdb_query_compile_attempts_total') / seconds,
    cpuShare: risen(between, 'process_cpu_seconds_total') / seconds,
    memoryBytes: status.memory['memory_used_bytes'] ?? 0,
    residentBytes: figureOf(look.figures, 'process_resident_memory_bytes'),
  };
  moments.value = [...moments.value, moment].slice(-kMomentsMax);
}

function viewOf(look: FigureLook, status: Status): ServerView {
  const [first] = looks;
  const isSinceStart = first === undefined || first === look;
  const before = isSinceStart ? new Map() : first.figures;
  const seconds = isSinceStart ? status.uptime_seconds : (look.atMs - first.atMs) / 1000;
  return { status, between: { before, now: look.figures }, seconds, isSinceStart };
}

const histograms = {
  loop: { name: 'seriesdb_event_loop_delay_seconds' },
  sync: { name: 'seriesdb_stage_duration_seconds', labels: { stage: 'wal_sync' } },
} as const;

/** The 99th percentile, in seconds; null: no observations. */
export function slowest(view: ServerView, which: keyof typeof histograms): number | null {
  return quantileBetween(view.between, { ...histograms[which], quantile: 0.99 });
}

interface RouteTimes {
  readonly route: string;
  readonly requests: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** Routes that this page itself polls. */
const ownRoutes = ['/status', '/metrics'];

/** The other routes with requests, the busiest first. */
export function routeTimes({ between }: ServerView): readonly RouteTimes[] {
  const name = 'seriesdb_http_request_duration_seconds';
  const rows = between.now.get(`${name}_count`) ?? [];
  const routes = [...new Set(rows.map(({ labels }) => labels['route'] ?? ''))];
  const countOf = (figures: Exposition, route: string): number =>
    (figures.get(`${name}_count`) ?? [])
      .filter(({ labels }) => labels['route'] === route)
      .reduce((sum, { value }) => sum + value, 0);
  return routes
    .map((route) => ({
      route,
      requests: countOf(between.now, route) - countOf(between.before, route),
      p50: quantileBetween(between, { name, labels: { route }, quantile: 0.5 }),
      p99: quantileBetween(between, { name, labels: { route }, quantile: 0.99 }),
    }))
    .filter(({ route, requests }) => requests > 0 && !ownRoutes.includes(route))
    .sort((left, right) => right.requests - left.requests);
}
