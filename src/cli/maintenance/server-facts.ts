/** The status of a server in ten lines. A server of another version may omit anything. */

import { printByteSize } from '../../common/model/byte-size.js';

import type { Status } from '../../client/client.js';
import type { Cell } from '../session/table.js';

type Fact = readonly [name: string, value: Cell];

/** An earlier status, for the rate since then. */
export interface Seen {
  readonly samples: number;
  readonly atMs: number;
}

interface StatusLook {
  readonly url: string;
  /** Null for the first status. */
  readonly before: Seen | null;
  readonly now: Seen;
}

export function serverFacts(status: Partial<Status>, look: StatusLook): readonly Fact[] {
  const { storage = {}, runtime = {}, memory = {}, reasons = [], warnings = [] } = status;
  const wrong: readonly Fact[] =
    reasons.length === 0 ? [['wrong', 'nothing']] : reasons.map((one) => ['wrong', one]);
  return [
    ['server', serverText(status, look.url)],
    ['up', durationText(status.uptime_seconds)],
    ['series', counted(storage['series'])],
    ['samples', samplesText(storage)],
    ['rate', rateText(status, look)],
    ['disk', diskText(storage)],
    ['wal', walText(runtime, storage)],
    ['segments', segmentsText(storage)],
    ['memory', memoryText(memory)],
    ...wrong,
    ...warnings.map((one): Fact => ['warning', one]),
  ];
}

type Figures = Readonly<Record<string, number>>;

function serverText(told: Partial<Status>, url: string): Cell {
  const { status = 'ok', version = 'of an unknown version', timestamp_unit: unit = '?' } = told;
  const state = told.storage?.['writes_blocked'] === 1 ? `${status}, refuses writes` : status;
  return `${state}, seriesdb ${version} at ${url}, times in ${unit}`;
}

const durations = [
  [86_400, 'd', 3600, 'h'],
  [3600, 'h', 60, 'min'],
  [60, 'min', 1, 's'],
] as const;

/** The two largest units: `2 d 3 h`. */
function durationText(seconds: number | undefined): Cell {
  if (seconds === undefined) return null;
  const found = durations.find(([unit]) => seconds >= unit);
  if (found === undefined) return `${seconds.toFixed(0)} s`;
  const [large, largeName, small, smallName] = found;
  const rest = Math.floor((seconds % large) / small);
  const parts = [`${Math.floor(seconds / large)} ${largeName}`, `${rest} ${smallName}`];
  return (rest === 0 ? parts.slice(0, 1) : parts).join(' ');
}

function counted(number: number | undefined): string {
  return number === undefined ? '-' : number.toLocaleString('en');
}

function sized(bytes: number | undefined): string {
  return bytes === undefined ? '-' : printByteSize(bytes);
}

function samplesText({ memtable_samples: held, segment_samples: kept }: Figures): Cell {
  if (held === undefined && kept === undefined) return null;
  const all = (held ?? 0) + (kept ?? 0);
  return `${counted(all)}${(held ?? 0) === 0 ? '' : `, of them ${counted(held)} in memory`}`;
}

function rateText(told: Partial<Status>, { before, now }: StatusLook): Cell {
  const { uptime_seconds: seconds = 0, runtime = {} } = told;
  const passed = before === null ? seconds : (now.atMs - before.atMs) / 1000;
  if (runtime['ingest_total'] === undefined || !(passed > 0)) return null;
  // A server that restarted in between counts from zero.
  const stored = Math.max(0, now.samples - (before?.samples ?? 0));
  const since = before === null ? 'since the start' : 'now';
  const refused = runtime['ingest_rejected_total'] ?? 0;
  const rest = refused === 0 ? '' : `; ${counted(refused)} refused`;
  return `${counted(Math.round(stored / passed))} samples/s ${since}${rest}`;
}

function diskText(storage: Figures): Cell {
  if (storage['segment_bytes'] === undefined) return null;
  const { segment_bytes: kept, history_bytes: past, disk_free_bytes: free } = storage;
  return `${sized(kept)} in segments, ${sized(past)} of history; ${sized(free)} free`;
}

function walText({ wal_bytes_total: bytes }: Figures, storage: Figures): Cell {
  const { wal_disk_bytes: kept, wal_sync_total: syncs } = storage;
  if (bytes === undefined || syncs === undefined) return null;
  const there = kept === undefined ? '' : `${sized(kept)} on the disk; `;
  const word = syncs === 1 ? 'sync' : 'syncs';
  return `${there}${sized(bytes)} in ${counted(syncs)} ${word} since the start`;
}

function segmentsText({ segments, segments_quarantined: damaged = 0 }: Figures): Cell {
  if (segments === undefined || damaged === 0) return counted(segments);
  return `${counted(segments)}, and ${counted(damaged)} damaged`;
}

function memoryText({ memory_used_bytes: used, memory_limit_bytes: limit }: Figures): Cell {
  if (used === undefined || limit === undefined) return null;
  const share = limit === 0 ? '' : ` (${((100 * used) / limit).toFixed(1)}%)`;
  return `${sized(used)} of ${sized(limit)}${share}`;
}
