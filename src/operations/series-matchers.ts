/** Which series the matchers of PromQL select, as the index takes it. */

import { AppError } from '../errors/app-error.js';
import { addTest, resolveTests, type Tests } from '../seriesql/execute/resolve-selection.js';
import { kPatternWorkMax, patternWork } from '../seriesql/functions/pattern-work.js';
import { compileWholePattern, type Pattern } from '../seriesql/functions/pattern.js';

import type { SeriesMatcher } from '../model/series-matcher.js';
import type { Guard } from '../seriesql/execute/guard.js';
import type { LabelTerm, SeriesFilter, SeriesStore } from '../storage/storage.js';

/** The metric, as a label. */
const kNameKey = '__name__';
/** Characters of a key that an error tells. */
const kToldMax = 100;

/** Lists stay lists; patterns are asked of each name or value that there is. */
export async function resolveMatchers(
  store: SeriesStore,
  matchers: readonly SeriesMatcher[],
  guard: Guard,
): Promise<SeriesFilter> {
  const listed = matchers.map((matcher) => ({ ...matcher, list: textsOf(matcher) }));
  requireSmall(listed);
  const tests: Tests = { metric: [], labels: new Map() };
  const terms: LabelTerm[] = [];
  let names: readonly string[] | null = null;
  for (const matcher of listed) {
    const { key, list } = matcher;
    const isName = key === kNameKey;
    if (list === null || (isName && !isWanted(matcher))) {
      addTest(tests, isName ? { kind: 'metric' } : { kind: 'label', key }, testOf(matcher));
      await guard.breathe();
    } else if (isName) {
      const texts = new Set(list);
      names = (names ?? [...texts]).filter((name) => texts.has(name));
    } else {
      terms.push(termOf(key, list, isWanted(matcher)));
    }
  }
  const filter = { namePrefix: null, names, terms, isAny: false };
  return resolveTests(guard, store, { filter, tests });
}

/** With the only texts that it speaks of; null: it has a pattern. */
interface ListedMatcher extends SeriesMatcher {
  readonly list: readonly string[] | null;
}

function isWanted({ op }: SeriesMatcher): boolean {
  return op === '=' || op === '=~';
}

/** Throws `validation_failed` for more than a statement of SeriesQL may have. */
function requireSmall(matchers: readonly ListedMatcher[]): void {
  const patterns = matchers.filter(({ list }) => list === null);
  const work = patterns.reduce((sum, { value }) => sum + patternWork(value), 0);
  if (work <= kPatternWorkMax || patterns.length === 1) return;
  throw new AppError('validation_failed', 'the patterns of a query are too large together');
}

function termOf(key: string, values: readonly string[], isOneOf: boolean): LabelTerm {
  return { key, values, isNegated: !isOneOf, acceptsMissing: values.includes('') === isOneOf };
}

function testOf(matcher: ListedMatcher): (text: string | null) => boolean {
  const { list } = matcher;
  if (list === null) {
    const pattern = patternOf(matcher);
    return (text) => pattern.matches(text ?? '') === isWanted(matcher);
  }
  const texts = new Set(list);
  return (text) => texts.has(text ?? '') === isWanted(matcher);
}

function patternOf({ key, value }: SeriesMatcher): Pattern {
  try {
    return compileWholePattern(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const of = JSON.stringify(key.slice(0, kToldMax));
    throw new AppError('validation_failed', `the pattern for ${of}: ${why}`, { cause });
  }
}

function textsOf({ op, value }: SeriesMatcher): readonly string[] | null {
  return op === '=' || op === '!=' ? [value] : alternativesOf(value);
}

/** `a|b\.c` or `(a|b)`: the menus of dashboards write such lists, longer than a pattern may be. */
function alternativesOf(pattern: string): readonly string[] | null {
  const list = /^\((.*)\)$/s.exec(pattern)?.[1] ?? pattern;
  if (!/^(?:[^\\.+*?()[\]{}^$]|\\[!-/:-@[-^`{-~])*$/.test(list)) return null;
  const texts = [''];
  for (const [part] of list.matchAll(/\\.|\||[^\\|]+/gs)) {
    if (part === '|') texts.push('');
    else texts.push((texts.pop() ?? '') + (part.startsWith('\\') ? part.slice(1) : part));
  }
  return texts;
}
