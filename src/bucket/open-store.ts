/** Clients for a store, one for each address of its host. */

import { lookup } from 'node:dns/promises';

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';

import { StoreClient } from './store-client.js';

import type { ProbedStore } from './probe.js';
import type { StoreSettings } from './store-settings.js';

export interface OpenStore extends ProbedStore {
  close(): Promise<void>;
}

/** The system's code if no name server answers. */
const kNoAnswer = 'EAI_AGAIN';

/**
 * The IP addresses of the store's host. Throws `invalid_configuration` if it has none, and
 * `bucket_unavailable` if no name server answers.
 */
export async function addressesOf({ address }: StoreSettings): Promise<readonly string[]> {
  const { hostName } = address;
  const found = await lookup(hostName, { all: true }).catch((error: unknown) => {
    const message = `the object store's host ${hostName} has no address: ${thrownMessage(error)}`;
    const isPassing = error instanceof Error && 'code' in error && error.code === kNoAnswer;
    const code = isPassing ? 'bucket_unavailable' : 'invalid_configuration';
    throw new AppError(code, message, { cause: error });
  });
  return found.map((one) => one.address);
}

/** Rejects as addressesOf() does. */
export async function openStore(settings: StoreSettings): Promise<OpenStore> {
  const addresses = await addressesOf(settings);
  const clients = addresses.map((address) => new StoreClient(settings, { address }));
  return {
    clients,
    prefix: settings.place.prefix,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
