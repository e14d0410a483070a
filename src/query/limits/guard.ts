/** Keeps a query within its limits, and the event loop responsive while it runs. */

import { AppError } from '../../common/errors/app-error.js';
import { isTextWorkDue, isTurnUsed, startTextWork } from './text-work.js';
import { TextAccount } from './text-account.js';
import { nextTurn } from './turn-queue.js';

export interface QueryLimits {
  readonly maxRows: number;
  readonly maxSeries: number;
  readonly maxSamples: number;
  /** The most bytes of texts held in JavaScript. */
  readonly maxTextBytes: number;
  readonly timeoutMs: number;
}

export function limitsWithin(limits: QueryLimits, mostMs: number): QueryLimits {
  return mostMs < limits.timeoutMs ? { ...limits, timeoutMs: mostMs } : limits;
}

/** The longest work before other tasks get a turn, in milliseconds. */
const kSliceMs = 1;
/** The most values that a query may hold: about a gigabyte of JavaScript heap. */
const kHeldValuesMax = 16_777_216;
/** The most values of all queries of a thread, which share its heap. */
const kPooledValuesMax = 2 * kHeldValuesMax;
/** A query that holds fewer values is never refused because of others. */
const kOwnValues = 262_144;
/** The most rows between two checks of the clock, if rows are cheap. */
const kRowsPerLookMax = 256;

/** The values that all queries of a thread hold beyond their own allowance. */
export class ValuePool {
  held = 0;
}

interface GuardOptions {
  /** The end of the query on the clock of performance.now(). Default: now plus the time limit. */
  readonly deadline?: number;
  /** The default is a separate account, as if no other query ran. */
  readonly texts?: TextAccount;
  readonly values?: ValuePool;
  /** Whether one row may be long work; asked at most once. Default: it is not. */
  readonly worksOnTexts?: () => boolean;
}

export class Guard {
  readonly limits: QueryLimits;
  readonly texts: TextAccount;
  readonly #deadline: number;
  readonly #values: ValuePool;
  readonly #twins: Guard[] = [];
  readonly #mayWorkOnTexts: () => boolean;
  #worksOnTexts: boolean | null = null;
  #sliceStart: number;
  #lookedAt: number;
  #rowsPerLook = kRowsPerLookMax;
  #samples = 0;
  #held = 0;
  #hasEnded = false;
  /** The reason for the cancellation; null if the query was not cancelled. */
  #cancelled: AppError | null = null;
  #whenCancelled: Set<(why: AppError) => void> | null = null;

  constructor(limits: QueryLimits, { deadline, texts, values, worksOnTexts }: GuardOptions = {}) {
    this.limits = limits;
    this.#mayWorkOnTexts = worksOnTexts ?? (() => false);
    this.#values = values ?? new ValuePool();
    this.texts = texts ?? new TextAccount(limits.maxTextBytes);
    startTextWork();
    this.#sliceStart = performance.now();
    this.#lookedAt = this.#sliceStart;
    this.#deadline = deadline ?? this.#sliceStart + limits.timeoutMs;
  }

  /** A guard for another engine on the same query. It ends with this one and counts separately. */
  twin(): Guard {
    const twin = new Guard(this.limits, {
      deadline: this.#deadline,
      texts: this.texts.twin(),
      values: this.#values,
      worksOnTexts: this.#mayWorkOnTexts,
    });
    this.#twins.push(twin);
    this.whenCancelled((why) => {
      twin.cancel(why);
    });
    return twin;
  }

