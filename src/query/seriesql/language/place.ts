/** Finds what may be completed at the caret of a statement, from the words around it. */

import { skim } from './lexer.js';
import { reservedWords, type Token } from './token.js';

/** `part`: the part typed so far; `quote`: the quote around the caret. */
export type CursorPlace = WantedWord & { readonly part: string; readonly quote: '' | "'" | '"' };

type WantedWord =
  | { readonly kind: 'nothing' | 'metric' }
  /** The element that begins here: a statement, a value, or the continuation after a value. */
  | { readonly kind: 'word'; readonly begins: 'statement' | 'value' | 'clause' }
  /** `before`: the start of the path, `tag.` or empty. */
  | { readonly kind: 'key'; readonly metric: string | null; readonly before: string }
  | ({ readonly kind: 'value' } & WantedValue);

interface WantedValue {
  readonly metric: string | null;
  readonly key: string;
  /** The values of other labels that the statement requires so far. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The position of the caret: the words before it, and the metric of the statement. */
interface StandingTokens {
  readonly before: readonly Token[];
  readonly metric: string | null;
}

/** `text`: the statement up to the caret; `after`: the rest. */
export function placeIn(text: string, after = ''): CursorPlace {
  const { tokens, openAt } = skim(text);
  const before = tokens.filter(({ kind }) => kind !== 'end');
  const quote = openAt === null ? '' : text[openAt];
  const behind = skim(quote === '' ? after : after.slice(after.indexOf(quote ?? '') + 1)).tokens;
  const metric = metricIn(before) ?? metricIn(behind);
  if (openAt === null) {
    // White space, or a comment to the end of its line.
    if (text.slice(before.at(-1)?.end ?? 0).includes('--')) return nothing;
    const part = /[\w.]*$/.exec(text)?.[0] ?? '';
    const standing = before.filter(({ start }) => start < text.length - part.length);
    return { ...wanted({ before: standing, metric }, part), part, quote: '' };
  }
  const part = text.slice(openAt + 1);
  if (quote === "'" || quote === '"') return { ...wanted({ before, metric }, ''), part, quote };
  return nothing;
}

const nothing: CursorPlace = { kind: 'nothing', part: '', quote: '' };

const operators = new Set(['=', '!=', '<>', '=~', '!~']);

function wanted(standing: StandingTokens, part: string): WantedWord {
  const { before, metric } = standing;
  const last = before.at(-1)?.known ?? '';
  const path = /^(?:tag|label)\./i.exec(part)?.[0];
  if (path !== undefined) return { kind: 'key', metric, before: path };
  if (isInBraces(before)) {
    if (last === '{' || last === ',') return { kind: 'key', metric, before: '' };
    return operators.has(last) ? valueOf(standing, before.length - 2) : { kind: 'nothing' };
  }
  if (operators.has(last)) return valueOf(standing, before.length - 2);
  if (last === 'from' || last === 'into') return { kind: 'metric' };
  if (last === 'for') return { kind: 'key', metric, before: '' };
  if (last === '.' && isLabelPath(before.slice(0, -1))) return { kind: 'key', metric, before: '' };
  const listed = last === '(' || last === ',' ? beforeList(before) : null;
  if (listed !== null) return valueOf(standing, listed);
  return { kind: 'word', begins: beginning(before) };
}

/** The index of the last word before `IN (`, if that list is still open; otherwise null. */
function beforeList(before: readonly Token[]): number | null {
  const open = before.findLastIndex(({ known }) => known === '(');
  if (before.slice(open).some(({ known }) => known === ')')) return null;
  if (before[open - 1]?.known !== 'in') return null;
  return before[open - 2]?.known === 'not' ? open - 3 : open - 2;
}

/** After these, a value is complete, and a clause or an operator follows. */
const wholes = new Set([')', '}', '*', 'null', 'true', 'false', 'end', 'asc', 'desc', ';']);

function beginning(before: readonly Token[]): 'statement' | 'value' | 'clause' {
  const last = before.at(-1);
  const isFirst = last === undefined || ['explain', 'analyze', 'bytecode'].includes(last.known);
  if (isFirst || last.known === 'tables_used') return 'statement';
  if (['show', 'group', 'order'].includes(last.known) || wholes.has(last.known)) return 'clause';
  if (last.kind === 'symbol') return 'value';
  return last.kind === 'word' && reservedWords.has(last.known) ? 'value' : 'clause';
}

const isLabelPath = (before: readonly Token[]): boolean =>
  ['tag', 'label'].includes(before.at(-1)?.known ?? '');

/** The completion of a value compared with the word at `at`: label values if that is a label. */
function valueOf({ before, metric }: StandingTokens, at: number): WantedWord {
  const key = before[at];
  const value: WantedWord = { kind: 'word', begins: 'value' };
  if (key === undefined || (key.kind !== 'word' && key.kind !== 'quoted')) return value;
  const isPath = before[at - 1]?.known === '.' && isLabelPath(before.slice(0, at - 1));
  if (isPath || isInBraces(before)) {
    return { kind: 'value', metric, key: key.text, labels: labelsIn(before, key.text) };
  }
  return key.known === 'metric' ? { kind: 'metric' } : value;
}

/** The values required of labels other than `key`; empty if OR or NOT makes them uncertain. */
function labelsIn(before: readonly Token[], key: string): Readonly<Record<string, string>> {
  if (before.some(({ known }) => known === 'or' || known === 'not')) return {};
  const found = before.flatMap((token, at) => {
    const [operator, value] = before.slice(at + 1, at + 3);
    const isName = token.kind === 'word' || token.kind === 'quoted';
    const isLabel =
      isInBraces(before.slice(0, at)) ||
      (before[at - 1]?.known === '.' && isLabelPath(before.slice(0, at - 1)));
    const isSaid = isName && isLabel && operator?.known === '=' && value?.kind === 'string';
    return isSaid && token.text !== key ? [[token.text, value.text] as const] : [];
  });
  return Object.fromEntries(found);
}

function isInBraces(before: readonly Token[]): boolean {
  const open = before.findLastIndex(({ known }) => known === '{');
  return open >= 0 && before.findLastIndex(({ known }) => known === '}') < open;
}

/** The name after FROM or INTO; null if there is none yet, and for a family. */
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
