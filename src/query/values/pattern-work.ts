/**
 * Estimates the work to compile a regular expression from its text alone. A short pattern that
 * would grow into a huge program is refused before anything is built.
 */

/** The most work of a pattern; one unit takes about a microsecond. */
export const kPatternWorkMax = 16_384;

const kBase = 16;
/** The work of a Unicode class such as `\pL`, with about a hundred ranges that may be merged. */
const kUnicodeClass = 128;
/** The work of each copy of a repeated part in the program. */
const kCopy = 8;

const counted = /\{([0-9]{1,6})(,?)([0-9]{0,6})\}/y;

export function patternWork(source: string): number {
  let work = kBase + source.length;
  /** The instructions of the groups around this place. The innermost is last. */
  const groups: number[] = [];
  let group = 0;
  let atom = 0;
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    if (character === '(') {
      groups.push(group);
      group = 0;
      at += 1;
    } else if (character === ')') {
      atom = group + 1;
      group = (groups.pop() ?? 0) + atom;
      at += 1;
    } else if (character === '{' && isCounted(source, at)) {
      const copies = atom * copiesAt(source, at);
      work += kCopy * copies;
      group += copies - atom;
      atom = copies;
      at = counted.lastIndex;
    } else {
      const end = atomEnd(source, at);
      work += kUnicodeClass * unicodeClasses(source, at, end);
      atom = 1;
      group += 1;
      at = end;
    }
  }
  return work;
}

function isCounted(source: string, at: number): boolean {
  counted.lastIndex = at;
  return counted.test(source);
}

/** The number of copies. Leaves the end of the count in `counted.lastIndex`. */
function copiesAt(source: string, at: number): number {
  counted.lastIndex = at;
  const [, least = '1', comma = '', most = ''] = counted.exec(source) ?? [];
  return Math.max(1, most === '' ? Number(least) + comma.length : Number(most));
}

/** The end of an atom: a character, an escape, or a class in brackets. */
function atomEnd(source: string, at: number): number {
  if (source[at] === '\\') return at + 2;
  if (source[at] !== '[') return at + 1;
  let end = at + 1;
  if (source[end] === '^') end += 1;
  if (source[end] === ']') end += 1;
  while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
  return end + 1;
}

function unicodeClasses(source: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (source[at] !== '\\') continue;
    at += 1;
    if (source[at] === 'p' || source[at] === 'P') count += 1;
  }
  return count;
}
