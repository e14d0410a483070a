/** An exchange without a socket, whose answer is gathered and told as a whole. */

import { freeBytes } from '../../common/model/given-bytes.js';

import type { AnswerHead, BodySink, Exchange, RequestHead } from './transport.js';

export interface WholeAnswer {
  readonly head: AnswerHead;
  readonly body: string | Uint8Array;
  readonly closes: boolean;
  /** How many pieces the body came in; null where it was not streamed. */
  readonly pieceCount: number | null;
}

/** Told once; null: the connection was cut. */
type Told = (answer: WholeAnswer | null) => void;

/** Its request has no body; who has one to bring overrides what is asked of that. */
export class WholeExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #peerAddress: string;
  readonly #told: Told;
  #isAlive = true;
  /** Of an answer that is streamed. */
  #begun: AnswerHead | null = null;
  readonly #written: Uint8Array[] = [];

  constructor(head: RequestHead, peerAddress: string, told: Told) {
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

  pause(): void {
    // Nothing comes.
  }

  resume(): void {
    // Nothing comes.
  }

  holdOpen(): void {
    // Nothing here grows old.
  }

  /** The client goes away. */
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

/** A copy; the bytes were given. */
function taken(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  freeBytes(bytes);
  return copy;
}

function nothing(): void {
  // Stands where no listener was set.
}
