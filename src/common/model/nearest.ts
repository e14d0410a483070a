/** "Did you mean": the known word that is closest to an unknown one. */

/** Longer words are not compared, since they are no typing errors of known words. */
const kLengthMax = 64;
/** The most names with the same beginning that are compared, in order. */
export const kComparedMax = 2000;
/** The beginning, in characters; the longer one where too many names share the shorter one. */
const kShortBeginning = 1;
const kLongBeginning = 4;

/** A hint, or undefined when nothing known is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearWord(word, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** The known word that was probably meant, or undefined when none is near. */
export function nearWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  if (wanted.length > kLengthMax) return undefined;
  const distanceMax = wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3;
  let best: { word: string; distance: number } | null = null;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > distanceMax) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= distanceMax && (best === null || distance < best.distance)) {
      best = { word: candidate, distance };
    }
  }
  return best?.word;
}

/** The nearest of the known words, at any distance. REQUIRES: at least one. */
export function nearestOf(word: string, known: readonly string[]): string {
  const wanted = word.toLowerCase().slice(0, kLengthMax);
  const distances = known.map((one) => editDistance(wanted, one.toLowerCase()));
  return known[distances.indexOf(Math.min(...distances))] ?? '';
}

/** Names of the same beginning. `namesFrom` gives the first `kComparedMax` with a prefix. */
export async function namesLike(
  name: string,
  namesFrom: (prefix: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const names = await namesFrom(beginning(name, kShortBeginning));
  if (names.length < kComparedMax) return names;
  return [...names, ...(await namesFrom(beginning(name, kLongBeginning)))];
}

const beginning = (text: string, count: number): string =>
  Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');

/**
 * The edit distance. Insertion, deletion, replacement and a swap of neighbours are one step each.
 */
function editDistance(left: string, right: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
      );
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwap) cost = Math.min(cost, at(twoAbove, column - 2) + 1);
      current.push(cost);
    }
    twoAbove = above;
    above = current;
  }
  return at(above, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
