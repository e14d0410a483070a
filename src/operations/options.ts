/** What the operations are built from. */

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Storage } from '../storage/storage.js';
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
  /** Whether the routes under `/api/` ask for a token now. */
  readonly isAuthRequired: boolean;
  /** Of the source that this was compiled from; `unknown` where nobody recorded it. */
  readonly commit: string;
  readonly modes: Modes;
  readonly requestMetrics: RequestMetrics;
  readonly eventLoopDelay: EventLoopDelay;
  /** This one among the threads of the server; left out where it is the only one. */
  readonly thread?: QueryThread;
  /** What the other threads of the server measured; left out where there are none. */
  readonly others?: () => Promise<readonly ThreadFigures[]>;
  /** Opens the state that a snapshot keeps; left out where there are none. */
  readonly openState?: OpenState;
  /** How queries run now; the defaults when left out. */
  readonly querySettings?: () => QuerySettings;
  /** Told of a query whose two engines disagree. */
  readonly reportMismatch?: (query: string, difference: string) => void;
  /** Told once of a timestamp that looks as if it were in another unit. */
  readonly reportUnitSuspect?: (suspect: UnitSuspect) => void;
  /** Told once of times that are finer than the seconds of the database. */
  readonly reportFinerTimes?: (times: FinerTimes) => void;
  /** Why the server itself does not do all that it should; the storage has reasons of its own. */
  readonly degradedReasons: readonly string[];
  /** Connections that were closed for want of descriptors, since the start. */
  readonly refusedConnections: number;
  /** Listener threads that were out of memory and made anew, since the start. */
  readonly replacedListeners: number;
  /** Bytes that the disk of the database has left; null where nobody knows. */
  readonly diskFreeBytes: number | null;
  /** Things an operator should know that do not make the database degraded. */
  readonly warnings: readonly string[];
}
