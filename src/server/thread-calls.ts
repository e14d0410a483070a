/** What the threads of a server say to one another. */

import type { TokenEntry } from '../http/auth/token.js';
import type { Settings } from '../config/settings.js';
import type { TlsFiles } from '../http/transport/tls-files.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/places/running-queries.js';
import type { ThreadFigures } from '../operations/thread-figures.js';
import type { WholeAnswer } from '../http/transport/whole-exchange.js';
import type { ForwardedRequest } from './forwarded.js';
import type { SharedGate } from './gate.js';

/** What a listener thread is started with. */
export interface ThreadData {
  /** Of the open storage. */
  readonly share: number;
  readonly settings: Settings;
  readonly addonPath: string | undefined;
  readonly version: string;
  readonly commit: string;
  /** Of the public listener. */
  readonly port: number;
  readonly thread: QueryThread;
  readonly gate: SharedGate;
}

/** By what a thread serves. Files are read once for all, so that no thread has another content. */
export interface ServingRules {
  readonly settings: Settings;
  /** Of the file, if one is set. */
  readonly tokens: readonly TokenEntry[];
  readonly tls: TlsFiles | null;
}

/** What the first thread asks of it. */
export type ListenerThreadCalls = Readonly<{
  /** Makes what can fail of other rules, and changes nothing yet. */
  prepare: (rules: ServingRules) => void;
  /** Serves by what was prepared; the address of its listener. */
  adopt: () => number;
  /** An accepted connection, by its descriptor. */
  take: (descriptor: number) => void;
  figures: () => ThreadFigures;
  listQueries: () => readonly ListedQuery[];
  cancelQuery: (id: bigint) => boolean;
  forgetState: (snapshot: string) => Promise<void>;
  /**
   * Requests in progress have `graceMs` to finish; then the thread ends. What it measured until
   * then.
   */
  stop: (graceMs: number) => Promise<ThreadFigures>;
}>;

/** What it asks of the first thread. */
export type FirstThreadCalls = Readonly<{
  /** Null: the connection is to be cut. */
  answer: (request: ForwardedRequest) => Promise<WholeAnswer | null>;
}>;
