/**
 * The memory of unread answers, over all connections of a thread. Above the limit, the connection
 * that has waited longest is cut. Normal readers wait for milliseconds, so clients that never read
 * make room for the others.
 */

import { Chain, type Link } from '../../common/model/chain.js';

/** Reports waiting bytes and newly cut answers; returns how many bytes may wait. */
type TellUnread = (bytes: number, cutCount: number) => number;

/** In addition to its written bytes, a waiting stream has two pieces ready, of this total size. */
const kAheadBytes = 512 * 1024;
/** A compressed stream keeps its compressor: 0.4 MiB with gzip, 0.8 MiB with br. */
const kCompressorBytes = 800 * 1024;
/** Smaller changes are not reported. */
const kToldBytes = 64 * 1024;

/** What a stream with these headers holds while it waits, in addition to its written bytes. */
export function aheadBytesOf(headers: readonly (readonly [string, string])[] = []): number {
  const isCoded = headers.some(([name]) => name === 'content-encoding');
  return kAheadBytes + (isCoded ? kCompressorBytes : 0);
}

/** Unread bytes of one connection. */
export class UnreadAnswer implements Link<UnreadAnswer> {
  before: UnreadAnswer | null = null;
  after: UnreadAnswer | null = null;
  bytes = 0;
  readonly #all: UnreadAnswers;
  readonly #cut: () => void;

  constructor(all: UnreadAnswers, cut: () => void) {
    this.#all = all;
    this.#cut = cut;
  }

  hold(bytes: number): void {
    this.#all.hold(this, bytes);
  }

  release(bytes: number): void {
    this.#all.release(this, bytes);
  }

  /** Called by UnreadAnswers, which has already subtracted its bytes. */
  cut(): void {
    this.#cut();
  }
}

export class UnreadAnswers {
  /** The first one has waited longest. */
  readonly #waiting = new Chain<UnreadAnswer>();
  readonly #tell: TellUnread;
  #bytes = 0;
  #toldBytes = 0;
  #cutCount = 0;
  #max = Infinity;

  constructor(tell: TellUnread) {
    this.#tell = tell;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(answer: UnreadAnswer, bytes: number): void {
    if (answer.bytes === 0 && bytes > 0) this.#waiting.add(answer);
    this.#add(answer, bytes);
    for (const oldest of this.#waiting) {
      if (this.#bytes <= this.#max) return;
      if (oldest !== answer) this.#end(oldest);
    }
  }

  /** The bytes of a cut answer are already released. */
  release(answer: UnreadAnswer, bytes: number): void {
    const held = Math.min(bytes, answer.bytes);
    if (held === 0) return;
    this.#add(answer, -held);
    if (answer.bytes === 0) this.#waiting.delete(answer);
  }

  #end(answer: UnreadAnswer): void {
    this.#cutCount += 1;
    this.release(answer, answer.bytes);
    answer.cut();
  }

  #add(answer: UnreadAnswer, bytes: number): void {
    answer.bytes += bytes;
    this.#bytes += bytes;
    if (Math.abs(this.#bytes - this.#toldBytes) < kToldBytes && this.#bytes > 0) return;
    if (this.#bytes === this.#toldBytes) return;
    this.#toldBytes = this.#bytes;
    const cutCount = this.#cutCount;
    this.#cutCount = 0;
    this.#max = this.#tell(this.#bytes, cutCount);
  }
}
