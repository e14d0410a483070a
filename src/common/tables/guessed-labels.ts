/** Counts the texts of label columns that the user did not name: many texts show a wrong guess. */

import { KnownCells } from './known-cells.js';
import { TableFault } from './table-fault.js';

import type { RowCells } from './row-cells.js';

/** The most values of a guessed label. More values are a mistake, since each makes a series. */
export const guessedValuesMax = 1_000;

const quote = 0x22;

interface GuessedLabel {
  /** The index of the column. */
  readonly at: number;
  readonly name: string;
  readonly texts: Set<string>;
}

/** Texts by label. */
export type TextsOfLabels = readonly ReadonlySet<string>[];

export class GuessedLabels {
  readonly #labels: readonly GuessedLabel[];
  readonly #known: KnownCells;

  constructor(columns: readonly { readonly at: number; readonly name: string }[]) {
    const sorted = [...columns].sort((left, right) => left.at - right.at);
    this.#labels = sorted.map(({ at, name }) => ({ at, name, texts: new Set() }));
    this.#known = new KnownCells(sorted.map(({ at }) => at));
  }

  /** Counts the texts of a row with a value. Throws TableFault if a label has too many. */
  count(cells: RowCells): void {
    for (const label of this.#labels) {
      const text = cells[label.at] ?? null;
      if (text !== null) this.#add(label, text);
      if (label.texts.size > guessedValuesMax) throw manyValues(label.name);
    }
  }

  #add({ at, texts }: GuessedLabel, text: string): void {
    if (texts.has(text) || texts.size > guessedValuesMax) return;
    texts.add(text);
    this.#known.add(at, text);
  }

  /** True if all texts of these rows of UTF-8 are counted. False may be wrong. */
  know(rows: Uint8Array): boolean {
    if (this.#labels.length === 0) return true;
    return !rows.includes(quote) && this.#known.hasAll(rows);
  }

  /** The texts of these rows that are not counted. */
  newIn(rows: Iterable<RowCells>): TextsOfLabels {
    const found = this.#labels.map(() => new Set<string>());
    for (const cells of rows) {
      this.#labels.forEach(({ at, texts }, index) => {
        const text = cells[at] ?? null;
        if (text !== null && !texts.has(text)) found[index]?.add(text);
      });
    }
    return found;
  }

  /** False if a label would have too many texts with these new ones. */
  hasRoomFor(found: TextsOfLabels): boolean {
    return this.#labels.every(
      ({ texts }, index) => texts.size + (found[index]?.size ?? 0) <= guessedValuesMax,
    );
  }

  /** Counts these texts. */
  learn(found: TextsOfLabels): void {
    this.#labels.forEach((label, index) => {
      for (const text of found[index] ?? []) this.#add(label, text);
    });
  }
}

/** The fault of a guessed label with too many values. Each value makes a series. */
export function manyValues(column: string): TableFault {
  const count = guessedValuesMax.toLocaleString('en');
  return new TableFault(
    `the column "${column}" has more than ${count} different texts, too many to be guessed as a label; ` +
      `name it by --labels ${column}, or skip it by --ignore ${column}`,
  );
}
