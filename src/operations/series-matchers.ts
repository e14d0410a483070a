/** Translates PromQL matchers to index filters. */

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';
import { beginningOf } from '../common/model/visible-text.js';
import { addTest, resolveTests, type Tests } from '../query/seriesql/execute/resolve-selection.js';
import { kPatternWorkMax, patternWork } from '../query/values/pattern-work.js';
import { compileWholePattern, type Pattern } from '../query/values/pattern.js';

import type { SeriesMatcher } from '../common/model/series-matcher.js';
import type { Guard } from '../query/limits/guard.js';
import type { LabelTerm, SeriesFilter, SeriesStore } from '../storage/storage.js';

/** The key of the metric as a label. */
const kNameKey = '__name__';
/** The most characters of a key in an error. */
const kToldMax = 100;

/** Lists stay lists. Patterns are tested on every existing name or value. */
export async function resolveMatchers(
  store: SeriesStore,
  matchers: readonly SeriesMatcher[],
  guard: Guard,
): Promise<SeriesFilter> {
  const listed = listedOf(matchers);
  requireSmall(listed);
  const tests: Tests = { metric: [], labels: new Map() };
  for (const matcher of listed.filter(isTested)) {
    const { key } = matcher;
    addTest(tests, key === kNameKey ? { kind: 'metric' } : { kind: 'label', key }, testOf(matcher));
    await guard.breathe();
  }
  return resolveTests(guard, store, { filter: filterOf(listed), tests });
}

/** The filter, if all matchers are lists. Otherwise null. */
export function listFilter(matchers: readonly SeriesMatcher[]): SeriesFilter | null {
  const listed = listedOf(matchers);
  return listed.some(isTested) ? null : filterOf(listed);
}

/** A matcher with the only texts that it can match. Null: it is a pattern. */
interface ListedMatcher extends SeriesMatcher {
  readonly list: readonly string[] | null;
}

function listedOf(matchers: readonly SeriesMatcher[]): readonly ListedMatcher[] {
  return matchers.map((matcher) => {
    const { key, op, value } = matcher;
    return { key, op, value, list: textsOf(matcher) };
  });
}

function isTested(matcher: ListedMatcher): boolean {
  return matcher.list === null || (matcher.key === kNameKey && !isWanted(matcher));
}

type ListFilter = SeriesFilter & { readonly names: readonly string[] | null };

/** The filter of the matchers that need no test. */
function filterOf(matchers: readonly ListedMatcher[]): ListFilter {
  const terms: LabelTerm[] = [];
  let names: readonly string[] | null = null;
  for (const matcher of matchers) {
    const { key, list } = matcher;
    if (list === null || isTested(matcher)) continue;
    if (key === kNameKey) {
      const texts = new Set(list);
      names = (names ?? [...texts]).filter((name) => texts.has(name));
    } else {
      terms.push(termOf(key, list, isWanted(matcher)));
    }
  }
  return { namePrefix: null, names, terms, isAny: false };
}

function isWanted({ op }: SeriesMatcher): boolean {
  return op === '=' || op === '=~';
}

/** Throws `validation_failed` above the limits of a SeriesQL statement. */
function requireSmall(matchers: readonly ListedMatcher[]): void {
  const patterns = matchers.filter(({ list }) => list === null);
  const work = patterns.reduce((sum, { value }) => sum + patternWork(value), 0);
  if (work <= kPatternWorkMax || patterns.length === 1) return;
  throw new AppError('validation_failed', 'the patterns of the query are too large in total');
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
    const why = thrownMessage(cause);
    const of = JSON.stringify(beginningOf(key, kToldMax));
    throw new AppError('validation_failed', `the pattern for ${of}: ${why}`, { cause });
  }
}

function textsOf({ op, value }: SeriesMatcher): readonly string[] | null {
  return op === '=' || op === '!=' ? [value] : alternativesOf(value);
}

/**
 * The texts of `a|b\.c` or `(a|b)`, otherwise null. Dashboard menus write such lists, and they may
 * be longer than a pattern may be.
 */
function alternativesOf(pattern: string): readonly string[] | null {
  const list = /^\((.*)\)$/s.exec(pattern)?.[1] ?? pattern;
  if (!/^(?:[^\\.+*?()[\]{}^$]|\\[!-/:-@[-^`{-~])*$/.test(list)) return null;
  if (!list.includes('\\')) return list.split('|');
  const texts = [''];
  for (const [part] of list.matchAll(/\\.|\||[^\\|]+/gs)) {
    if (part === '|') texts.push('');
    else texts.push((texts.pop() ?? '') + (part.startsWith('\\') ? part.slice(1) : part));
  }
  return texts;
}
