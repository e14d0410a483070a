/** The choice of drawn and visible lines. */

interface Lines {
  readonly drawn: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

export interface LineChoice {
  /** The ids of the only lines to draw; null: the first of the order. Undefined: unchanged. */
  readonly only?: readonly string[] | null;
  readonly hidden: ReadonlySet<string>;
}

const noLine: ReadonlySet<string> = new Set();

const visible = ({ drawn, hidden }: Lines): readonly string[] =>
  drawn.filter((id) => !hidden.has(id));

/** Shows one line alone; if it is alone already, shows all lines. */
export function aloneOf(id: string, lines: Lines): LineChoice {
  const [first, ...more] = visible(lines);
  return { only: first === id && more.length === 0 ? null : [id], hidden: noLine };
}

/** A line that was not drawn is added to the drawn ones. */
export function toggled(id: string, lines: Lines): LineChoice {
  if (!lines.drawn.includes(id)) return { only: [...visible(lines), id], hidden: noLine };
  const hidden = new Set(lines.hidden);
  if (!hidden.delete(id)) hidden.add(id);
  return { hidden };
}
