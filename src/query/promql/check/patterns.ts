/** Checks the regular expressions of matchers. */

import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import { thrownMessage } from '../../../common/errors/thrown-message.js';
import { compilePattern } from '../../values/pattern.js';

/** `a|b|c`: dashboard menus write such lists, which may be longer than a pattern. */
const list = /^[^\\.+*?()[\]{}^$]*$/;

/** The error of the pattern; null if it is valid. */
export function patternProblem(pattern: string): string | null {
  if (list.test(pattern)) return null;
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return thrownMessage(error);
  }
}

/** True if the matcher accepts a series without the label. */
export function matchesEmpty({ op, value }: SeriesMatcher): boolean {
  if (op === '=' || op === '!=') return (value === '') === (op === '=');
  return emptyIsOne(value) === (op === '=~');
}

/** In an empty text, a pattern can only match the whole. */
const emptyIsOne = (pattern: string): boolean =>
  list.test(pattern) ? pattern.split('|').includes('') : compilePattern(pattern).matches('');
