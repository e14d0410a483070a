/** What a test of `seriesdb self-test` gets. */

import type { Directories } from '../session/directories.js';

export interface TestPlace {
  /** An empty folder on the tested disk, which is removed afterwards. */
  readonly folder: string;
  readonly directories: Directories;
  readonly signal: AbortSignal;
}
