/** What an export reads: a server, or a directory that is open for reading. */

import type { Labels } from '../../client/client.js';
import type { ExportedMetric } from '../../common/model/exported-metric.js';
import type { DatabaseTime } from '../../common/model/timestamp-unit.js';

export interface ExportSource {
  /** The metrics at the time of the call, by name. */
  readonly metrics: (range: ExportRange) => Promise<readonly ExportedMetric[]>;
  /**
   * The lines of the server's export, in pieces that end anywhere. The last line has the totals.
   * The loop ends with the reason of the signal if that aborts.
   */
  readonly openLines: (range: ExportRange, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/** The selected series and times; both ends inclusive. */
export interface ExportRange {
  readonly prefix: string;
  readonly labels: Labels;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
}
