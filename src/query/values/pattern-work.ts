/**
 * How much work it is to compile a regular expression, estimated from its text alone, so that a
 * short one that grows into a huge program is refused before anything is built of it.
 */

/** About a microsecond each. */
export const kPatternWorkMax = 16_384;

const kBase = 16;
/** Of a class of Unicode, as `\pL` is, with some hundred ranges that may be joined with others. */
const kUnicodeClass = 128;
/** Of a part for each time that it is repeated in the program. */
const kCopy = 8;

const counted = /\{([0-9]{1,6})(,?)([0-9]{0,6})\}/y;

export function patternWork(source: string): number {
  let work = kBase + source.length;
  /** Instructions of the groups around this place, the innermost last. */
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

/** Leaves the end of the count in `counted`. */
function copiesAt(source: string, at: number): number {
  counted.lastIndex = at;
  const [, least = '1', comma = '', most = ''] = counted.exec(source) ?? [];
  return Math.max(1, most === '' ? Number(least) + comma.length : Number(most));
}

/** A character, what a backslash makes of the next one, or a class in brackets. */
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
