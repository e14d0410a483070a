/** An exchange without a socket. Its answer is collected and delivered as a whole. */

import { freeBytes } from '../../common/model/given-bytes.js';

import type { AnswerHead, BodySink, Exchange, RequestHead } from './transport.js';

export interface WholeAnswer {
  readonly head: AnswerHead;
  readonly body: string | Uint8Array;
  readonly closes: boolean;
  /** The number of body pieces; null if the body was not streamed. */
  readonly pieceCount: number | null;
}

/** Called once. Null means that the connection was cut. */
type WholeListener = (answer: WholeAnswer | null) => void;

/** Its request has no body. Subclasses with a body override receive(), pause() and resume(). */
export class WholeExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #peerAddress: string;
  readonly #told: WholeListener;
  #isAlive = true;
  /** The head of a streamed answer. */
  #begun: AnswerHead | null = null;
  readonly #written: Uint8Array[] = [];

  constructor(head: RequestHead, peerAddress: string, told: WholeListener) {
    this.head = head;
    this.#peerAddress = peerAddress;
    this.#told = told;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  peerAddress(): string {
    return this.#peerAddress;
  }

  receive(sink: BodySink): void {
    queueMicrotask(() => {
      sink.onEnd();
    });
  }

  promiseAnswer(): void {
    // Every answer is delivered.
  }

  pause(): void {
    // No body arrives.
  }

  resume(): void {
    // No body arrives.
  }

  holdOpen(): void {
    // There are no timeouts.
  }

  /** Simulates that the client disconnects. */
  leave(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.onGone();
  }

  answer(head: AnswerHead, body: string | Uint8Array, { closes }: { readonly closes: boolean }) {
    const whole = typeof body === 'string' ? body : taken(body);
    this.#end({ head, body: whole, closes, pieceCount: null });
  }

  begin(head: AnswerHead): void {
    if (this.#isAlive) this.#begun = head;
  }

  write(piece: Uint8Array): boolean {
    if (this.#isAlive) this.#written.push(taken(piece));
    return true;
  }

  finish(): void {
    if (this.#begun === null) return;
    const [head, pieces] = [this.#begun, this.#written];
    this.#end({ head, body: Buffer.concat(pieces), closes: false, pieceCount: pieces.length });
  }

  cut(): void {
    this.#end(null);
  }

  #end(answer: WholeAnswer | null): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#told(answer);
  }
}

/** Copies the bytes and frees the original. */
function taken(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  freeBytes(bytes);
  return copy;
}

function nothing(): void {
  // Default for a listener that is not set.
}
