/** Which lines of a chart are drawn, and which of those are seen. */

interface Lines {
  readonly drawn: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

export interface LineChoice {
  /** These alone; null: the first ones of the order. Undefined: as before. */
  readonly only?: readonly string[] | null;
  readonly hidden: ReadonlySet<string>;
}

const noLine: ReadonlySet<string> = new Set();

const visible = ({ drawn, hidden }: Lines): readonly string[] =>
  drawn.filter((id) => !hidden.has(id));

/** One line alone; all of them again where it is alone already. */
export function aloneOf(id: string, lines: Lines): LineChoice {
  const [first, ...more] = visible(lines);
  return { only: first === id && more.length === 0 ? null : [id], hidden: noLine };
}

/** A line that was not drawn comes to those that are. */
export function toggled(id: string, lines: Lines): LineChoice {
  if (!lines.drawn.includes(id)) return { only: [...visible(lines), id], hidden: noLine };
  const hidden = new Set(lines.hidden);
  if (!hidden.delete(id)) hidden.add(id);
  return { hidden };
}
