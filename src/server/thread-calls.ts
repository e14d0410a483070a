/** The messages between the threads of a server. */

import type { TokenEntry } from '../http/auth/token.js';
import type { Settings } from '../config/settings.js';
import type { TlsFiles } from '../http/transport/tls-files.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/slots/running-queries.js';
import type { ThreadFigures } from '../operations/thread-figures.js';
import type { WholeAnswer } from '../http/transport/whole-exchange.js';
import type { ForwardedRequest } from './forwarded.js';
import type { SharedGate } from './gate.js';

/** The start data of a listener thread. */
export interface ThreadData {
  /** The share of the open storage. */
  readonly share: number;
  readonly settings: Settings;
  readonly addonPath: string | undefined;
  readonly version: string;
  readonly commit: string;
  /** The port of the public listener. */
  readonly port: number;
  readonly thread: QueryThread;
  readonly gate: SharedGate;
}

/**
 * The rules by which a thread serves. Files are read once for all threads, so that all have the
 * same content.
 */
export interface ServingRules {
  readonly settings: Settings;
  /** The tokens of the tokens file; empty without one. */
  readonly tokens: readonly TokenEntry[];
  readonly tls: TlsFiles | null;
}

/** The calls of the first thread to a listener thread. */
export type ListenerThreadCalls = Readonly<{
  /** Builds every part of new rules that can fail, without any change yet. */
  prepare: (rules: ServingRules) => void;
  /** Serves by the prepared rules; returns the address of its listener. */
  adopt: () => number;
  /** Takes over an accepted connection by its descriptor. */
  take: (descriptor: number) => void;
  figures: () => ThreadFigures;
  listQueries: () => readonly ListedQuery[];
  cancelQuery: (id: bigint) => boolean;
  forgetState: (snapshot: string) => Promise<void>;
  /**
   * Requests in progress have `graceMs` milliseconds to finish; then the thread ends. Returns its
   * figures until then.
   */
  stop: (graceMs: number) => Promise<ThreadFigures>;
}>;

/** The calls of a listener thread to the first thread. */
export type FirstThreadCalls = Readonly<{
  /** Null: the caller must cut the connection. */
  answer: (request: ForwardedRequest) => Promise<WholeAnswer | null>;
}>;
