/** What the operations are built from. */

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Storage } from '../storage/storage.js';
import type { RequestMetrics } from '../telemetry/request-metrics.js';

export interface OperationsOptions {
  readonly storage: Storage;
  readonly timestampUnit: TimestampUnit;
  readonly version: string;
  readonly requestMetrics: RequestMetrics;
  /** Things an operator should know that do not make the database degraded. */
  readonly warnings: readonly string[];
}
