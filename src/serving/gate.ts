/** The gate of connections of one thread, with what it says in the log. */

import {
  ConnectionGate,
  openConnectionGate,
  type GateOptions,
} from '../http/transport/connection-gate.js';
import { descriptorLimit, openDescriptorCount } from '../telemetry/descriptors.js';

import type { Log } from '../telemetry/log.js';

/** What the gates of other threads are made of; it can be sent to them. */
export interface SharedGate {
  readonly counts: Int32Array;
  readonly limit: number | null;
}

/** Of the first thread. Rejects with `too_few_descriptors`. */
export async function openGate(log: Log): Promise<ConnectionGate> {
  return openConnectionGate({ ...told(log), limit: await descriptorLimit() });
}

export function joinGate(log: Log, shared: SharedGate): ConnectionGate {
  return new ConnectionGate({ ...told(log), ...shared });
}

function told(log: Log): Omit<GateOptions, 'limit'> {
  return {
    countDescriptors: openDescriptorCount,
    onFull: (reason) => {
      log.write('warn', reason);
    },
    onRoom: (refused) => {
      log.write('info', 'new connections are taken again', { refused });
    },
  };
}
