/**
 * Requests that reach one thread and are answered by another, whole: only what reads, and answers
 * little.
 */

import { freeBytes } from '../model/given-bytes.js';

import type { AnswerHead, BodySink, Exchange, RequestHead } from '../http/transport/transport.js';

/** As it is sent between threads. */
export interface ForwardedRequest {
  readonly head: RequestHead;
  readonly peerAddress: string;
}

export interface ForwardedAnswer {
  readonly head: AnswerHead;
  readonly body: string | Uint8Array;
  readonly closes: boolean;
}

/** What takes exchanges; see Service. */
interface Acceptor {
  accept(exchange: Exchange): void;
}

/** Null: the connection is to be cut. */
export function answerForwarded(
  service: Acceptor,
  request: ForwardedRequest,
): Promise<ForwardedAnswer | null> {
  return new Promise((resolve) => {
    service.accept(new ForwardedExchange(request, resolve));
  });
}

class ForwardedExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #peerAddress: string;
  readonly #resolve: (answer: ForwardedAnswer | null) => void;
  #begun: AnswerHead | null = null;
  readonly #written: Uint8Array[] = [];

  constructor(
    { head, peerAddress }: ForwardedRequest,
    resolve: (answer: ForwardedAnswer | null) => void,
  ) {
    this.head = head;
    this.#peerAddress = peerAddress;
    this.#resolve = resolve;
  }

  peerAddress(): string {
    return this.#peerAddress;
  }

  /** What reads has no body. */
  receive(sink: BodySink): void {
    queueMicrotask(() => {
      sink.onEnd();
    });
  }

  pause(): void {
    // Nothing comes.
  }

  resume(): void {
    // Nothing comes.
  }

  holdOpen(): void {
    // Nothing here grows old.
  }

  answer(head: AnswerHead, body: string | Uint8Array, { closes }: { readonly closes: boolean }) {
    this.#resolve({ head, body: typeof body === 'string' ? body : taken(body), closes });
  }

  begin(head: AnswerHead): void {
    this.#begun = head;
  }

  write(piece: Uint8Array): boolean {
    this.#written.push(taken(piece));
    return true;
  }

  finish(): void {
    const head = this.#begun;
    this.#resolve(head && { head, body: Buffer.concat(this.#written), closes: false });
  }

  cut(): void {
    this.#resolve(null);
  }
}

/** A copy; the bytes were given. */
function taken(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  freeBytes(bytes);
  return copy;
}

function nothing(): void {
  // Stands where no listener was set.
}
