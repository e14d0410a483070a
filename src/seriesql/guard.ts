/** What keeps a query within its limits, and the event loop free while it runs. */

import { AppError } from '../errors/app-error.js';

export interface QueryLimits {
  readonly maxRows: number;
  readonly maxSeries: number;
  readonly maxSamples: number;
  readonly timeoutMs: number;
}

/** Longest stretch of work before others get their turn. */
const kSliceMs = 1;

export class Guard {
  readonly limits: QueryLimits;
  readonly #deadline: number;
  #sliceStart: number;
  #samples = 0;
  #isCancelled = false;
  readonly #whenCancelled = new Set<() => void>();

  /** The time limit counts from here. */
  constructor(limits: QueryLimits) {
    this.limits = limits;
    this.#sliceStart = performance.now();
    this.#deadline = this.#sliceStart + limits.timeoutMs;
  }

  get samples(): number {
    return this.#samples;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Nobody waits for the answer any more: the next `breathe` throws. */
  cancel(): void {
    this.#isCancelled = true;
    for (const listener of this.#whenCancelled) listener();
    this.#whenCancelled.clear();
  }

  /** Calls `listener` when the query is cancelled, at once if it is; the result takes it back. */
  whenCancelled(listener: () => void): () => void {
    if (this.#isCancelled) listener();
    else this.#whenCancelled.add(listener);
    return () => {
      this.#whenCancelled.delete(listener);
    };
  }

  /** Call about every few hundred rows. Gives way to others when it is time. */
  async breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.#sliceStart < kSliceMs) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#sliceStart = performance.now();
    if (this.#isCancelled) throw new AppError('execution_error', 'the query was cancelled');
    if (this.#sliceStart > this.#deadline) {
      const { timeoutMs } = this.limits;
      throw new AppError('query_timeout', `the query did not end within ${timeoutMs} ms`);
    }
  }

  countSamples(count: number): void {
    this.#samples += count;
    if (this.#samples > this.limits.maxSamples) throw exceeded('samples', this.limits.maxSamples);
  }

  requireSeries(count: number): void {
    if (count > this.limits.maxSeries) throw exceeded('series', this.limits.maxSeries);
  }

  requireRows(count: number): void {
    if (count > this.limits.maxRows) throw exceeded('rows', this.limits.maxRows);
  }
}

function exceeded(what: string, limit: number): AppError {
  const hint = `narrow it down, or raise max_query_${what}`;
  return new AppError(
    'query_limit_exceeded',
    `the query takes more than ${limit} ${what}; ${hint}`,
  );
}
