/** The colour and dashes of lines. They depend on line ids, so that lines keep them. */

export interface LineStyle {
  /** The index of the colour token, from 0 for `--line-1` to 7 for `--line-8`. */
  readonly colour: number;
  readonly dash: 'solid' | 'dashed' | 'dotted';
}

/** The dash pattern: lengths drawn and skipped in turns, in pixels. */
export const strokeOf: Readonly<Record<LineStyle['dash'], readonly number[]>> = {
  ...{ solid: [], dashed: [5, 3.5], dotted: [1.5, 3.5] },
};

const kColours = 8;
const dashes = ['solid', 'dashed', 'dotted'] as const;

/** If a line's colour is taken, it gets the next one. The ninth line starts over with dashes. */
export function stylesOf(ids: readonly string[]): ReadonlyMap<string, LineStyle> {
  const styles = new Map<string, LineStyle>();
  const taken = new Set<number>();
  for (const id of [...ids].sort(byNumber)) {
    if (taken.size === kColours) taken.clear();
    let colour = hashOf(id);
    while (taken.has(colour)) colour = (colour + 1) % kColours;
    taken.add(colour);
    const round = Math.floor(styles.size / kColours);
    styles.set(id, { colour, dash: dashes[Math.min(round, 2)] ?? 'dotted' });
  }
  return styles;
}

/** By number, so that no ranking changes the colours. */
const byNumber = (one: string, two: string): number =>
  one.length - two.length || (one < two ? -1 : 1);

function hashOf(id: string): number {
  let sum = 7;
  for (const digit of id) sum = (sum * 31 + digit.charCodeAt(0)) >>> 0;
  return ((sum ^ (sum >>> 7)) >>> 0) % kColours;
}
