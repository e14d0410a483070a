/** Helps a stop to answer all requests that have already arrived. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most connections that may wait to be accepted: the listen backlog of Node.js. */
const kWaitingMax = 512;
/** The longest wait of a stop for them. */
const kAcceptMs = 1_000;
/** Turns of the event loop until the data of a newly accepted socket is read. */
const kTurnsToRead = 2;

/** Waits until arrived data is read, and `furtherTurns` more. */
export async function readWhatCame(furtherTurns = 0): Promise<void> {
  for (let turns = 0; turns < kTurnsToRead + furtherTurns; turns += 1) await nextTurn();
}

/**
 * Resolves when no connection waits to be accepted. The event loop accepts one per turn, and
 * closing a listening socket cuts waiting connections. `acceptedCount` may count from any start.
 */
export async function acceptWhatWaits(acceptedCount: () => number): Promise<void> {
  const first = acceptedCount();
  const end = performance.now() + kAcceptMs;
  let last = first;
  // The first turn may end before the loop checks the socket.
  for (let quietTurns = 0; quietTurns < 2; quietTurns += 1) {
    await nextTurn();
    const now = acceptedCount();
    if (now !== last) quietTurns = -1;
    last = now;
    // New connections may arrive without end.
    if (now - first >= kWaitingMax || performance.now() > end) return;
  }
}
