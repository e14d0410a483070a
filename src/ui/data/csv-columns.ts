/** Parses CSV answers as they arrive into number arrays, without an object per row. */

/** The content of a column: line names, times or values. */
export type ColumnKind = 'key' | 'time' | 'value';

export interface Columns {
  readonly rowCount: number;
  /** The distinct names of all key columns, in order of appearance. */
  readonly keys: readonly string[];
  /** By column: indexes into `keys`, ticks from the origin, or values; NaN if there is none. */
  readonly numbers: readonly Float64Array[];
}

const kRowsAtFirst = 1_024;

export class CsvColumns {
  readonly #kinds: readonly ColumnKind[];
  readonly #origin: bigint;
  readonly #decoder = new TextDecoder();
  readonly #places = new Map<string, number>();
  #columns: Float64Array[];
  #rowCount = 0;
  #rest = '';
  #isHeadRead = false;

  /** Times are relative to `origin`, which keeps nanoseconds exact. */
  constructor(kinds: readonly ColumnKind[], origin: bigint) {
    this.#kinds = kinds;
    this.#origin = origin;
    this.#columns = kinds.map(() => new Float64Array(kRowsAtFirst));
  }

  add(piece: Uint8Array): void {
    this.#take(this.#decoder.decode(piece, { stream: true }));
  }

  finish(): Columns {
    this.#take(this.#decoder.decode());
    if (this.#rest !== '') this.#readLine(this.#rest);
    const numbers = this.#columns.map((column) => column.subarray(0, this.#rowCount));
    return { rowCount: this.#rowCount, keys: [...this.#places.keys()], numbers };
  }

  #take(text: string): void {
    const all = this.#rest + text;
    let start = 0;
    for (;;) {
      const end = lineEnd(all, start);
      if (end < 0) break;
      this.#readLine(all.slice(start, end));
      start = end + 1;
    }
    this.#rest = all.slice(start);
  }

  #readLine(line: string): void {
    if (!this.#isHeadRead) {
      this.#isHeadRead = true;
      return;
    }
    if (this.#rowCount === this.#columns[0]?.length) this.#columns = this.#columns.map(doubled);
    const cells = cellsOf(line);
    this.#kinds.forEach((kind, at) => {
      const column = this.#columns[at];
      if (column !== undefined) column[this.#rowCount] = this.#read(kind, cells[at] ?? '');
    });
    this.#rowCount += 1;
  }

  #read(kind: ColumnKind, cell: string): number {
    if (kind === 'key') return this.#placeOf(cell);
    if (kind === 'time') return Number(BigInt(cell) - this.#origin);
    return cell === '' ? NaN : Number(cell);
  }

  #placeOf(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.#places.size);
    return this.#places.size - 1;
  }
}

function doubled(column: Float64Array): Float64Array {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** The end of the line that begins at `start`, respecting quotes; -1 if it is incomplete. */
function lineEnd(text: string, start: number): number {
  for (let at = start; ;) {
    const end = text.indexOf('\n', at);
    if (end < 0) return -1;
    const line = text.slice(start, end);
    if (!line.includes('"') || line.split('"').length % 2 === 1) return end;
    at = end + 1;
  }
}

function cellsOf(line: string): readonly string[] {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (!plain.includes('"')) return plain.split(',');
  return [...plain.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
  );
}
