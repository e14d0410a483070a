/** Determines what may follow at the cursor, from the text before it. */

import { isGroupingWord, isMetricName, type PromqlToken } from '../../query/promql/syntax/token.js';
import { unquote } from '../../query/promql/syntax/string-text.js';
import { skim } from './skim.js';

interface TypedPart {
  /** The part that is already typed. */
  readonly part: string;
  /** The open quote of the part; empty: none. */
  readonly quote: string;
}

/** The matchers in the braces so far. */
interface Selected {
  readonly metric: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

export type PromqlPlace =
  | (TypedPart & { readonly kind: 'nothing' | 'operand' | 'operator' | 'length' | 'grouping' })
  | (TypedPart & Selected & { readonly kind: 'label' })
  | (TypedPart & Selected & { readonly kind: 'value'; readonly key: string });

export function placeIn(before: string): PromqlPlace {
  const typed = /[\w:.]*$/.exec(before)?.[0] ?? '';
  const head = before.slice(0, before.length - typed.length);
  const { tokens, restAt } = skim(head);
  const quote = /^["'`]/.exec(head.slice(restAt))?.[0] ?? '';
  const part = quote === '' ? typed : before.slice(restAt + 1);
  // Nothing is suggested after an invalid token or in a comment.
  const isLost = quote === '' && (restAt < head.length || isInRemark(head, tokens));
  if (isLost) return { kind: 'nothing', part, quote };
  return placeBehind(new PromqlWords(head, tokens), { part, quote });
}

const isInRemark = (head: string, tokens: readonly PromqlToken[]): boolean =>
  /#[^\r\n]*$/.test(head.slice(tokens.at(-1)?.end ?? 0));

class PromqlWords {
  readonly tokens: readonly PromqlToken[];
  readonly #text: string;

  constructor(text: string, tokens: readonly PromqlToken[]) {
    this.#text = text;
    this.tokens = tokens;
  }

  written(at: number): string {
    const token = this.tokens[at];
    return token === undefined ? '' : this.#text.slice(token.start, token.end);
  }

  kind(at: number): PromqlToken['kind'] | null {
    return this.tokens[at]?.kind ?? null;
  }

  /** The index of the innermost open bracket; -1: there is none. */
  openAt(): number {
    let closed = 0;
    for (let at = this.tokens.length - 1; at >= 0; at -= 1) {
      const kind = this.kind(at);
      if (kind === ')' || kind === '}' || kind === ']') closed += 1;
      else if (kind === '(' || kind === '{' || kind === '[') {
        if (closed === 0) return at;
        closed -= 1;
      }
    }
    return -1;
  }
}

function placeBehind(words: PromqlWords, part: TypedPart): PromqlPlace {
  const open = words.openAt();
  const kind = words.kind(open);
  const last = words.kind(words.tokens.length - 1);
  if (kind === '{') return placeInBraces(words, open, part);
  if (part.quote !== '') return { kind: 'nothing', ...part };
  if (kind === '[' || last === 'offset') return { kind: 'length', ...part };
  if (kind === '(' && isGroupingWord(words.kind(open - 1) ?? undefined)) {
    const isName = last === '(' || last === ',';
    return { kind: isName ? 'grouping' : 'nothing', ...part };
  }
  if (/^\d/.test(part.part)) return { kind: 'nothing', ...part };
  return { kind: isOperandEnd(words) ? 'operator' : 'operand', ...part };
}

const operandEnds = new Set(['number', 'duration', 'string', ')', '}', ']', 'metric identifier']);

function isOperandEnd(words: PromqlWords): boolean {
  const last = words.tokens.length - 1;
  const kind = words.kind(last);
  if (kind === null || /^(?:and|or|unless|by|without)$/.test(kind)) return false;
  return operandEnds.has(kind) || isMetricName(kind);
}

function placeInBraces(words: PromqlWords, open: number, part: TypedPart): PromqlPlace {
  const last = words.tokens.length - 1;
  const kind = words.kind(last);
  if (kind === '{' || kind === ',') return { kind: 'label', ...selectedIn(words, open), ...part };
  const isBehindOperator = kind !== null && /^[=!]/.test(kind);
  if (!isBehindOperator) return { kind: 'nothing', ...part };
  const key = nameAt(words, last - 1);
  return { kind: 'value', key, ...selectedIn(words, open), ...part };
}

const nameAt = (words: PromqlWords, at: number): string =>
  words.kind(at) === 'string' ? unquote(words.written(at)) : words.written(at);

/** The equality matchers; other matchers cannot narrow a lookup. */
function selectedIn(words: PromqlWords, open: number): Selected {
  const before = words.kind(open - 1);
  let metric = before !== null && isMetricName(before) ? words.written(open - 1) : null;
  const labels: Record<string, string> = {};
  for (let at = open + 1; at < words.tokens.length; at += 1) {
    const isName = words.kind(at - 1) === '{' || words.kind(at - 1) === ',';
    if (!isName) continue;
    const key = nameAt(words, at);
    const next = words.kind(at + 1);
    if (words.kind(at) === 'string' && (next === ',' || next === null)) metric = key;
    if (next !== '=' || words.kind(at + 2) !== 'string') continue;
    const value = nameAt(words, at + 2);
    if (key === '__name__') metric = value;
    else labels[key] = value;
  }
  return { metric, labels };
}

/** The metric of an expression that names exactly one; null otherwise. */
export function onlyMetricIn(text: string): string | null {
  const { tokens } = skim(text);
  const words = new PromqlWords(text, tokens);
  const found = new Set<string>();
  let isAmongLabels = false;
  tokens.forEach(({ kind }, at) => {
    const isGrouped = kind === '(' && isGroupingWord(words.kind(at - 1) ?? undefined);
    if (kind === '{' || isGrouped) isAmongLabels = true;
    else if (kind === '}' || kind === ')') isAmongLabels = false;
    const isName = kind === 'identifier' || kind === 'metric identifier';
    if (isName && !isAmongLabels && words.kind(at + 1) !== '(') found.add(words.written(at));
    if (kind !== '{') return;
    const end = tokens.findIndex((one, place) => place > at && one.kind === '}');
    const until = end < 0 ? tokens : tokens.slice(0, end);
    const { metric } = selectedIn(new PromqlWords(text, until), at);
    if (metric !== null) found.add(metric);
  });
  const [first = null] = found;
  return found.size === 1 ? first : null;
}
