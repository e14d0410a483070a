/** From settings to an open storage, with a server around it or without. */

import { openNativeStorage } from './storage/native-storage.js';

import type { Settings } from './config/settings.js';
import type { RetentionRule, Storage, StorageLimits } from './storage/storage.js';

/** The units of a timestamp in a millisecond, as a fraction of two integers. */
const kUnitsPerMs: Readonly<Record<Settings['timestamp_unit'], readonly [bigint, bigint]>> = {
  s: [1n, 1000n],
  ms: [1n, 1n],
  us: [1000n, 1n],
  ns: [1_000_000n, 1n],
};

const kDayMs = 86_400_000;

function futureSkew(settings: Settings): bigint {
  if (settings.max_future_skew === null) return -1n;
  const [multiply, divide] = kUnitsPerMs[settings.timestamp_unit];
  return (BigInt(settings.max_future_skew) * multiply) / divide;
}

/** The rules, and behind them the one for all that they do not name. */
function retentionRules(settings: Settings): readonly RetentionRule[] {
  const [multiply, divide] = kUnitsPerMs[settings.timestamp_unit];
  const rules = [...settings.retention];
  if (settings.retention_days !== null) {
    rules.push({ match: '*', keepMs: settings.retention_days * kDayMs });
  }
  return rules.map(({ match, keepMs }) => ({
    match,
    // Rather a second too long than too short.
    keep: (BigInt(keepMs) * multiply + divide - 1n) / divide,
  }));
}

export function storageLimits(settings: Settings): StorageLimits {
  return {
    memtableMaxBytes: settings.memtable_max_bytes,
    flushIntervalMs: settings.flush_interval_ms,
    memoryLimitBytes: settings.memory_limit_bytes,
    maxLineBytes: settings.max_line_bytes,
    maxBodyBytes: settings.max_body_bytes,
    maxFutureSkew: futureSkew(settings),
    retention: retentionRules(settings),
  };
}

/** `addonPath` names another build of the addon. Rejects as `openNativeStorage` does. */
export function openFromSettings(settings: Settings, addonPath?: string): Promise<Storage> {
  return openNativeStorage(
    {
      ...storageLimits(settings),
      directory: settings.data_dir,
      timestampUnit: settings.timestamp_unit,
      fsync: settings.fsync,
      fsyncIntervalMs: settings.fsync_interval_ms,
      maxSeries: settings.max_series,
      maxSeriesPerMetric: settings.max_series_per_metric,
      allocator: settings.allocator,
      isCompacting: settings.compaction,
      compactionFactor: settings.compaction_factor,
      isReadOnly: false,
    },
    addonPath,
  );
}
