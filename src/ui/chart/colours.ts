/** Which colour and which dashes a line has: those of its id, so that it keeps them. */

export interface LineStyle {
  /** Of the tokens `--line-1` to `--line-8`. */
  readonly colour: number;
  readonly dash: 'solid' | 'dashed' | 'dotted';
}

/** Pixels that are drawn and left out, in turns. */
export const strokeOf: Readonly<Record<LineStyle['dash'], readonly number[]>> = {
  ...{ solid: [], dashed: [5, 3.5], dotted: [1.5, 3.5] },
};

const kColours = 8;
const dashes = ['solid', 'dashed', 'dotted'] as const;

/** Who finds a colour taken takes the next one; the ninth line begins anew, dashed. */
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

/** In an order that no ranking changes. */
const byNumber = (one: string, two: string): number =>
  one.length - two.length || (one < two ? -1 : 1);

function hashOf(id: string): number {
  let sum = 7;
  for (const digit of id) sum = (sum * 31 + digit.charCodeAt(0)) >>> 0;
  return ((sum ^ (sum >>> 7)) >>> 0) % kColours;
}
