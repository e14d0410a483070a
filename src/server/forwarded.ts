/**
 * Requests that reach one thread and are answered by another, whole: only what reads, and answers
 * little.
 */

import { WholeExchange, type WholeAnswer } from '../http/transport/whole-exchange.js';

import type { Exchange, RequestHead } from '../http/transport/transport.js';

/** As it is sent between threads. */
export interface ForwardedRequest {
  readonly head: RequestHead;
  readonly peerAddress: string;
}

/** What takes exchanges; see Service. */
interface Acceptor {
  accept(exchange: Exchange): void;
}

/** Null: the connection is to be cut. */
export function answerForwarded(
  service: Acceptor,
  { head, peerAddress }: ForwardedRequest,
): Promise<WholeAnswer | null> {
  return new Promise((resolve) => {
    service.accept(new WholeExchange(head, peerAddress, resolve));
  });
}
