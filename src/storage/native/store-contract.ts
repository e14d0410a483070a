/** Requests of native code to an object store, which JavaScript sends. */

import type { NativeName } from './names.js';

/** native/bucket/store/object_store.h explains each of them. */
export interface NativeStoreRequest {
  readonly id: number;
  readonly op: NativeName<'storeOps'>;
  /** Below the prefix of the bucket's URL. Of a list: the prefix of the keys. */
  readonly key: string;
  /** Only if no object has the key: `If-None-Match: *`. */
  readonly isCreate: boolean;
  /** Given. Of `put` and `putPart`, else null. */
  readonly body: ArrayBuffer | null;
  /** The SHA-256 of the body in hexadecimal digits. */
  readonly bodyHash: string;
  /** Of `get`; null = the whole object. */
  readonly range: { readonly offset: number; readonly size: number } | null;
  /** Of `list`: keys above this one; '' = from the first. */
  readonly after: string;
  readonly countMax: number;
  readonly upload: string;
  readonly part: number;
  readonly tags: readonly string[];
  /** Nobody waits for an answer after this time. */
  readonly timeoutMs: number;
}

export interface NativeStoreAnswer {
  readonly outcome: NativeName<'storeOutcomes'>;
  /** Lent. */
  readonly body: Uint8Array;
  /** Of `list`: in order of their bytes, each with its size in bytes. */
  readonly keys: readonly string[];
  readonly sizes: Float64Array;
  readonly hasMore: boolean;
  /** Of `beginUpload` the id, of `putPart` the tag. */
  readonly text: string;
  /** Of `notKnown` and `refused`, for people. */
  readonly reason: string;
}

/** The side of a store on which its client is. Native threads ask; this thread answers. */
export interface NativeStore {
  /** The number by which questions and reports of any thread name the store. */
  share(): number;
  /**
   * Resolves with all requests that wait, at least one; with null once closed. Rejects with
   * `invalid_argument` while another take() waits.
   */
  take(): Promise<NativeStoreRequest[] | null>;
  /** Ends a request. Does nothing if nobody waits for it any more. */
  settle(id: number, answer: NativeStoreAnswer): void;
  /** All requests end as not known, also later ones. Idempotent. */
  close(): void;
}

/** The addon's function for object stores. */
export interface NativeStores {
  /** Makes a store whose requests this thread answers. */
  makeStore(): NativeStore;
}
