/**
 * What is known of rows that became lines, each row one: where they stood in their file, and which
 * were refused before a server saw them. What was loaded is forgotten, so it stays small.
 */

export interface RefusedRow {
  /** The line that stands for it; counts from 1. */
  readonly line: number;
  readonly reason: string;
  /** How many cells were left out of its line; 0: the whole row was, and the line is empty. */
  readonly cells: number;
}

/** Thrown where the first row that is refused ends the load. */
export class RowRefusal extends Error {
  readonly line: number;

  constructor({ line, reason }: Omit<RefusedRow, 'cells'>) {
    super(reason);
    this.name = 'RowRefusal';
    this.line = line;
  }
}

/** What is told of rows that were stored. */
export interface Remark {
  readonly text: string;
  /** Where the first of them stands. */
  readonly row: number;
}

/** Samples that were passed over. */
interface LeftOut {
  count: number;
  /** Where the first one stands; null: nobody said it. */
  readonly row: number | null;
}

interface RowBookOptions {
  /** What the rows of the file are counted in. */
  readonly noun: 'line' | 'row';
  /** Whether rows that are refused are left out, instead of ending the load. */
  readonly isLenient: boolean;
}

export class RowBook {
  readonly noun: 'line' | 'row';
  readonly isLenient: boolean;
  /** From this line on, `shift` is to be added; ascending. */
  #shifts: { readonly line: number; readonly shift: number }[] = [];
  #refused: RefusedRow[] = [];
  readonly #leftOut = new Map<string, LeftOut>();
  #remark: () => Remark | null = () => null;

  constructor({ noun, isLenient }: RowBookOptions) {
    this.noun = noun;
    this.isLenient = isLenient;
  }

  /** `line` was made of what stands at `source`. */
  note(line: number, source: number): void {
    const shift = source - line;
    if (this.#shifts.at(-1)?.shift !== shift) this.#shifts.push({ line, shift });
  }

  /** A row, or cells of it. Throws RowRefusal where that ends the load. */
  refuse(row: RefusedRow): void {
    if (!this.isLenient) throw new RowRefusal(row);
    // A text that was cut out of another one keeps that one in memory.
    const reason = JSON.parse(JSON.stringify(row.reason)) as string;
    this.#refused.push({ ...row, reason });
  }

  /** A sample that no database can hold is passed over, and counted under what it is. */
  leaveOut(what: string, row: number | null = null): void {
    const known = this.#leftOut.get(what);
    if (known === undefined) this.#leftOut.set(what, { count: 1, row });
    else known.count += 1;
  }

  /** The samples that were passed over, by what they are. */
  leftOut(): ReadonlyMap<string, Readonly<LeftOut>> {
    return this.#leftOut;
  }

  /** `of` tells of all rows when they have been read. */
  remark(of: () => Remark | null): void {
    this.#remark = of;
  }

  /** What is told of rows that were stored; null: nothing. */
  remarked(): Remark | null {
    return this.#remark();
  }

  /** Where the row stands in its file, of which `line` was made. */
  sourceOf(line: number): number {
    return line + (this.#shifts.findLast((one) => one.line <= line)?.shift ?? 0);
  }

  /** The rows after line `from` that were refused, up to `to`. */
  refused(from: number, to: number): readonly RefusedRow[] {
    return this.#refused.filter(({ line }) => line > from && line <= to);
  }

  /** Nothing before this line will be asked for again. */
  forget(line: number): void {
    this.#refused = this.#refused.filter((one) => one.line > line);
    const last = this.#shifts.findLastIndex((one) => one.line <= line);
    if (last > 0) this.#shifts = this.#shifts.slice(last);
  }
}
