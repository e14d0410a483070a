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

/** The first units of UTF-16 of a longer text, without half of a surrogate pair at the end. */
export function beginningOf(text: string, length: number): string {
  const isSplit = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isSplit ? length - 1 : length);
}

/** The text, or its first units of UTF-16 and `…` if it is longer. */
export function elided(text: string, length: number): string {
  return text.length > length ? `${beginningOf(text, length)}…` : text;
}

/** The longest part of a query in the log, in characters. */
const kBeginningMax = 1000;

/** The beginning of a query with hidden characters escaped, for the log. */
export function visibleBeginning(query: string): string {
  return visible(elided(query, kBeginningMax), '\n\t');
}

function written(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
