/** The reads of samples for PromQL expressions. */

import type { Guard } from '../../limits/guard.js';
import type {
  BatchStream,
  OpenedSteps,
  SeriesStore,
  StepLimits,
  StepQuery,
  StepTable,
} from '../../../storage/storage.js';
import type { HeldCells } from './context.js';

/** A read that has not started. */
interface Waiting {
  readonly query: StepQuery;
  readonly cells: HeldCells;
  readonly resolve: (opened: OpenedSteps | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The most reads started per turn of the event loop. Short reads take about two milliseconds
 * together, with one thread. Their joint memory is counted once they are there.
 */
const kTogether = 16;

/** Reads within the limits of a query's guard. */
export class StepReads {
  readonly #store: SeriesStore;
  readonly #guard: Guard;
  #begun: OpenedSteps | null;
  #waiting: Waiting[] = [];

  /** `begun`: the first read if it has already started; otherwise null. */
  constructor(store: SeriesStore, guard: Guard, begun: OpenedSteps | null) {
    this.#store = store;
    this.#guard = guard;
    this.#begun = begun;
  }

  async read(query: StepQuery, cells: HeldCells): Promise<StepTable> {
    const begun = this.#begun;
    this.#begun = null;
    const steps = begun ?? (await this.#opened(query, cells));
    const table = 'rowCount' in steps ? steps : await tableOf(steps, this.#guard);
    this.#guard.countSamples(table.rowsScanned);
    await this.#guard.breathe();
    return table;
  }

  /** All reads that an expression requests before it waits are opened together. */
  async #opened(query: StepQuery, cells: HeldCells): Promise<OpenedSteps> {
    const opened = await new Promise<OpenedSteps | undefined>((resolve, reject) => {
      this.#waiting.push({ query, cells, resolve, reject });
      if (this.#waiting.length === 1) this.#openSoon();
    });
    if (opened === undefined) throw new Error('each query is opened');
    return opened;
  }

  /** Runs after all other work that can continue. */
  #openSoon(): void {
    process.nextTick(() => {
      this.#openSome();
    });
  }

  #openSome(): void {
    const asked = this.#waiting.splice(0, kTogether);
    const [first] = asked;
    if (first === undefined) return;
    if (this.#waiting.length > 0) this.#openSoon();
    try {
      this.#guard.requireRunning();
      const queries = asked.map(({ query }) => query);
      const opened = this.#store.openSteps(queries, stepLimits(this.#guard, first.cells));
      for (const [at, { resolve }] of asked.entries()) resolve(opened[at]);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}

/** The limits of a read, less the samples already read and the cells already held. */
export function stepLimits(
  { limits, samples, remainingMs }: Pick<Guard, 'limits' | 'samples' | 'remainingMs'>,
  { held, max }: HeldCells,
): StepLimits {
  return {
    series: limits.maxSeries,
    samples: limits.maxSamples,
    samplesBefore: samples,
    cells: max,
    cellsBefore: held,
    timeoutMs: remainingMs,
  };
}

async function tableOf(stream: BatchStream<StepTable>, guard: Guard): Promise<StepTable> {
  const close = (): void => {
    stream.close();
  };
  const table = await guard.during(stream.next(), close);
  close();
  if (table === null) throw new Error('steps come in one table');
  return table;
}
