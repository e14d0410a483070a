/** Suggests the quoted form of a name with a dot, which only quoted names may contain. */

const kStrings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
const kGrouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*$/i;

/** The replacement for the name with a dot at `offset`; undefined if there is no such name. */
export function quotedNameAt(text: string, offset: number): string | undefined {
  if (text[offset] !== '.') return undefined;
  const [head = ''] = /[A-Za-z_:][\w:]*$/.exec(text.slice(0, offset)) ?? [];
  if (head === '') return undefined;
  const [tail = ''] = /^(?:\.[\w:]+)*/.exec(text.slice(offset)) ?? [];
  if (tail === '') return undefined;
  const quoted = `"${head}${tail}"`;
  const before = text.slice(0, offset).replace(kStrings, '');
  const isTag = head === 'tag' && /^\.\w+$/.test(tail);
  const isLabel = before.lastIndexOf('{') > before.lastIndexOf('}') || kGrouping.test(before);
  if (isLabel) return isTag ? tail.slice(1) : quoted;
  const hasLabels = /^\s*\{\s*[^}\s]/.test(text.slice(offset + tail.length));
  return hasLabels ? `{${quoted}, …}` : `{${quoted}}`;
}
