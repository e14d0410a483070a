/** Short answers of the addon, in memory that the next answer reuses. */

import { nativeShortFigures } from './native/stats-contract.js';

import { guarded } from './guarded.js';

import type { NativePrepared } from './native/contract.js';
import type { PreparedTexts, ReadStats, ShortTexts } from './storage.js';

const kFiguresSize = nativeShortFigures.length * Float64Array.BYTES_PER_ELEMENT;
/** Room for a piece of rows and one more row, in bytes. Longer answers are streams. */
const kTextSizeMax = 288 * 1024;

/** The buffer that the addon fills. */
export class AnswerRoom {
  readonly #room = new Uint8Array(kFiguresSize + kTextSizeMax);
  /** The numbers of a query for the addon, and later of its answer. */
  readonly figures = new Float64Array(this.#room.buffer);

  prepared(native: NativePrepared): PreparedTexts {
    return { answer: (read) => this.filledBy((room) => native.answer(read, room)) };
  }

  /** Calls `fill`, which returns the size of the text, or something else that is passed on. */
  filledBy<Else>(fill: (room: Uint8Array) => number | Else): ShortTexts | Else {
    const size = guarded(() => fill(this.#room));
    if (typeof size !== 'number') return size;
    const text = this.#room.subarray(kFiguresSize, kFiguresSize + size);
    return { text, rowCount: this.#figure(0), stats: this.#stats() };
  }

  /** Reads the figures in the order of `nativeShortFigures`. */
  #stats(): ReadStats {
    return {
      seriesSelected: this.#figure(1),
      labelCount: this.#figure(2),
      selectMs: this.#figure(3),
      seriesScanned: this.#figure(4),
      rowsScanned: this.#figure(5),
      chunksScanned: this.#figure(6),
      chunksSkipped: this.#figure(7),
      bytesRead: this.#figure(8),
    };
  }

  #figure(at: number): number {
    return this.figures[at] ?? 0;
  }
}
