/** The gate of connections of one thread, with what it says in the log. */

import {
  ConnectionGate,
  openConnectionGate,
  type GateOptions,
} from '../http/transport/connection-gate.js';
import { descriptorLimit, openDescriptorCount } from '../telemetry/descriptors.js';

import type { Log } from '../telemetry/log.js';

/** What the gates of other threads are made of; it can be sent to them. */
export type SharedGate = ConnectionGate['shared'];

/**
 * What several threads take of the descriptors: as many as connections that the first has accepted
 * may wait for another, which lets them in, and some for each thread.
 */
const kAcceptedMax = 512;
const kOfEachThread = 4;
/** With fewer descriptors than this there is one thread. */
const kLimitMin = 2_048;

/** Of the first thread, and how many threads there may be. Rejects with `too_few_descriptors`. */
export async function openGate(
  log: Log,
  wanted: number,
): Promise<{ readonly gate: ConnectionGate; readonly listeners: number }> {
  const limit = await descriptorLimit();
  const isTooLow = limit !== null && limit < kLimitMin;
  const listeners = isTooLow ? 1 : wanted;
  if (listeners < wanted) {
    log.write('warn', 'only one listener thread: the limit of file descriptors is low', {
      limit,
      wanted,
    });
  }
  const alsoReserved = listeners === 1 ? 0 : kAcceptedMax + kOfEachThread * listeners;
  return { gate: await openConnectionGate({ ...told(log), limit, alsoReserved }), listeners };
}

/** Of the thread with that index. */
export function joinGate(log: Log, shared: SharedGate, thread: number): ConnectionGate {
  return new ConnectionGate({ ...told(log), ...shared, thread });
}

function told(log: Log): Pick<GateOptions, 'countDescriptors' | 'onFull' | 'onRoom'> {
  return {
    countDescriptors: openDescriptorCount,
    onFull: (reason) => {
      log.write('warn', reason);
    },
    onRoom: (refused) => {
      log.write('info', 'new connections are accepted again', { refused });
    },
  };
}
