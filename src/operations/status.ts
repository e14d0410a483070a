/** The database's state for `/status`. */

import {
  compatibilityMetrics,
  indexMetrics,
  memoryMetrics,
  runtimeMetrics,
  storedFigures,
} from '../telemetry/metric-names.js';
import { backupStatus, type BackupStatus } from '../telemetry/backup-status.js';
import { bucketStatus, type BucketStatus } from '../telemetry/bucket-status.js';
import { uptimeSeconds } from '../telemetry/uptime.js';

import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { Modes } from './modes.js';
import type { OperationsOptions } from './options.js';

type Counters = Readonly<Record<string, number>>;

/**
 * The specification's status object. It adds `reasons` and `warnings`, if any, and facts that a
 * client needs before other requests.
 */
export interface StatusSnapshot extends Modes {
  readonly status: 'ok' | 'degraded';
  readonly reasons?: readonly string[];
  readonly warnings?: readonly string[];
  /** Version of the server. */
  readonly version: string;
  /** Unit of every `ts`. */
  readonly timestamp_unit: TimestampUnit;
  /** Whether routes under `/api/` require a token. */
  readonly auth_required: boolean;
  /** Since the server's program was loaded. */
  readonly uptime_seconds: number;
  readonly compatibility_debt: Counters;
  readonly runtime: Counters;
  /** Stored data, and free disk space. */
  readonly storage: Counters;
  /** The bucket that the database is on; absent without one. */
  readonly bucket?: BucketStatus;
  /** The backups by schedule; absent without one. */
  readonly backup?: BackupStatus;
  /** Bytes of the engine's memory by part, with sum and limit. */
  readonly memory: Counters;
  /** Bytes of the series index by part. */
  readonly index: Counters;
}

export function statusSnapshot(options: OperationsOptions, queryFigures: Counters): StatusSnapshot {
  const { bucket, backup = null } = options;
  const lost = bucket?.failure() ?? null;
  const reasons = [
    ...options.storage.degradedReasons(),
    ...options.degradedReasons,
    ...(lost === null ? [] : [lost]),
  ];
  const stats = { ...options.storage.stats(), ...queryFigures };
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(options.warnings.length === 0 ? {} : { warnings: options.warnings }),
    version: options.version,
    timestamp_unit: options.timestampUnit,
    auth_required: options.isAuthRequired,
    uptime_seconds: uptimeSeconds(),
    ...options.modes,
    compatibility_debt: pick(stats, compatibilityMetrics),
    runtime: pick(stats, runtimeMetrics),
    storage: storedNow(stats, options.diskFreeBytes),
    ...(bucket === undefined ? {} : { bucket: bucketStatus(bucket, options.storage) }),
    ...(backup === null ? {} : { backup: backupStatus(backup) }),
    memory: pick(stats, memoryMetrics),
    index: pick(stats, indexMetrics),
  };
}

function storedNow(stats: Counters, diskFreeBytes: number | null): Counters {
  return {
    ...Object.fromEntries(storedFigures.map((name) => [name, stats[name] ?? 0])),
    ...(diskFreeBytes === null ? {} : { disk_free_bytes: diskFreeBytes }),
  };
}

/** The named counters; 0 for features that do not exist. */
function pick(stats: Counters, names: Readonly<Record<string, string>>): Counters {
  return Object.fromEntries(Object.keys(names).map((name) => [name, stats[name] ?? 0]));
}
