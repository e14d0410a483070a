/** Which suggestions fit what is typed, and in which order they stand. */

import type { Suggestion } from './suggestions.js';

export interface Match {
  readonly option: Suggestion;
  /** Which letters of its label were typed. */
  readonly typed: ReadonlySet<number>;
}

/** Values of labels and columns come before functions, where both fit as well. */
const rank: Readonly<Record<Suggestion['kind'], number>> = {
  ...{ metric: 3, label: 3, value: 3, column: 2, word: 1, function: 0 },
};

const kShownMax = 50;

/** Labels that begin so come first, then those with a word that does, and so on. */
export function matching(options: readonly Suggestion[], typed: string): readonly Match[] {
  // A quote before it is no letter of a label; what is there already need not be offered.
  const wanted = typed.replace(/^["']/, '').replaceAll("''", "'").toLowerCase();
  const found = options.flatMap((option) => {
    const spots = option.text.trimEnd() === typed ? null : spotsOf(option.label, wanted);
    return spots === null ? [] : [{ option, ...spots }];
  });
  found.sort((a, b) => b.score - a.score || rank[b.option.kind] - rank[a.option.kind]);
  return found.slice(0, kShownMax);
}

interface Spots {
  readonly typed: ReadonlySet<number>;
  readonly score: number;
}

const marks = ['.', '_', '-', ' '];

function spotsOf(label: string, wanted: string): Spots | null {
  const small = label.toLowerCase();
  const inside = small.indexOf(wanted);
  if (inside < 0) return scattered(small, wanted);
  const ofWord = marks.map((mark) => small.indexOf(mark + wanted)).find((at) => at >= 0);
  const at = inside === 0 || ofWord === undefined ? inside : ofWord + 1;
  const score = at === 0 ? 3 : ofWord === undefined ? 1 : 2;
  return { typed: new Set(Array.from(wanted, (_, index) => at + index)), score };
}

/** The letters in their order, with others between them. */
function scattered(small: string, wanted: string): Spots | null {
  const typed = new Set<number>();
  let at = -1;
  for (const letter of wanted) {
    at = small.indexOf(letter, at + 1);
    if (at < 0) return null;
    typed.add(at);
  }
  return { typed, score: 0 };
}
