/** From settings to an open storage, with a server around it or without. */

import { fixedNativeSettings, liveNativeSettings } from './config/native-settings.js';
import { resolveSettings } from './config/resolve.js';
import { AppError } from './common/errors/app-error.js';
import { kDayMs } from './common/model/duration.js';
import { checkedPastState, type PastState } from './common/model/past-state.js';
import {
  databaseTime,
  fromMilliseconds,
  milliseconds,
  upFromMilliseconds,
  type DatabaseTime,
} from './common/model/timestamp-unit.js';
import {
  openNativeReport,
  openNativeStorage,
  type StorageOptions,
} from './storage/native-storage.js';

import type { Settings } from './config/settings.js';
import type { RetentionRule, Storage, StorageLimits } from './storage/storage.js';

function futureSkew(settings: Settings): DatabaseTime {
  if (settings.max_future_skew === null) return databaseTime(-1n);
  return fromMilliseconds(settings.max_future_skew, settings.timestamp_unit);
}

/** The rules, and behind them the one for all that they do not name. */
function retentionRules(settings: Settings): readonly RetentionRule[] {
  const unit = settings.timestamp_unit;
  const rules = [...settings.retention];
  if (settings.retention_days !== null) {
    rules.push({ match: '*', labels: {}, keepMs: milliseconds(settings.retention_days * kDayMs) });
  }
  return rules.map(({ match, labels, keepMs }) => ({
    match,
    labels: Object.entries(labels).flat(),
    // Rather a second too long than too short.
    keep: upFromMilliseconds(keepMs, unit),
  }));
}

/** Rows that name what the options lack, or values that they do not take, do not compile. */
type KnownOptions<Passed, Options> = {
  readonly [Name in keyof Passed]: Name extends keyof Options ? Options[Name] : never;
};

export function storageLimits(settings: Settings): StorageLimits {
  const passed = liveNativeSettings(settings);
  return {
    ...(passed satisfies KnownOptions<typeof passed, StorageLimits>),
    maxFutureSkew: futureSkew(settings),
    retention: retentionRules(settings),
  };
}

/** How a directory is opened, but for its settings. */
interface OpeningOptions {
  /** No byte changes. */
  readonly isReadOnly?: boolean;
  /** Only to read: this state, not the last one. */
  readonly past?: PastState | null;
  /** Where this process has the directory open already. */
  readonly beside?: Storage | null;
  /** Threads that bodies come to; one when left out. */
  readonly listeners?: number;
  /** The bucket that the database lives on; none when left out. */
  readonly bucket?: StorageOptions['bucket'];
}

/** `addonPath` names another build of the addon. Rejects as `openNativeStorage` does. */
export function openFromSettings(
  settings: Settings,
  addonPath?: string,
  { isReadOnly = false, past = null, beside = null, ...others }: OpeningOptions = {},
): Promise<Storage> {
  const passed = fixedNativeSettings(settings);
  const { listeners = 1, bucket = null } = others;
  return openNativeStorage(
    {
      ...storageLimits(settings),
      ...(passed satisfies KnownOptions<typeof passed, StorageOptions>),
      listeners,
      isReadOnly,
      past,
      bucket,
    },
    addonPath,
    beside,
  );
}

/** Opens states of the past beside a storage that is open by these settings. */
export function pastOpener(
  settings: Settings,
  storage: Storage,
  addonPath: string | undefined,
): (past: PastState) => Promise<Storage> {
  return (past) =>
    openFromSettings(settings, addonPath, { isReadOnly: true, past, beside: storage });
}

interface DirectoryOptions {
  /** No byte changes. */
  readonly isReadOnly: boolean;
  /** A state of the past, where it is only read; null or left out: the last one. */
  readonly asOf?: string | null;
  readonly addonPath: string | undefined;
  /** All but the directory and its unit; the defaults when left out. */
  readonly settings?: Settings;
}

/** Opens a database that is there, in the unit that it has. */
export async function openDirectory(
  directory: string,
  { isReadOnly, asOf = null, addonPath, settings: given }: DirectoryOptions,
): Promise<{ readonly storage: Storage; readonly unit: Settings['timestamp_unit'] }> {
  const request = { directory, report: 'manifest', number: null } as const;
  const report = openNativeReport(request, addonPath);
  let text: string;
  try {
    text = Buffer.from((await report.next()) ?? '').toString();
  } finally {
    report.close();
  }
  const told: unknown = JSON.parse(text);
  const line = typeof told === 'object' && told !== null ? told : {};
  if (!('timestamp_unit' in line)) {
    const reason = 'error' in line ? String(line.error) : `${directory}/ROOT cannot be read`;
    throw new AppError('storage_corrupt', reason);
  }
  const values = new Map([['timestamp_unit', line.timestamp_unit]]);
  const { settings: defaults } = resolveSettings({ file: values });
  const unit = defaults.timestamp_unit;
  const settings = { ...(given ?? defaults), data_dir: directory, timestamp_unit: unit };
  const past = asOf === null ? null : checkedPastState(asOf, unit);
  const storage = await openFromSettings(settings, addonPath, { isReadOnly, past });
  return { storage, unit };
}
