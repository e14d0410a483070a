/** Clients for the addresses that a store's host has now. */

import { StoreClient } from './store-client.js';

import type { OpenStore } from './open-store.js';
import type { StoreReach } from './store-calls.js';

export class ReachedStore implements OpenStore {
  #settings: StoreReach['settings'];
  #clients = new Map<string, StoreClient>();

  constructor(reach: StoreReach) {
    this.#settings = reach.settings;
    this.reach(reach);
  }

  get clients(): readonly StoreClient[] {
    return [...this.#clients.values()];
  }

  get prefix(): string {
    return this.#settings.place.prefix;
  }

  /** Requests that are on their way end by the clients that sent them. */
  reach({ settings, addresses }: StoreReach): void {
    const isSame = JSON.stringify(settings) === JSON.stringify(this.#settings);
    const before = this.#clients;
    this.#settings = settings;
    this.#clients = new Map(
      addresses.map((address) => {
        const known = isSame ? before.get(address) : undefined;
        return [address, known ?? new StoreClient(settings, { address })];
      }),
    );
    for (const [address, client] of before) {
      if (this.#clients.get(address) !== client) void client.retire();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}
