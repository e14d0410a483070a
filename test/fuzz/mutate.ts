/** Mutates texts and bytes without knowing their meaning. */

import type { Random } from '../support/random.js';

/** Anything that has pieces and can be joined: a text, or bytes as Latin-1 text. */
type Change = (text: string, at: number, random: Random) => string;

const odd = ['\0', '\n', '\u00e9', '\u2028', '\ud800', '\u202e', "'", '"', '\\', '9', '-', '%'];

const changes: readonly Change[] = [
  (text, at, random) => text.slice(0, at) + text.slice(at + 1 + random.below(8)),
  (text, at) => text.slice(0, at),
  (text, at, random) => text.slice(0, at) + random.pick(odd) + text.slice(at + random.below(2)),
  (text, at, random) => {
    const from = random.below(text.length + 1);
    return text.slice(0, at) + text.slice(from, from + random.below(12)) + text.slice(at);
  },
];

/** Makes one to a few changes: pieces removed, doubled, moved; words replaced; two texts joined. */
export function mutateText(pool: readonly string[], words: readonly string[], random: Random) {
  let text = random.pick(pool);
  do {
    const at = random.below(text.length + 1);
    if (random.chance(0.4)) text = withWord(text, random.pick(words), random);
    else if (random.chance(0.1)) text = text.slice(0, at) + anyEnd(random.pick(pool), random);
    else text = random.pick(changes)(text, at, random);
  } while (random.chance(0.25));
  return text;
}

/** Inserts the word, or replaces another one by it. */
function withWord(text: string, word: string, random: Random): string {
  const found = [...text.matchAll(/[\w.']+/g)];
  if (found.length === 0) return word;
  const { index, 0: other } = random.pick(found);
  const end = index + (random.chance(0.7) ? other.length : 0);
  return `${text.slice(0, index)}${word} ${text.slice(end)}`;
}

function anyEnd(text: string, random: Random): string {
  return text.slice(random.below(text.length + 1));
}

/** One to a few changes of bytes: bits, bytes, pieces lost or doubled, an early end. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let changed = Buffer.from(bytes);
  do {
    const at = random.below(changed.length + 1);
    const rest = changed.subarray(at);
    switch (random.below(4)) {
      case 0:
        if (at < changed.length) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
        break;
      case 1:
        changed = Buffer.concat([changed.subarray(0, at), rest.subarray(1 + random.below(6))]);
        break;
      case 2:
        changed = Buffer.concat([
          changed.subarray(0, at),
          rest.subarray(0, random.below(20)),
          rest,
        ]);
        break;
      default:
        changed = random.chance(0.5) ? changed.subarray(0, at) : Buffer.concat([changed, rest]);
    }
  } while (random.chance(0.3));
  return changed;
}

/** Cuts bytes into parts of up to `most`. */
export function* cut(bytes: Buffer, most: number, random: Random): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random.below(most);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
