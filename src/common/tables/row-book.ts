/**
 * Records the rows that became lines, one line per row. It knows their places in the file, and the
 * rows refused before the server saw them. It stays small, since loaded rows are forgotten.
 */

export interface RefusedRow {
  /** The row's line, counted from 1. */
  readonly line: number;
  readonly reason: string;
  /**
   * The number of cells left out of the line. 0 means that the whole row was refused and its line
   * is empty.
   */
  readonly cells: number;
}

/** Thrown when a refused row ends the load. */
export class RowRefusal extends Error {
  readonly line: number;

  constructor({ line, reason }: Omit<RefusedRow, 'cells'>) {
    super(reason);
    this.name = 'RowRefusal';
    this.line = line;
  }
}

/** A remark about stored rows. */
export interface Remark {
  readonly text: string;
  /** The first of these rows in the file. */
  readonly row: number;
}

/** Samples that were skipped. */
interface LeftOut {
  count: number;
  /** The first of these rows in the file; null if unknown. */
  readonly row: number | null;
}

interface RowBookOptions {
  /** The word for the file's rows in messages. */
  readonly noun: 'line' | 'row';
  /** True if refused rows are left out. Otherwise the first one ends the load. */
  readonly isLenient: boolean;
}

export class RowBook {
  readonly noun: 'line' | 'row';
  readonly isLenient: boolean;
  /** From `line` on, add `shift` to get the row in the file. Ascending by `line`. */
  #shifts: { readonly line: number; readonly shift: number }[] = [];
  #refused: RefusedRow[] = [];
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #remarks: (() => Remark | null)[] = [];

  constructor({ noun, isLenient }: RowBookOptions) {
    this.noun = noun;
    this.isLenient = isLenient;
  }

  /** Records that `line` comes from row `source` of the file. */
  note(line: number, source: number): void {
    const shift = source - line;
    if (this.#shifts.at(-1)?.shift !== shift) this.#shifts.push({ line, shift });
  }

  /** Records a refused row or refused cells. Throws RowRefusal unless the load is lenient. */
  refuse(row: RefusedRow): void {
    if (!this.isLenient) throw new RowRefusal(row);
    // A substring in V8 retains the whole string that it was cut from, so copy it.
    const reason = JSON.parse(JSON.stringify(row.reason)) as string;
    this.#refused.push({ ...row, reason });
  }

  /** Counts skipped samples that no database can hold. `what` names the kind of sample. */
  leaveOut(what: string, row: number | null = null, count = 1): void {
    if (count === 0) return;
    const known = this.#leftOut.get(what);
    if (known === undefined) this.#leftOut.set(what, { count, row });
    else known.count += count;
  }

  /** Skipped samples, by kind. */
  leftOut(): ReadonlyMap<string, Readonly<LeftOut>> {
    return this.#leftOut;
  }

  /** Registers `of`, which gives a remark, or null, once all rows have been read. */
  remark(of: () => Remark | null): void {
    this.#remarks.push(of);
  }

  /** The remarks about stored rows. */
  remarked(): readonly Remark[] {
    return this.#remarks.flatMap((of) => of() ?? []);
  }

  /** The row in the file that `line` came from. */
  sourceOf(line: number): number {
    return line + (this.#shifts.findLast((one) => one.line <= line)?.shift ?? 0);
  }

  /** Refused rows after line `from`, up to and including `to`. */
  refused(from: number, to: number): readonly RefusedRow[] {
    return this.#refused.filter(({ line }) => line > from && line <= to);
  }

  /** Forgets lines up to and including `line`. REQUIRES: nothing asks for them again. */
  forget(line: number): void {
    this.#refused = this.#refused.filter((one) => one.line > line);
    const last = this.#shifts.findLastIndex((one) => one.line <= line);
    if (last > 0) this.#shifts = this.#shifts.slice(last);
  }
}
