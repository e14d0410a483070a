/**
 * Patterns over text. Regular expressions have RE2's syntax and run in linear time, whatever the
 * pattern; the built-in ones of JavaScript can be made to run for ever. See docs/decisions.
 */

import { RE2JS } from 're2js';

import { AppError } from '../../errors/app-error.js';
import { noteTextWork } from '../../texts/text-work.js';
import { kPatternWorkMax, patternWork } from './pattern-work.js';

/** A larger pattern would need too much memory when it is compiled. */
export const kPatternSizeMax = 4096;

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  matches(text: string): boolean;
  /** The text of a group in the first place found; null when there is none. */
  extract(text: string, group: number): string | null;
  /** The texts of all groups in the first place found, the whole first; null when there is none. */
  groups(text: string): readonly (string | null)[] | null;
  readonly groupCount: number;
  /** Which group has which name. */
  readonly groupNames: Readonly<Record<string, number>>;
}

/** Throws an Error with a sentence when the pattern is malformed. */
export function compilePattern(source: string): Pattern {
  if (source.length > kPatternSizeMax) {
    throw new Error(`the pattern is longer than ${kPatternSizeMax} characters`);
  }
  if (patternWork(source) > kPatternWorkMax) {
    throw new Error('with its repetitions and classes written out the pattern is too large');
  }
  const compiled = RE2JS.compile(source);
  const size = compiled.programSize();
  return {
    matches: (text) => {
      requireSmallWork(text, size);
      return compiled.test(text);
    },
    extract: (text, group) => {
      requireSmallWork(text, size);
      const matcher = compiled.matcher(text);
      return matcher.find() ? matcher.group(group) : null;
    },
    groups: (text) => {
      requireSmallWork(text, size);
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return null;
      return Array.from({ length: compiled.groupCount() + 1 }, (_, group) => matcher.group(group));
    },
    groupCount: compiled.groupCount(),
    groupNames: compiled.namedGroups(),
  };
}

/** The product of both, which bounds the time of a call, in which nobody else has a turn. */
const kPatternStepsMax = 2 ** 21;
/** A step takes about so many times as long as a unit of a text that is made. */
const kUnitsPerStep = 8;

/** Throws `query_limit_exceeded`. */
function requireSmallWork(text: string, size: number): void {
  const steps = text.length * size;
  noteTextWork(steps * kUnitsPerStep);
  if (steps <= kPatternStepsMax) return;
  throw new AppError(
    'query_limit_exceeded',
    `a regular expression of ${size} steps is too much work for a text of ${text.length} ` +
      `characters: together at most ${kPatternStepsMax}`,
  );
}

/** Short ones that were compiled last: dashboards ask for the same again and again. */
const kKeptCount = 32;
const kKeptSizeMax = 64;
const keptPatterns = new Map<string, Pattern>();

/**
 * As PromQL has it: the whole text matches, and a dot is also the end of a line. Throws as
 * `compilePattern` does.
 */
export function compileWholePattern(source: string): Pattern {
  const known = keptPatterns.get(source);
  if (known !== undefined) return known;
  const pattern = compilePattern(`^(?s:${source})$`);
  if (source.length > kKeptSizeMax) return pattern;
  const [oldest] = keptPatterns.size < kKeptCount ? [] : keptPatterns.keys();
  if (oldest !== undefined) keptPatterns.delete(oldest);
  keptPatterns.set(source, pattern);
  return pattern;
}

type LikeStep = { readonly kind: 'any' | 'one' } | { readonly kind: 'text'; readonly text: string };

/** The product of both lengths, which bounds the time of a call to some 30 ms. */
export const kLikeWorkMax = 2 ** 22;

/**
 * `like`: `%` is any text, `_` one character, `\` takes the next one as it is. Throws
 * `query_limit_exceeded`.
 */
export function likeMatches(text: string, pattern: string): boolean {
  if (text.length * pattern.length > kLikeWorkMax) {
    const lengths = `${text.length} and ${pattern.length} characters`;
    throw new AppError(
      'query_limit_exceeded',
      `like takes too much work for ${lengths}: multiplied at most ${kLikeWorkMax}`,
    );
  }
  noteTextWork((text.length + pattern.length) * kUnitsPerStep);
  const steps = likeSteps(pattern);
  const characters = Array.from(text);
  let at = 0;
  let step = 0;
  let retryStep = -1;
  let retryAt = 0;
  while (at < characters.length) {
    const current = steps[step];
    if (current?.kind === 'any') {
      retryStep = step;
      retryAt = at;
      step += 1;
    } else if (current?.kind === 'one' || current?.text === characters[at]) {
      step += 1;
      at += 1;
    } else if (retryStep >= 0) {
      // What was compared since is compared again.
      noteTextWork(at - retryAt);
      retryAt += 1;
      at = retryAt;
      step = retryStep + 1;
    } else {
      return false;
    }
  }
  return steps.slice(step).every(({ kind }) => kind === 'any');
}

function likeSteps(pattern: string): readonly (LikeStep & { readonly text?: string })[] {
  const steps: (LikeStep & { readonly text?: string })[] = [];
  let isEscaped = false;
  for (const character of pattern) {
    if (isEscaped) steps.push({ kind: 'text', text: character });
    else if (character === '%') steps.push({ kind: 'any' });
    else if (character === '_') steps.push({ kind: 'one' });
    else if (character !== '\\') steps.push({ kind: 'text', text: character });
    isEscaped = !isEscaped && character === '\\';
  }
  // A backslash at the end stands for itself.
  if (isEscaped) steps.push({ kind: 'text', text: '\\' });
  return steps;
}
