/** Filters and ranks suggestions by the typed text. */

import type { Suggestion } from './suggestions.js';

export interface Match {
  readonly option: Suggestion;
  /** The indexes of the typed letters in the label. */
  readonly typed: ReadonlySet<number>;
}

/** Breaks ties: label values come before columns and functions. */
const rank: Readonly<Record<Suggestion['kind'], number>> = {
  ...{ metric: 3, label: 3, value: 3, column: 2, word: 1, function: 0 },
};

const kShownMax = 50;

/** Labels that start with the text come first, then labels with a word that does, and so on. */
export function matching(options: readonly Suggestion[], typed: string): readonly Match[] {
  // An opening quote is no letter of the label. An option equal to the typed text is dropped.
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

/** Matches the letters in order, with gaps. */
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
