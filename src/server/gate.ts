/** The gate of connections of one thread, and its log messages. */

import {
  ConnectionGate,
  openConnectionGate,
  type GateOptions,
} from '../http/transport/connection-gate.js';
import { descriptorLimit, openDescriptorCount } from '../telemetry/descriptors.js';

import type { Log } from '../telemetry/log.js';

/** The shared state of all gates; it can be sent to other threads. */
export type SharedGate = ConnectionGate['shared'];

/**
 * Extra descriptors reserved if there are several threads. `kAcceptedMax`: for connections that the
 * first thread has accepted and another has not admitted yet. `kOfEachThread`: per thread.
 */
const kAcceptedMax = 512;
const kOfEachThread = 4;
/** With fewer descriptors than this, only one thread listens. */
const kLimitMin = 2_048;

/**
 * The gate of the first thread, and the allowed number of threads. Rejects with
 * `too_few_descriptors`.
 */
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

/** The gate of the thread with that index. */
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
