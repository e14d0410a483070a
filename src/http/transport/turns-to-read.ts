/** How a stop leaves nobody without an answer whose request has come. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Connections that may wait to be accepted: as many as Node.js asks the system to hold. */
const kWaitingMax = 512;
/** A stop waits no longer for them. */
const kAcceptMs = 1_000;
/** Of the event loop, until what lies in a socket that was just accepted is read. */
const kTurnsToRead = 2;

/** Waits until it is read, and so many turns more. */
export async function readWhatCame(furtherTurns = 0): Promise<void> {
  for (let turns = 0; turns < kTurnsToRead + furtherTurns; turns += 1) await nextTurn();
}

/**
 * Resolves when no connection waits to be accepted. The event loop accepts one in a turn, and
 * closing a listening socket cuts those that wait. `acceptedCount` counts since whenever.
 */
export async function acceptWhatWaits(acceptedCount: () => number): Promise<void> {
  const first = acceptedCount();
  const end = performance.now() + kAcceptMs;
  let last = first;
  // The first turn may end before it looks at the socket.
  for (let quietTurns = 0; quietTurns < 2; quietTurns += 1) {
    await nextTurn();
    const now = acceptedCount();
    if (now !== last) quietTurns = -1;
    last = now;
    // Others come all the time.
    if (now - first >= kWaitingMax || performance.now() > end) return;
  }
}
