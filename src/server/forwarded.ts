/**
 * Requests that arrive at one thread and are answered completely by another. Only for reads with
 * small answers.
 */

import { WholeExchange, type WholeAnswer } from '../http/transport/whole-exchange.js';

import type { Exchange, RequestHead } from '../http/transport/transport.js';

/** The form in which a request is sent between threads. */
export interface ForwardedRequest {
  readonly head: RequestHead;
  readonly peerAddress: string;
}

/** Accepts exchanges; see Service. */
interface Acceptor {
  accept(exchange: Exchange): void;
}

/** Null: the caller must cut the connection. */
export function answerForwarded(
  service: Acceptor,
  { head, peerAddress }: ForwardedRequest,
): Promise<WholeAnswer | null> {
  return new Promise((resolve) => {
    service.accept(new WholeExchange(head, peerAddress, resolve));
  });
}
