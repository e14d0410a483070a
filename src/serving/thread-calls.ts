/** What the threads of a server say to one another. */

import type { Settings } from '../config/settings.js';
import type { QueryThread } from '../operations/query.js';
import type { ListedQuery } from '../operations/running-queries.js';
import type { ThreadFigures } from '../operations/thread-figures.js';
import type { ForwardedAnswer, ForwardedRequest } from './forwarded.js';
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

/** What the first thread asks of it. */
export type ListenerThreadCalls = Readonly<{
  /** Serves by these settings from here on; the address that connections are handed to. */
  adopt: (settings: Settings) => number;
  figures: () => ThreadFigures;
  listQueries: () => readonly ListedQuery[];
  cancelQuery: (id: bigint) => boolean;
  forgetState: (snapshot: string) => Promise<void>;
  /** Ends what is in progress, in time; then the thread ends. */
  stop: () => Promise<void>;
}>;

/** What it asks of the first thread. */
export type FirstThreadCalls = Readonly<{
  /** Null: the connection is to be cut. */
  answer: (request: ForwardedRequest) => Promise<ForwardedAnswer | null>;
}>;