  /** The time left in whole milliseconds, rounded up; 0 if time is over. */
  get remainingMs(): number {
    return Math.max(0, Math.ceil(this.#deadline - performance.now()));
  }

  get samples(): number {
    return this.#samples;
  }

  /** True if the query was cancelled or its time is over. */
  get isOver(): boolean {
    return this.isCancelled || performance.now() > this.#deadline;
  }

  get isCancelled(): boolean {
    return this.#cancelled !== null;
  }

  /**
   * Ends the query, because the client left or for the reason `why`. The next `breathe` throws it.
   */
  cancel(why: AppError = new AppError('execution_error', 'the query was cancelled')): void {
    if (this.#cancelled !== null) return;
    this.#cancelled = why;
    for (const listener of this.#whenCancelled ?? []) listener(why);
    this.#whenCancelled = null;
  }

  /**
   * Calls `listener` on cancellation, at once if it has happened. The result removes the listener.
   */
  whenCancelled(listener: (why: AppError) => void): () => void {
    if (this.#cancelled !== null) listener(this.#cancelled);
    else (this.#whenCancelled ??= new Set()).add(listener);
    return () => {
      this.#whenCancelled?.delete(listener);
    };
  }

  /** The rows to process until the next `breathe`, adapted to the time of the last rows. */
  get rowsPerLook(): number {
    return this.#rowsPerLook;
  }

  /**
   * True if texts have made so much work that the clock must be checked before all rows are done.
   */
  get isTextDue(): boolean {
    return isTextWorkDue();
  }

  /** Call after every `rowsPerLook` rows. Yields to the event loop if the time slice is used up. */
  async breathe(): Promise<void> {
    const now = performance.now();
    startTextWork();
    const lookMs = now - this.#lookedAt;
    this.#lookedAt = now;
    if (lookMs > kSliceMs) this.#rowsPerLook = Math.max(1, this.#rowsPerLook >> 1);
    else if (lookMs < kSliceMs / 4) {
      this.#rowsPerLook = Math.min(kRowsPerLookMax, this.#rowsPerLook << 1);
    }
    if (now - this.#sliceStart < kSliceMs && !this.mustWait) return;
    await this.#nextTurn();
    this.requireRunning();
  }

  /**
   * True if the query may work long on a row, but the current turn is used up. It then needs a
   * fresh turn.
   */
  get mustWait(): boolean {
    return isTurnUsed() && (this.#worksOnTexts ??= this.#mayWorkOnTexts());
  }

  async #nextTurn(): Promise<void> {
    await nextTurn();
    startTextWork();
    this.#sliceStart = performance.now();
    this.#lookedAt = this.#sliceStart;
  }

  /** Throws the reason for the end of the query, if it has ended. */
  requireRunning(): void {
    if (this.#cancelled !== null) throw this.#cancelled;
    if (performance.now() > this.#deadline) throw this.#timeout();
  }

  /**
   * Waits for `work` while the query lives, and for a turn to continue in. If the query ends first,
   * calls `stop` once and rejects, regardless of `work`.
   */
  during<Result>(work: Promise<Result>, stop: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (error: AppError): void => {
        settle();
        stop();
        reject(error);
      };
      const timer = setTimeout(() => {
        end(this.#timeout());
      }, this.remainingMs);
      let forget = (): void => undefined;
      const settle = (): void => {
        clearTimeout(timer);
        forget();
      };
      const deliver = (result: Result): void => {
        settle();
        resolve(result);
      };
      work.then(
        (result) => {
          if (!this.mustWait) deliver(result);
          else {
            void this.#nextTurn().then(() => {
              deliver(result);
            });
          }
        },
        (error: unknown) => {
          settle();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
      forget = this.whenCancelled(end);
    });
  }

  #timeout(): AppError {
    const { timeoutMs } = this.limits;
    return new AppError('query_timeout', `the query did not end within ${timeoutMs} ms`);
  }

  countSamples(count: number): void {
    this.#samples += count;
    if (this.#samples > this.limits.maxSamples) throw exceeded('samples', this.limits.maxSamples);
  }

  /** Counts values that are held in memory until the query ends. */
  countHeld(count: number): void {
    const pooled = pooledOf(this.#held + count) - pooledOf(this.#held);
    this.#held += count;
    if (!this.#hasEnded) this.#values.held += pooled;
    if (this.#held > kHeldValuesMax) throw holdsTooMuch('the query holds', kHeldValuesMax);
    if (pooled > 0 && this.#values.held > kPooledValuesMax) {
      throw holdsTooMuch('all queries together hold', kPooledValuesMax);
    }
  }

  /** Returns its share of the pools to other queries. Idempotent. */
  end(): void {
    if (!this.#hasEnded) this.#values.held -= pooledOf(this.#held);
    this.#hasEnded = true;
    this.texts.close();
    for (const twin of this.#twins.splice(0)) twin.end();
  }

  requireSeries(count: number): void {
    if (count > this.limits.maxSeries) throw exceeded('series', this.limits.maxSeries);
  }

  requireRows(count: number): void {
    if (count > this.limits.maxRows) throw exceeded('rows', this.limits.maxRows);
  }
}

const pooledOf = (held: number): number => Math.max(0, held - kOwnValues);

function holdsTooMuch(who: string, most: number): AppError {
  const message = `${who} more than ${most} values at a time; narrow it down`;
  return new AppError('query_limit_exceeded', message);
}

function exceeded(what: string, limit: number): AppError {
  const hint = `narrow it down, or raise max_query_${what}`;
  return new AppError(
    'query_limit_exceeded',
    `the query takes more than ${limit} ${what}; ${hint}`,
  );
}
