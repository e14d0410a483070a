/**
 * Makes text from outside safe to display: escapes characters that act on a terminal or are
 * invisible.
 */

/**
 * Characters to escape. Control characters steer a terminal. Others change the writing direction,
 * break lines, join or take no room, so that two texts look alike. Lone surrogates are escaped,
 * too. Format characters beyond the first plane, such as tags, are escaped as both halves.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes them as `\uXXXX`, which JSON and the query language read. Characters in `kept` stay. */
export function visible(text: string, kept = ''): string {
  return text.replace(hidden, (character) =>
    kept.includes(character) ? character : character.split('').map(written).join(''),
  );
}

/** The longest part of a query in the log, in characters. */
const kBeginningMax = 1000;

/** The beginning of a query with hidden characters escaped, for the log. */
export function visibleBeginning(query: string): string {
  const isLong = query.length > kBeginningMax;
  return visible(isLong ? `${query.slice(0, kBeginningMax)}…` : query, '\n\t');
}

function written(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
