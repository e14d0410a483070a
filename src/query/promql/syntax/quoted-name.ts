/** How a name is written that has a dot, which only names in quotes may have. */

const kStrings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
const kGrouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*$/i;

/** What to write in place of the name whose dot is at `offset`; undefined: no name has it there. */
export function quotedNameAt(text: string, offset: number): string | undefined {
  if (text[offset] !== '.') return undefined;
  const [head = ''] = /[A-Za-z_:][\w:]*$/.exec(text.slice(0, offset)) ?? [];
  if (head === '') return undefined;
  const [tail = ''] = /^(?:\.[\w:]+)*/.exec(text.slice(offset)) ?? [];
  if (tail === '') return undefined;
  const quoted = `"${head}${tail}"`;
  const before = text.slice(0, offset).replace(kStrings, '');
  const isLabel = before.lastIndexOf('{') > before.lastIndexOf('}') || kGrouping.test(before);
  if (isLabel) return quoted;
  const hasLabels = /^\s*\{\s*[^}\s]/.test(text.slice(offset + tail.length));
  return hasLabels ? `{${quoted}, …}` : `{${quoted}}`;
}
