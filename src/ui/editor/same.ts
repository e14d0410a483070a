/** The lengths of the common prefix and suffix of two texts; they do not overlap. */
export function sameIn(one: string, other: string): { before: number; behind: number } {
  const most = Math.min(one.length, other.length);
  let before = 0;
  while (before < most && one[before] === other[before]) before += 1;
  let behind = 0;
  while (behind < most - before && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1;
  return { before, behind };
}
