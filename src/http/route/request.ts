/** A request as it comes in, before a route's declaration reads it. */

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
   * first error, whether of `target` or met in the body; `payload_too_large` past `limit`. A zstd
   * or snappy body needs `decoding`. Is never told when the client goes away: see `onAbandoned`. At
   * most one of `consume` and `readAll`, in the first turn.
   */
  consume(target: BodyTarget, limit: number, decoding?: BodyDecoding): Later<void>;
  readAll(limit: number): Promise<Uint8Array>;
  /** Called when the client has gone away. */
  onAbandoned(listener: () => void): void;
  /**
   * The route has its own time limit: the wrapper waits this many milliseconds from the end of the
   * body, and `answer_timeout_ms` does not apply.
   */
  mayTake(ms: number): void;
  /** Tells the client in the header `Warning`; a refusal has it in its message, too. */
  warn(text: string): void;
  /** What was told so. */
  readonly warnings: readonly string[];
  /** It is a query, of which the log tells this, too, when it took `slow_query_ms`. */
  describe(told: () => LogDetails): void;
}
