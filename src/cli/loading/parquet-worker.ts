/** The thread that reads a Parquet file: one message per request, until the end. */

import { parentPort, workerData } from 'node:worker_threads';

import { readReasonOf } from '../session/file-reason.js';
import { parquetRows, type Guessed, type ParquetOptions } from './parquet-rows.js';
import { RowBook, RowRefusal, type RefusedRow } from '../../common/tables/row-book.js';

export interface ParquetOrder {
  readonly name: string;
  readonly options: ParquetOptions;
}

export type ParquetMessage =
  | {
      readonly kind: 'open';
      readonly rowCount: number;
      /** The detected column roles; null if they were given. */
      readonly guessed: Guessed | null;
    }
  /** It is working on the request; another message follows. */
  | { readonly kind: 'progress' }
  | {
      readonly kind: 'lines';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly refused: readonly RefusedRow[];
    }
  | { readonly kind: 'end' }
  | { readonly kind: 'refusal'; readonly row: RefusedRow }
  | { readonly kind: 'failure'; readonly reason: string };

async function* messages({ name, options }: ParquetOrder): AsyncGenerator<ParquetMessage> {
  const rows = new RowBook({ noun: 'row', isLenient: options.isLenient });
  try {
    const progress = (): void => {
      parentPort?.postMessage({ kind: 'progress' } satisfies ParquetMessage);
    };
    const { rowCount, guessed, bytes } = await parquetRows(name, options, { rows, progress });
    yield { kind: 'open', rowCount, guessed };
    for await (const piece of bytes) {
      const refused = rows.refused(0, Number.MAX_SAFE_INTEGER);
      rows.forget(Number.MAX_SAFE_INTEGER);
      yield { kind: 'lines', bytes: new Uint8Array(piece), refused };
    }
    yield { kind: 'end' };
  } catch (error) {
    if (error instanceof RowRefusal) {
      yield { kind: 'refusal', row: { line: error.line, reason: error.message, cells: 0 } };
    } else {
      yield { kind: 'failure', reason: readReasonOf(error) };
    }
  }
}

const told = messages(workerData as ParquetOrder);
parentPort?.on('message', () => {
  void told.next().then((step) => {
    if (step.done !== true) parentPort?.postMessage(step.value);
  });
});
