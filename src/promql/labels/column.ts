/** One label of many rows: its distinct texts, and which of them each row has. */

import { TextPacker } from '../../seriesql/execute/text-packer.js';

import type { PackedTexts } from '../../storage/storage.js';

/** A mark of byte order is a part of a label as any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class LabelColumn {
  /** 0: the row has none; else the place of its text, plus one. */
  readonly codes: Uint32Array;
  /** Whether its texts ascend by bytes; false: nobody knows. */
  readonly isAscending: boolean;
  #texts: readonly string[] | null;
  #packed: PackedTexts | null;

  /** The texts are distinct and not empty; not every one needs a row. */
  constructor(
    texts: readonly string[] | PackedTexts,
    codes: Uint32Array,
    { isAscending } = { isAscending: false },
  ) {
    this.#texts = 'bytes' in texts ? null : texts;
    this.#packed = 'bytes' in texts ? texts : null;
    this.codes = codes;
    this.isAscending = isAscending;
  }

  get textCount(): number {
    return this.#packed?.ends.length ?? this.#texts?.length ?? 0;
  }

  get texts(): readonly string[] {
    return (this.#texts ??= this.#packed === null ? [] : unpacked(this.#packed));
  }

  get packed(): PackedTexts {
    return (this.#packed ??= packTexts(this.#texts ?? []));
  }

  /** '' for none. */
  textOf(row: number): string {
    const code = this.codes[row] ?? 0;
    return code === 0 ? '' : (this.texts[code - 1] ?? '');
  }

  /** The same texts for other rows. */
  withCodes(codes: Uint32Array): LabelColumn {
    return new LabelColumn(this.#texts ?? this.packed, codes, this);
  }
}

function unpacked({ bytes, ends }: PackedTexts): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  for (const end of ends) {
    texts.push(decoder.decode(bytes.subarray(start, end)));
    start = end;
  }
  return texts;
}

function packTexts(texts: readonly string[]): PackedTexts {
  const packer = new TextPacker();
  for (const text of texts) packer.add(text);
  return packer.texts();
}

/** Builds a column row by row. */
export class ColumnBuilder {
  readonly #codeOf = new Map<string, number>();
  readonly #codes: Uint32Array;

  constructor(rowCount: number) {
    this.#codes = new Uint32Array(rowCount);
  }

  /** An empty text is none. */
  codeOf(text: string): number {
    if (text === '') return 0;
    const known = this.#codeOf.get(text);
    if (known !== undefined) return known;
    const code = this.#codeOf.size + 1;
    this.#codeOf.set(text, code);
    return code;
  }

  set(row: number, code: number): void {
    this.#codes[row] = code;
  }

  finish(): LabelColumn {
    return new LabelColumn([...this.#codeOf.keys()], this.#codes);
  }
}
