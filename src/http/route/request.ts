/** A request before a route's declaration parses it. */

import type { Later } from '../../common/model/later.js';
import type { Caller } from '../auth/token.js';
import type { BodyDecoding, BodyTarget } from '../intake/body-encoding.js';
import type { RequestHead } from '../transport/transport.js';

/** Final values at the end of the request. */
export type LogDetails = Readonly<Record<string, string | number>>;

export interface Request {
  readonly head: RequestHead;
  readonly caller: Caller;
  /** The principal for fair shares: the token's name, or without tokens the address. */
  principal(): string;
  /** The declared length of the body; null when it is chunked or absent. */
  readonly contentLength: number | null;
  /**
   * Passes the decoded body to `target` as it arrives, in turns with other bodies. Fails with the
   * first error of `target` or of the body; `payload_too_large` past `limit`. A zstd or snappy body
   * needs `decoding`. It does not settle if the client disconnects: see `onAbandoned`. Call either
   * `consume` or `readAll`, at most once, in the first turn.
   */
  consume(target: BodyTarget, limit: number, decoding?: BodyDecoding): Later<void>;
  readAll(limit: number): Promise<Uint8Array>;
  /** See Exchange.promiseAnswer. */
  promiseAnswer(): void;
  /** Calls `listener` if the client disconnects. */
  onAbandoned(listener: () => void): void;
  /**
   * Sets the route's own time limit in milliseconds from the end of the body. It replaces
   * `answer_timeout_ms`.
   */
  mayTake(ms: number): void;
  /** Adds a `Warning` header for the client. A refusal has the text in its message, too. */
  warn(text: string): void;
  /** The warnings so far. */
  readonly warnings: readonly string[];
  /** Marks the request as a query. If it takes `slow_query_ms`, the log includes `told()`. */
  describe(told: () => LogDetails): void;
}
