/** The messages between a server's first thread and the thread of its object store. */

import type { StoreSettings } from './store-settings.js';

/** How the store is reached now. */
export interface StoreReach {
  readonly settings: StoreSettings;
  /** The IP addresses of its host, at least one. */
  readonly addresses: readonly string[];
}

export interface StoreThreadData extends StoreReach {
  /** Another build of the addon. */
  readonly addonPath: string | undefined;
  /** Of StoreCounts. */
  readonly counts: SharedArrayBuffer;
}

export type StoreThreadOrder =
  | { readonly kind: 'reach'; readonly reach: StoreReach }
  /** The thread ends; requests that wait end as not known. */
  | { readonly kind: 'close' };

/** Its first message. */
export interface StoreThreadReady {
  /** Of NativeStore.share(). */
  readonly share: number;
}

/** Its last message, if it ends by a failure. */
export interface StoreThreadFailed {
  readonly failed: string;
}
