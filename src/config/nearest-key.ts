/** "Did you mean": the known key that is fewest edits away. */

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i += 1) {
    const current = [i + 1];
    for (let j = 0; j < right.length; j += 1) {
      const replaced = (previous[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

export function nearestKey(unknown: string, known: readonly string[]): string {
  let nearest = known[0] ?? '';
  let least = Infinity;
  for (const key of known) {
    const distance = editDistance(unknown.toLowerCase(), key);
    if (distance < least) [nearest, least] = [key, distance];
  }
  return nearest;
}
