/** Counts the texts of label columns that the user did not name: many texts show a wrong guess. */

import { TableFault } from './table-fault.js';

import type { RowCells } from './row-lines.js';

/** The most values of a guessed label. More values are a mistake, since each makes a series. */
export const guessedValuesMax = 1_000;

interface GuessedLabel {
  /** The index of the column. */
  readonly at: number;
  readonly name: string;
  readonly texts: Set<string>;
}

/** Texts by label. */
type TextsOfLabels = readonly ReadonlySet<string>[];

export class GuessedLabels {
  readonly #labels: readonly GuessedLabel[];

  constructor(columns: readonly { readonly at: number; readonly name: string }[]) {
    this.#labels = columns.map(({ at, name }) => ({ at, name, texts: new Set() }));
  }

  /** The number of cells at the beginning of a row that include all guessed labels. */
  get width(): number {
    return Math.max(0, ...this.#labels.map(({ at }) => at + 1));
  }

  /** Counts the texts of a row with a value. Throws TableFault if a label has too many. */
  count(cells: RowCells): void {
    for (const { at, name, texts } of this.#labels) {
      const text = cells[at] ?? null;
      if (text !== null) texts.add(text);
      if (texts.size > guessedValuesMax) throw manyValues(name);
    }
  }

  /** True if all texts of the row are counted. */
  knows(cells: RowCells): boolean {
    for (const { at, texts } of this.#labels) {
      const text = cells[at] ?? null;
      if (text !== null && !texts.has(text)) return false;
    }
    return true;
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
    this.#labels.forEach(({ texts }, index) => {
      for (const text of found[index] ?? []) texts.add(text);
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
