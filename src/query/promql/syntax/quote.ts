/** Quotes text as Go's strconv.Quote does. */

/** An invalid byte of UTF-8 is stored as this plus the byte: half of a surrogate pair. */
export const kLoneByte = 0xdc00;

const named: Readonly<Record<string, string>> = {
  ...{ '"': '\\"', '\\': '\\\\', '\x07': '\\a', '\b': '\\b', '\f': '\\f' },
  ...{ '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v' },
};
const shown = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
/** A text without characters to escape. */
const plain = /^[ !#-[\]-~]*$/;

export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${Array.from(text, (one) => named[one] ?? escaped(one)).join('')}"`;
}

/** A character in single quotes, as `%q` writes it. */
export function goQuoteCharacter(character: string): string {
  if (character === '"') return `'"'`;
  if (character === "'") return "'\\''";
  return `'${named[character] ?? escaped(character)}'`;
}

/** `U+0071 'q'`, as `%#U` writes it. */
export function unicodeName(character: string): string {
  const name = `U+${hexOf(character).toUpperCase().padStart(4, '0')}`;
  return shown.test(character) ? `${name} '${character}'` : name;
}

function escaped(character: string): string {
  if (shown.test(character)) return character;
  const code = character.charCodeAt(0);
  if (character.length === 1 && code >= kLoneByte && code < 0xe000) {
    return `\\x${(code - kLoneByte).toString(16).padStart(2, '0')}`;
  }
  const hex = hexOf(character);
  if (character < '\x80') return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
