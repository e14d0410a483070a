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

/** Throws `invalid_configuration` if the host has no address. */
export async function openStore(settings: StoreSettings): Promise<OpenStore> {
  const { hostName } = settings.address;
  const found = await lookup(hostName, { all: true }).catch((error: unknown) => {
    const message = `the object store's host ${hostName} has no address: ${thrownMessage(error)}`;
    throw new AppError('invalid_configuration', message, { cause: error });
  });
  const clients = found.map(({ address }) => new StoreClient(settings, { address }));
  return {
    clients,
    prefix: settings.place.prefix,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
