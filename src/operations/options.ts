/** Dependencies of the operations. */

import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { Storage } from '../storage/storage.js';
import type { BackupFacts } from '../telemetry/backup-status.js';
import type { BucketFacts } from '../telemetry/bucket-status.js';
import type { EventLoopDelay } from '../telemetry/event-loop-delay.js';
import type { RequestMetrics } from '../telemetry/request-metrics.js';

import type { ThreadFigures } from './thread-figures.js';

import type { FinerTimes, UnitSuspect } from './ingest.js';
import type { Modes } from './modes.js';
import type { OpenState } from './past-states.js';
import type { QuerySettings, QueryThread } from './query.js';

export interface OperationsOptions {
  readonly storage: Storage;
  readonly timestampUnit: TimestampUnit;
  readonly version: string;
  /** Whether routes under `/api/` currently require a token. */
  readonly isAuthRequired: boolean;
  /** Commit of the source; `unknown` if it was not recorded. */
  readonly commit: string;
  readonly modes: Modes;
  readonly requestMetrics: RequestMetrics;
  readonly eventLoopDelay: EventLoopDelay;
  /** The index of this thread; absent if it is the only one. */
  readonly thread?: QueryThread;
  /** Figures of the other threads; absent if there are none. */
  readonly others?: () => Promise<readonly ThreadFigures[]>;
  /** Opens the state of a snapshot; absent without past states. */
  readonly openState?: OpenState;
  /** Current query settings; defaults if absent. */
  readonly querySettings?: () => QuerySettings;
  /** Called for a query whose two engines disagree. */
  readonly reportMismatch?: (query: string, difference: string) => void;
  /** Called for a timestamp that looks like another unit, at most once a minute. */
  readonly reportUnitSuspect?: (suspect: UnitSuspect) => void;
  /** Called once for times that are finer than the database's seconds. */
  readonly reportFinerTimes?: (times: FinerTimes) => void;
  /** Why the server itself is degraded; the storage has its own reasons. */
  readonly degradedReasons: readonly string[];
  /** Connections closed for lack of descriptors, since the start. */
  readonly refusedConnections: number;
  /** Listener threads that ran out of memory and were replaced, since the start. */
  readonly replacedListeners: number;
  /** The bucket of the database; absent without one, and on other threads than the first. */
  readonly bucket?: BucketFacts;
  /** The backups by schedule; null or absent without one, and on other threads than the first. */
  readonly backup?: BackupFacts | null;
  /** Free bytes of the database's disk; null if unknown. */
  readonly diskFreeBytes: number | null;
  /** Notices for operators that do not make the database degraded. */
  readonly warnings: readonly string[];
}
