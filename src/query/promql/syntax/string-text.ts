/** Quoted strings: checks their escapes by Go's rules, and reads their content. */

import { kLoneByte, unicodeName } from './quote.js';

/** The end of an escape, and its problem; null if it is valid. */
interface Escape {
  readonly end: number;
  readonly problem: string | null;
}

interface EscapeForm {
  readonly count: number;
  readonly base: number;
  readonly max: number;
}

const kLastCharacter = 0x10ffff;
const forms: Readonly<Record<string, EscapeForm>> = {
  x: { count: 2, base: 16, max: 255 },
  u: { count: 4, base: 16, max: kLastCharacter },
  U: { count: 8, base: 16, max: kLastCharacter },
};
const octalForm: EscapeForm = { count: 3, base: 8, max: 255 };

/** `at` is the offset after the backslash. */
export function scanEscape(text: string, at: number, quote: string): Escape {
  const first = characterAt(text, at);
  if (first === '') return { end: at, problem: 'escape sequence not terminated' };
  if (first === quote || 'abfnrtv\\'.includes(first)) return { end: at + 1, problem: null };
  if (first >= '0' && first <= '7') return scanCode(text, at, octalForm);
  const form = forms[first];
  if (form !== undefined) return scanCode(text, at + 1, form);
  return { end: at, problem: `unknown escape sequence ${unicodeName(first)}` };
}

function scanCode(text: string, start: number, form: EscapeForm): Escape {
  const end = start + form.count;
  for (let at = start; at < end; at += 1) {
    const one = characterAt(text, at);
    if (one === '') return { end: at, problem: 'escape sequence not terminated' };
    if (!(digitOf(one) < form.base)) {
      return { end: at, problem: `illegal character ${unicodeName(one)} in escape sequence` };
    }
  }
  const code = Number.parseInt(text.slice(start, end), form.base);
  const isNone = code > form.max || (code >= 0xd800 && code < 0xe000);
  return { end, problem: isNone ? 'escape sequence is an invalid Unicode code point' : null };
}

const digitOf = (one: string): number =>
  /^[0-9a-fA-F]$/.test(one) ? Number.parseInt(one, 16) : kLastCharacter;

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const letters: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};
/** Adjacent byte escapes are matched together, since several bytes may form one character. */
const escapes =
  /\\(?:((?:x[0-9a-fA-F]{2}|[0-7]{3})(?:\\(?:x[0-9a-fA-F]{2}|[0-7]{3}))*)|u(.{4})|U(.{8})|(.))/gs;

/**
 * Reads a string that the lexer accepted. An invalid byte of UTF-8 becomes half of a surrogate
 * pair, so the text is not well-formed. It is refused as a label, and no series has it.
 */
export function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('`') || !inner.includes('\\')) return inner;
  return inner.replace(escapes, (...found: readonly (string | undefined)[]) => {
    const [, bytes, short, long, letter = ''] = found;
    if (bytes !== undefined) return textOfBytes(bytes);
    const code = short ?? long;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return letters[letter] ?? letter;
  });
}

function textOfBytes(written: string): string {
  const bytes = written.split('\\').map(byteOf);
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const end = at + lengthOf(bytes[at] ?? 0);
    const character = characterOf(bytes.slice(at, end));
    text += character ?? String.fromCharCode(kLoneByte + (bytes[at] ?? 0));
    at = character === null ? at + 1 : end;
  }
  return text;
}

const byteOf = (written: string): number =>
  written.startsWith('x') ? Number.parseInt(written.slice(1), 16) : Number.parseInt(written, 8);

/** The length in bytes of a character with this first byte. */
const lengthOf = (first: number): number =>
  first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

/** Null if the bytes are not valid UTF-8. */
function characterOf(bytes: readonly number[]): string | null {
  try {
    return strict.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
