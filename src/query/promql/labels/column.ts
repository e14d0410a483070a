/** One label of many rows: its distinct texts, and which of them each row has. */

import { noteTextWork } from '../../limits/text-work.js';
import { TextPacker } from '../../values/text-packer.js';
import { inTurns, type Pauses } from '../../limits/turns.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { PackedTexts } from '../../../storage/storage.js';

/** A mark of byte order is a part of a label as any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Each once, as strings or packed; the other form is made when it is asked for. */
class ColumnTexts {
  readonly #account: TextAccount | null;
  #texts: readonly string[] | null;
  #packed: PackedTexts | null;

  /** `account`: pays for strings that are made of what is packed. */
  constructor(texts: readonly string[] | PackedTexts, account: TextAccount | null) {
    this.#texts = 'bytes' in texts ? null : texts;
    this.#packed = 'bytes' in texts ? texts : null;
    this.#account = account;
  }

  get count(): number {
    return this.#packed?.ends.length ?? this.#texts?.length ?? 0;
  }

  get texts(): readonly string[] {
    return (this.#texts ??= this.#packed === null ? [] : this.#unpacked(this.#packed));
  }

  get packed(): PackedTexts {
    return (this.#packed ??= packTexts(this.#texts ?? []));
  }

  /** So that nobody waits for `packed`. */
  async pack(pauses: Pauses): Promise<void> {
    if (this.#packed !== null) return;
    const packer = new TextPacker();
    await inTurns(pauses, this.#texts ?? [], (text) => {
      noteTextWork(text.length);
      packer.add(text);
    });
    this.#packed = packer.texts();
  }

  /** So that nobody waits for `texts`. */
  async unpack(pauses: Pauses): Promise<void> {
    if (this.#texts !== null || this.#packed === null) return;
    const { bytes, ends } = this.#packed;
    const texts: string[] = [];
    this.#hold(this.#packed);
    await inTurns(pauses, ends, (end, place) => {
      noteTextWork(end - (ends[place - 1] ?? 0));
      texts.push(textAt(bytes, ends, place));
    });
    this.#texts = texts;
  }

  #unpacked(packed: PackedTexts): readonly string[] {
    this.#hold(packed);
    const { bytes, ends } = packed;
    return Array.from(ends, (_end, place) => textAt(bytes, ends, place));
  }

  #hold({ bytes, ends }: PackedTexts): void {
    this.#account?.hold(ends.length * kBytesOfString + bytes.length);
  }
}

/** What a string takes beside its characters, with its place in a list. */
const kBytesOfString = 24;

function textAt(bytes: Uint8Array, ends: Uint32Array, place: number): string {
  return decoder.decode(bytes.subarray(ends[place - 1] ?? 0, ends[place]));
}

function packTexts(texts: readonly string[]): PackedTexts {
  const packer = new TextPacker();
  for (const text of texts) packer.add(text);
  return packer.texts();
}

interface ColumnOptions {
  /** Whether its texts ascend by bytes; false: nobody knows. */
  readonly isAscending?: boolean;
  /** Of the query that holds it; null: they are few. */
  readonly account?: TextAccount | null;
}

export class LabelColumn {
  /** 0: the row has none; else the place of its text, plus one. */
  readonly codes: Uint32Array;
  /** Whether its texts ascend by bytes; false: nobody knows. */
  readonly isAscending: boolean;
  readonly #texts: ColumnTexts;

  /** The texts are distinct and not empty; not every one needs a row. */
  constructor(
    texts: readonly string[] | PackedTexts | ColumnTexts,
    codes: Uint32Array,
    { isAscending = false, account = null }: ColumnOptions = {},
  ) {
    this.#texts = texts instanceof ColumnTexts ? texts : new ColumnTexts(texts, account);
    this.codes = codes;
    this.isAscending = isAscending;
  }

  get textCount(): number {
    return this.#texts.count;
  }

  get texts(): readonly string[] {
    return this.#texts.texts;
  }

  get packed(): PackedTexts {
    return this.#texts.packed;
  }

  /** `packed` is there afterwards. */
  pack(pauses: Pauses): Promise<void> {
    return this.#texts.pack(pauses);
  }

  /** `texts` are there afterwards. */
  unpack(pauses: Pauses): Promise<void> {
    return this.#texts.unpack(pauses);
  }

  /** '' for none. */
  textOf(row: number): string {
    const code = this.codes[row] ?? 0;
    return code === 0 ? '' : (this.texts[code - 1] ?? '');
  }

  /** The same texts for other rows. */
  withCodes(codes: Uint32Array): LabelColumn {
    return new LabelColumn(this.#texts, codes, this);
  }
}

/** Builds a column row by row. */
export class ColumnBuilder {
  readonly #codeOf = new Map<string, number>();
  readonly #codes: Uint32Array;
  readonly #account: TextAccount | null;

  /** `account`: pays for the texts; null: others hold them. */
  constructor(rowCount: number, account: TextAccount | null = null) {
    this.#codes = new Uint32Array(rowCount);
    this.#account = account;
  }

  /** An empty text is none. Throws `query_limit_exceeded` where there is no room for it. */
  codeOf(text: string): number {
    if (text === '') return 0;
    // It is hashed.
    noteTextWork(text.length);
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    this.#account?.holdText(text);
    const code = this.#codeOf.size + 1;
    this.#codeOf.set(text, code);
    return code;
  }

  set(row: number, code: number): void {
    this.#codes[row] = code;
  }

  finish(): LabelColumn {
    return new LabelColumn([...this.#codeOf.keys()], this.#codes, { account: this.#account });
  }
}
