/** How a stop leaves nobody without an answer whose request has come. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of the event loop, until what lies in a socket that was just accepted is read. */
const kTurnsToRead = 2;

/** Waits until it is read, and so many turns more. */
export async function readWhatCame(furtherTurns = 0): Promise<void> {
  for (let turns = 0; turns < kTurnsToRead + furtherTurns; turns += 1) await nextTurn();
}
