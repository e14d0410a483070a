/** The regular expressions of matchers. */

import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import { compilePattern } from '../../values/pattern.js';

/** `a|b|c`: the menus of dashboards write such lists, longer than a pattern may be. */
const list = /^[^\\.+*?()[\]{}^$]*$/;

/** Why it is none; null: it is one. */
export function patternProblem(pattern: string): string | null {
  if (list.test(pattern)) return null;
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether a series has it that has no such label. */
export function matchesEmpty({ op, value }: SeriesMatcher): boolean {
  if (op === '=' || op === '!=') return (value === '') === (op === '=');
  return emptyIsOne(value) === (op === '=~');
}

/** In a text without anything there is nothing to find but the whole of it. */
const emptyIsOne = (pattern: string): boolean =>
  list.test(pattern) ? pattern.split('|').includes('') : compilePattern(pattern).matches('');
