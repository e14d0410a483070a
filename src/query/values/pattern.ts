/**
 * Patterns over text. Regular expressions have RE2's syntax and run in linear time, whatever the
 * pattern. JavaScript's own can run practically forever. See docs/decisions.
 */

import { RE2JS, type Matcher } from 're2js';

import { AppError } from '../../common/errors/app-error.js';
import { noteTextWork } from '../limits/text-work.js';
import { kPatternWorkMax, patternWork } from './pattern-work.js';

/** The longest pattern, in characters. A longer one would need too much memory to compile. */
export const kPatternSizeMax = 4096;

export interface Pattern {
  /** True if the pattern occurs anywhere in the text. */
  matches(text: string): boolean;
  /** The text of a group in the first match; null if there is none. */
  extract(text: string, group: number): string | null;
  /** The texts of all groups in the first match, the whole match first; null if there is none. */
  groups(text: string): readonly (string | null)[] | null;
  readonly groupCount: number;
  /** Group numbers by name. */
  readonly groupNames: Readonly<Record<string, number>>;
}

/** If the pattern is malformed, throws an Error whose message is a sentence. */
export function compilePattern(source: string): Pattern {
  if (source.length > kPatternSizeMax) {
    throw new Error(`the pattern is longer than ${kPatternSizeMax} characters`);
  }
  if (patternWork(source) > kPatternWorkMax) {
    throw new Error('with its repetitions and classes written out the pattern is too large');
  }
  const compiled = RE2JS.compile(source);
  const steps = compiled.programSize();
  const groupCount = compiled.groupCount();
  const found = (text: string): Matcher | null => {
    requireSmallWork(text, { steps, groupCount });
    const matcher = compiled.matcher(text);
    return matcher.find() ? matcher : null;
  };
  return {
    matches: (text) => {
      requireSmallWork(text, { steps, groupCount: null });
      return compiled.test(text);
    },
    extract: (text, group) => found(text)?.group(group) ?? null,
    groups: (text) => {
      const matcher = found(text);
      if (matcher === null) return null;
      return Array.from({ length: groupCount + 1 }, (_, group) => matcher.group(group));
    },
    groupCount,
    groupNames: compiled.namedGroups(),
  };
}

/** The most steps times characters of a call, which blocks all others: at worst 45 ms. */
const kPatternWorkOfTextMax = 2 ** 19;
/** With groups, a step costs kGroupsFactor times as much, plus 1 / kGroupsPerStep per group. */
const kGroupsFactor = 2;
const kGroupsPerStep = 16;
/** A step costs about this many units of text work. */
const kUnitsPerStep = 16;

interface AskedPattern {
  readonly steps: number;
  /** Null if groups are not extracted. */
  readonly groupCount: number | null;
}

/** Throws `query_limit_exceeded`. */
function requireSmallWork({ length }: string, { steps, groupCount }: AskedPattern): void {
  const factor = groupCount === null ? 1 : kGroupsFactor + groupCount / kGroupsPerStep;
  const work = length * steps * factor;
  if (work <= kPatternWorkOfTextMax) {
    noteTextWork(work * kUnitsPerStep);
    return;
  }
  const of = groupCount === null ? `${steps} steps` : `${steps} steps and ${groupCount} groups`;
  throw new AppError(
    'query_limit_exceeded',
    `a regular expression of ${of} is too much work for a text of ${length} characters: ` +
      `at most ${Math.floor(kPatternWorkOfTextMax / (steps * factor))}`,
  );
}

/** The short patterns compiled last, since dashboards repeat them. */
const kKeptCount = 32;
const kKeptSizeMax = 64;
const keptPatterns = new Map<string, Pattern>();

/**
 * A pattern with PromQL's meaning: the whole text must match, and a dot matches a line end, too.
 * Throws as `compilePattern` does.
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

/** The largest product of both lengths, which bounds a call to about 15 ms. */
export const kLikeWorkMax = 2 ** 22;
/** Walking through a text costs this many units of text work per character. */
const kUnitsPerCharacter = 8;
/** A comparison costs about this many units of text work. */
const kUnitsPerCompare = 2;

/** Special steps of a pattern. Any other step is a character, as its code point. */
const kAnyText = -1;
const kAnyCharacter = -2;

/**
 * `like`: `%` is any text, `_` is one character, `\` makes the next character literal. Throws
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
  noteTextWork((text.length + pattern.length) * kUnitsPerCharacter);
  const steps = likeSteps(pattern);
  const characters = charactersOf(text);
  let at = 0;
  let step = 0;
  let retryStep = -1;
  let retryAt = 0;
  while (at < characters.length) {
    const current = steps[step];
    if (current === kAnyText) {
      retryStep = step;
      retryAt = at;
      step += 1;
    } else if (current === kAnyCharacter || current === characters[at]) {
      step += 1;
      at += 1;
    } else if (retryStep >= 0) {
      // The characters compared since then are compared again.
      noteTextWork((at - retryAt) * kUnitsPerCompare);
      retryAt += 1;
      at = retryAt;
      step = retryStep + 1;
    } else {
      return false;
    }
  }
  return steps.subarray(step).every((one) => one === kAnyText);
}

function likeSteps(pattern: string): Int32Array {
  const steps: number[] = [];
  let isEscaped = false;
  for (const character of pattern) {
    if (isEscaped) steps.push(numberOf(character));
    else if (character === '%') steps.push(kAnyText);
    else if (character === '_') steps.push(kAnyCharacter);
    else if (character !== '\\') steps.push(numberOf(character));
    isEscaped = !isEscaped && character === '\\';
  }
  // A backslash at the end is literal.
  if (isEscaped) steps.push(numberOf('\\'));
  return Int32Array.from(steps);
}

/** A lone surrogate counts as a character. */
function charactersOf(text: string): Int32Array {
  const characters = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count += 1) {
    const character = text.codePointAt(at) ?? 0;
    characters[count] = character;
    at += character > 0xffff ? 2 : 1;
  }
  return characters.subarray(0, count);
}

function numberOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
