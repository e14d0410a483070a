/** One label of many rows: its distinct texts, and the text of each row. */

import { noteTextWork } from '../../limits/text-work.js';
import { TextPacker } from '../../values/text-packer.js';
import { inTurns, type Pauses } from '../../limits/turns.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { PackedTexts } from '../../../storage/storage.js';

/** A byte order mark is a normal part of a label. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Distinct texts, as strings or packed. The other form is made on demand. */
class ColumnTexts {
  readonly #account: TextAccount | null;
  #texts: readonly string[] | null;
  #packed: PackedTexts | null;

  /** `account`: is charged for strings made from packed texts; null: not charged. */
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

  /** Makes `packed` in turns, so that the getter does not block. */
  async pack(pauses: Pauses): Promise<void> {
    if (this.#packed !== null) return;
    const packer = new TextPacker();
    await inTurns(pauses, this.#texts ?? [], (text) => {
      noteTextWork(text.length);
      packer.add(text);
    });
    this.#packed = packer.texts();
  }

  /** Makes `texts` in turns, so that the getter does not block. */
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

/** The bytes of a string and its list entry, without its characters. */
const kBytesOfString = 24;

function textAt(bytes: Uint8Array, ends: Uint32Array, place: number): string {
  return decoder.decode(bytes.subarray(ends[place - 1] ?? 0, ends[place]));
}

function packTexts(texts: readonly string[]): PackedTexts {
  const packer = new TextPacker();
  for (const text of texts) packer.add(text);
  return packer.texts();
}

interface LabelColumnOptions {
  /** True if the texts ascend by bytes; false if unknown. */
  readonly isAscending?: boolean;
  /** The account of the query that holds the column; null if its texts are few. */
  readonly account?: TextAccount | null;
}

export class LabelColumn {
  /** Per row: 0 if it lacks the label, otherwise the index of its text plus one. */
  readonly codes: Uint32Array;
  /** True if the texts ascend by bytes; false if unknown. */
  readonly isAscending: boolean;
  readonly #texts: ColumnTexts;

  /** The texts must be distinct and not empty. A text may be unused. */
  constructor(
    texts: readonly string[] | PackedTexts | ColumnTexts,
    codes: Uint32Array,
    { isAscending = false, account = null }: LabelColumnOptions = {},
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

  /** Makes `packed` available without blocking. */
  pack(pauses: Pauses): Promise<void> {
    return this.#texts.pack(pauses);
  }

  /** Makes `texts` available without blocking. */
  unpack(pauses: Pauses): Promise<void> {
    return this.#texts.unpack(pauses);
  }

  /** '' if the row lacks the label. */
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
  readonly #codeOf = new TextCodes();
  readonly #texts: string[] = [];
  readonly #codes: Uint32Array;
  readonly #account: TextAccount | null;

  /** `account`: is charged for the texts; null if they are held elsewhere. */
  constructor(rowCount: number, account: TextAccount | null = null) {
    this.#codes = new Uint32Array(rowCount);
    this.#account = account;
  }

  /**
   * The code of a text; 0 for an empty one. Throws `query_limit_exceeded` if there is no room for
   * it.
   */
  codeOf(text: string): number {
    if (text === '') return 0;
    // Hashing the text takes time in proportion to its length.
    noteTextWork(text.length);
    const codes = this.#codeOf.mapFor(text);
    const known = codes.get(text);
    if (known !== undefined) return known;
    this.#account?.holdText(text);
    const code = this.#texts.push(text);
    codes.set(text, code);
    return code;
  }

  set(row: number, code: number): void {
    this.#codes[row] = code;
  }

  finish(): LabelColumn {
    return new LabelColumn(this.#texts, this.#codes, { account: this.#account });
  }
}

/** With more texts, one map becomes many. */
const kTextsOfOneMap = 4096;
/** A power of two. */
const kMaps = 64;
/** The most units of each end of a text that choose its map. */
const kHashedUnits = 32;

const mixed = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** The codes of texts. Many texts are in many maps, because a map that grows copies all it has. */
class TextCodes {
  #one: Map<string, number> | null = new Map<string, number>();
  #many: readonly Map<string, number>[] = [];

  /** The map for the codes of a text. Valid until the next call. */
  mapFor(text: string): Map<string, number> {
    if (this.#one !== null && this.#one.size < kTextsOfOneMap) return this.#one;
    if (this.#one !== null) this.#split(this.#one);
    return this.#mapOfMany(text);
  }

  #split(one: ReadonlyMap<string, number>): void {
    this.#many = Array.from({ length: kMaps }, () => new Map<string, number>());
    this.#one = null;
    for (const [text, code] of one) this.#mapOfMany(text).set(text, code);
  }

  /** By the length and the ends of a text, so that a long one takes no longer. */
  #mapOfMany(text: string): Map<string, number> {
    let hash = text.length;
    const head = Math.min(text.length, kHashedUnits);
    for (let at = 0; at < head; at += 1) hash = mixed(hash, text.charCodeAt(at));
    const tail = Math.max(head, text.length - kHashedUnits);
    for (let at = tail; at < text.length; at += 1) hash = mixed(hash, text.charCodeAt(at));
    const map = this.#many[(hash ^ (hash >>> 15)) & (kMaps - 1)];
    if (map === undefined) throw new Error('each hash has a map');
    return map;
  }
}
