/** Text from outside, made safe to look at: what acts on a terminal or hides is written out. */

/**
 * Control characters, which steer a terminal; those that turn the direction of writing, break a
 * line, join, or take no room, by which two texts look alike; and halves of a pair. Of tags and
 * other format characters beyond the first plane both halves are written out.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Each of them as `\uXXXX`, as JSON and the query language read it; `kept` stay as they are. */
export function visible(text: string, kept = ''): string {
  return text.replace(hidden, (character) =>
    kept.includes(character) ? character : character.split('').map(written).join(''),
  );
}

/** Characters of a query that the log has. */
const kBeginningMax = 1000;

/** Its beginning where it is long, on which no terminal acts. */
export function visibleBeginning(query: string): string {
  const isLong = query.length > kBeginningMax;
  return visible(isLong ? `${query.slice(0, kBeginningMax)}…` : query, '\n\t');
}

function written(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
