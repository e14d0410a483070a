/** How many threads serve connections. */

import { availableParallelism } from 'node:os';

import type { Settings } from './settings.js';

/** The committer and queries want cores, too. */
const kUnaskedMax = 4;

export function listenerCount({ listeners }: Settings): number {
  return listeners ?? Math.min(kUnaskedMax, availableParallelism());
}
