/** Classes of characters. */

import type { PromqlTokenKind } from './token.js';

export const kDigit = 1;
export const kLetter = 2;
export const kBlank = 4;

const classes = new Uint8Array(128);
const classify = (characters: string, bit: number): void => {
  for (const one of characters) classes[one.charCodeAt(0)] = bit;
};
classify('0123456789', kDigit);
classify('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', kLetter);
classify(' \t\n\r', kBlank);

export const classOf = (code: number): number => (code < 128 ? (classes[code] ?? 0) : 0);

export const kColon = ':'.charCodeAt(0);
export const kHash = '#'.charCodeAt(0);
export const kNewline = '\n'.charCodeAt(0);
export const kBackslash = '\\'.charCodeAt(0);
/** The first surrogate of UTF-16. */
export const kSurrogate = 0xd800;

/** True for half of a surrogate pair, or for U+FFFD, which replaces invalid UTF-8. */
export const isNone = (code: number): boolean =>
  (code >= kSurrogate && code < 0xe000) || code === 0xfffd;

/** Single-character tokens that mean the same in every context, by character code. */
export const symbols: readonly (PromqlTokenKind | undefined)[] = symbolTable();

function symbolTable(): readonly (PromqlTokenKind | undefined)[] {
  const table = Array.from<PromqlTokenKind | undefined>({ length: 128 });
  for (const one of [',', '+', '-', '*', '/', '%', '^', '@', '('] as const) {
    table[one.charCodeAt(0)] = one;
  }
  return table;
}

/** Single-character tokens that may precede a duration. */
export const inDurations: ReadonlySet<PromqlTokenKind> = new Set([
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '(',
]);

export const isQuote = (one: string): boolean => one === '"' || one === "'" || one === '`';

/** The end of the line that contains `at`. */
export function lineEnd(text: string, at: number): number {
  const length = text.slice(at).search(/[\r\n]/);
  return length < 0 ? text.length : at + length;
}
