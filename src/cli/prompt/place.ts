/** What is wanted where somebody stands in a statement: told from the words before it. */

import { skim } from '../../seriesql/language/lexer.js';

import type { Token } from '../../seriesql/language/token.js';

/** `part` is what is typed of it so far; `quote` what it stands in. */
export type Place = Wanted & { readonly part: string; readonly quote: '' | "'" | '"' };

type Wanted =
  | { readonly kind: 'nothing' | 'word' | 'metric' }
  /** `before` is what the path to it begins with: `tag.` or nothing. */
  | { readonly kind: 'key'; readonly metric: string | null; readonly before: string }
  | { readonly kind: 'value'; readonly metric: string | null; readonly key: string };

/** A statement's text up to where it is completed. */
export function placeIn(text: string): Place {
  const { tokens, openAt } = skim(text);
  const before = tokens.filter(({ kind }) => kind !== 'end');
  if (openAt === null) {
    // Blank, or a comment to the end of its line.
    if (text.slice(before.at(-1)?.end ?? 0).includes('--')) return nothing;
    const part = /[\w.]*$/.exec(text)?.[0] ?? '';
    const standing = before.filter(({ start }) => start < text.length - part.length);
    return { ...wanted(standing, part), part, quote: '' };
  }
  const quote = text[openAt];
  const part = text.slice(openAt + 1);
  if (quote === "'" || quote === '"') return { ...wanted(before, ''), part, quote };
  return nothing;
}

const nothing: Place = { kind: 'nothing', part: '', quote: '' };

const operators = new Set(['=', '!=', '<>', '=~', '!~']);

function wanted(before: readonly Token[], part: string): Wanted {
  const last = before.at(-1)?.known ?? '';
  const metric = metricIn(before);
  const path = /^(?:tag|label)\./i.exec(part)?.[0];
  if (path !== undefined) return { kind: 'key', metric, before: path };
  if (isInBraces(before)) {
    if (last === '{' || last === ',') return { kind: 'key', metric, before: '' };
    return operators.has(last) ? valueOf(before, metric) : { kind: 'nothing' };
  }
  if (operators.has(last)) return valueOf(before, metric);
  if (last === 'from' || last === 'into') return { kind: 'metric' };
  if (last === 'for') return { kind: 'key', metric, before: '' };
  if (last === '.' && isLabelPath(before.slice(0, -1))) return { kind: 'key', metric, before: '' };
  return { kind: 'word' };
}

const isLabelPath = (before: readonly Token[]): boolean =>
  ['tag', 'label'].includes(before.at(-1)?.known ?? '');

/** What stands behind an operator: text where a label stands before it. */
function valueOf(before: readonly Token[], metric: string | null): Wanted {
  const key = before.at(-2);
  if (key === undefined || (key.kind !== 'word' && key.kind !== 'quoted')) return { kind: 'word' };
  const isPath = before.at(-3)?.known === '.' && isLabelPath(before.slice(0, -3));
  if (isPath || isInBraces(before)) return { kind: 'value', metric, key: key.text };
  return key.known === 'metric' ? { kind: 'metric' } : { kind: 'word' };
}

function isInBraces(before: readonly Token[]): boolean {
  const open = before.findLastIndex(({ known }) => known === '{');
  return open >= 0 && before.findLastIndex(({ known }) => known === '}') < open;
}

/** The name behind FROM or INTO; null before there is one, and of a family. */
function metricIn(before: readonly Token[]): string | null {
  const at = before.findIndex(({ known }) => known === 'from' || known === 'into');
  const first = before[at + 1];
  if (at < 0 || first === undefined) return null;
  if (first.kind === 'quoted') return first.text;
  const parts: string[] = [];
  let end = first.start;
  for (const token of before.slice(at + 1)) {
    if (token.start !== end || (token.kind !== 'word' && token.known !== '.')) break;
    parts.push(token.text);
    ({ end } = token);
  }
  const name = parts.join('');
  return name === '' || name.endsWith('.') ? null : name;
}
