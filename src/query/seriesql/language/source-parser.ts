/** Parses the source after FROM and INTO: ids, metric names, and label conditions in braces. */

import type { Matcher, SourceNode } from './ast.js';
import type { TokenCursor } from './cursor.js';

const kSeriesIdMax = 2n ** 64n - 1n;
const matcherOperators = ['=', '!=', '=~', '!~'] as const;

/** source = ids | metric [ braces ] ; */
export function parseSource(cursor: TokenCursor): SourceNode {
  const { start } = cursor.peek();
  if (cursor.isWord('by_id') && cursor.isSymbol('(', 1)) {
    const ids = parseIds(cursor);
    return { kind: 'by_id', ids, span: cursor.spanFrom(start) };
  }
  if (cursor.isSymbol('(')) {
    const message = 'there are no subqueries';
    throw cursor.source.error('unsupported_statement', start, { message });
  }
  const { name, isFamily } = parseMetricName(cursor);
  const matchers = cursor.isSymbol('{') ? parseConditions(cursor) : [];
  return { kind: 'name', name, isFamily, matchers, span: cursor.spanFrom(start) };
}

/** ids = "BY_ID" "(" uint { "," uint } ")" ; */
function parseIds(cursor: TokenCursor): readonly bigint[] {
  cursor.take();
  cursor.expectSymbol('(');
  const ids: bigint[] = [];
  do {
    const token = cursor.peek();
    if (token.kind !== 'integer') throw cursor.expected('the id of a series, a whole number');
    cursor.take();
    const digits = token.text.replace(/^0+(?=[0-9])/, '');
    const id = digits.length > 20 ? kSeriesIdMax + 1n : BigInt(digits);
    if (id > kSeriesIdMax) throw cursor.fail(token.start, 'this id does not fit into 64 bits');
    ids.push(id);
  } while (cursor.takeSymbol(','));
  if (!cursor.isSymbol(')')) throw cursor.expected('"," or ")"');
  cursor.take();
  return ids;
}

/** metric = quoted | word { "." word } [ "." "*" ] ; */
export function parseMetricName(cursor: TokenCursor): { name: string; isFamily: boolean } {
  const first = cursor.expectName('the name of a metric');
  if (first.kind === 'quoted') {
    if (first.text === '') throw cursor.fail(first.start, 'the name of a metric must not be empty');
    return { name: first.text, isFamily: false };
  }
  const parts = [first.text];
  let end = first.end;
  while (cursor.isSymbol('.') && cursor.peek().start === end) {
    cursor.take();
    if (cursor.takeSymbol('*')) return { name: parts.join('.'), isFamily: true };
    const part = cursor.peek();
    if (part.kind !== 'word') {
      const hint = 'names with special characters are quoted as a whole: "my-metric.x"';
      throw cursor.expected('a name or * after the dot', [], hint);
    }
    cursor.take();
    parts.push(part.text);
    end = part.end;
  }
  return { name: parts.join('.'), isFamily: false };
}

/** braces = "{" [ label { "," label } ] "}", where each operator is `=` ; */
export function parseLabels(cursor: TokenCursor): readonly Matcher[] {
  return bracesWith(cursor, ['=']);
}

/** braces = "{" [ matcher { "," matcher } ] "}" ; */
function parseConditions(cursor: TokenCursor): readonly Matcher[] {
  return bracesWith(cursor, matcherOperators);
}

type MatcherOperators = readonly (typeof matcherOperators)[number][];

function bracesWith(cursor: TokenCursor, operators: MatcherOperators): readonly Matcher[] {
  cursor.expectSymbol('{');
  const matchers: Matcher[] = [];
  if (cursor.takeSymbol('}')) return matchers;
  do matchers.push(parseMatcher(cursor, operators));
  while (cursor.takeSymbol(','));
  if (!cursor.isSymbol('}')) throw cursor.expected('"," or "}"');
  cursor.take();
  return matchers;
}

/** matcher = label ( "=" | "!=" | "=~" | "!~" ) string ; */
function parseMatcher(cursor: TokenCursor, operators: MatcherOperators): Matcher {
  const key = cursor.peek();
  if (key.kind !== 'word' && key.kind !== 'quoted') throw cursor.expected('the key of a label');
  cursor.take();
  const op = operators.find((symbol) => cursor.isSymbol(symbol));
  if (op === undefined) {
    const hint = cursor.isSymbol('.') ? 'keys with a dot are quoted: "k8s.pod"' : undefined;
    throw cursor.expected(operators.length === 1 ? '"="' : 'one of = != =~ !~', [], hint);
  }
  cursor.take();
  const value = cursor.expectString('a string');
  return {
    key: key.text,
    isMetric: key.kind === 'word' && key.text === 'metric',
    op,
    value: value.text,
    span: cursor.spanFrom(key.start),
    valueStart: value.start,
  };
}
