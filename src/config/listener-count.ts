/** The number of listener threads. */

import { availableParallelism } from 'node:os';

import type { Settings } from './settings.js';

/** The default limit. The committer and queries need cores, too. */
const kUnaskedMax = 4;

export function listenerCount({ listeners }: Settings): number {
  return listeners ?? Math.min(kUnaskedMax, availableParallelism());
}
