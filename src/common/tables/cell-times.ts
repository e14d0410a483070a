/** Dates by a pattern such as `DD.MM.YYYY[ hh:mm]`. The part in brackets is optional. */

import { daysOfDate } from '../model/calendar.js';
import { kDayMs, kSecondMs } from '../model/duration.js';
import { convertTime, type TimestampUnit } from '../model/timestamp-unit.js';

import type { ZoneClock } from '../model/iso-time.js';

/** The parts of a pattern, longest first, and their regular expressions. */
const parts: readonly (readonly [string, string])[] = [
  ['YYYY', String.raw`(?<YYYY>\d{4})`],
  ['YY', String.raw`(?<YY>\d{2})`],
  ['MM', String.raw`(?<MM>\d{1,2})`],
  ['DD', String.raw`(?<DD>\d{1,2})`],
  ['hh', String.raw`(?<hh>\d{1,2})`],
  ['mm', String.raw`(?<mm>\d{2})`],
  ['ss', String.raw`(?<ss>\d{2})(?:[.,](?<fraction>\d{1,40}))?`],
  ['A', String.raw`(?<A>[AaPp])\.?[Mm]\.?`],
  ['Z', String.raw`(?<Z>Z|[+-]\d{2}:?\d{2})`],
  ['[', '(?:'],
  [']', ')?'],
];

/** Returns null if the text does not match the pattern. */
export type ReadPattern = (
  text: string,
  units: { readonly to: TimestampUnit; readonly clock: ZoneClock | null },
) => bigint | null;

/** Returns null if the pattern lacks year, month or day, or if a part occurs twice. */
export function compiledPattern(pattern: string): ReadPattern | null {
  const wanted = [/YY/, /MM/, /DD/];
  if (!wanted.every((part) => part.test(pattern))) return null;
  const form = patternForm(pattern);
  if (form === null) return null;
  return (text, { to, clock }) => {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) return null;
    const seconds = secondsOf(groups, clock);
    if (seconds === null) return null;
    const fraction = BigInt((groups['fraction'] ?? '').slice(0, 9).padEnd(9, '0'));
    return convertTime(BigInt(seconds) * 1_000_000_000n + fraction, 'ns', to);
  };
}

function patternForm(pattern: string): RegExp | null {
  let source = '';
  for (let at = 0; at < pattern.length;) {
    const part = parts.find(([name]) => pattern.startsWith(name, at));
    const text = pattern.charAt(at);
    source += part === undefined ? text.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`) : part[1];
    at += part === undefined ? 1 : part[0].length;
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return null;
  }
}

type DateGroups = Readonly<Record<string, string | undefined>>;

/** Returns null if the calendar or the clock has no such time. */
function secondsOf(groups: DateGroups, clock: ZoneClock | null): number | null {
  const number = (name: string): number => Number(groups[name] ?? 0);
  const year = groups['YYYY'] === undefined ? shortYear(number('YY')) : number('YYYY');
  const days = daysOfDate(year, number('MM'), number('DD'));
  const hour = hourOf(number('hh'), groups['A']);
  if (days === null || hour === null || number('mm') > 59 || number('ss') > 59) return null;
  const shown = (days * kDayMs) / kSecondMs + hour * 3600 + number('mm') * 60 + number('ss');
  const offset = groups['Z'];
  if (offset !== undefined) return shown - offsetOf(offset);
  return clock === null ? shown : clock(shown * kSecondMs) / kSecondMs;
}

/** Expands a year of two digits to 1970…2069. */
function shortYear(year: number): number {
  return year < 70 ? 2000 + year : 1900 + year;
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour > 23 ? null : hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0;
  const digits = text.replace(':', '');
  const size = Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3, 5)) * 60;
  return digits.startsWith('-') ? -size : size;
}

const shape = new RegExp(
  String.raw`^(\d{1,4})([./-])(\d{1,2})\2(\d{2,4})` +
    String.raw`(?:(,? |T)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?( ?)([AaPp]\.?[Mm]\.?)?)?$`,
);

/** The result of guessing a date pattern. */
type GuessedPattern =
  | { readonly kind: 'pattern'; readonly pattern: string }
  /** Dates like 3/4/2026, where day and month cannot be told apart. */
  | { readonly kind: 'ambiguous'; readonly choices: readonly string[] }
  | { readonly kind: 'none' };

/**
 * Guesses the pattern of dates that are not ISO 8601, from the first date's shape and all numbers.
 */
export function guessedPattern(cells: readonly string[]): GuessedPattern {
  const first = cells.map((cell) => shape.exec(cell)).find((match) => match !== null);
  if (first === undefined) return { kind: 'none' };
  const [, start = '', mark = '', , end = '', gap = ' ', space = '', half] = first;
  const clock = `[${gap}hh:mm[:ss]${half === undefined ? '' : `${space}A`}]`;
  const joined = (...fields: readonly string[]): string => fields.join(mark) + clock;
  if (start.length > 2) return { kind: 'pattern', pattern: joined('YYYY', 'MM', 'DD') };
  const year = 'Y'.repeat(end.length === 4 ? 4 : 2);
  const [dayFirst, monthFirst] = [joined('DD', 'MM', year), joined('MM', 'DD', year)];
  if (mark === '.') return { kind: 'pattern', pattern: dayFirst };
  const matches = cells.flatMap((cell) => [shape.exec(cell) ?? []].flat().slice(1, 4));
  const largest = (at: number): number =>
    Math.max(0, ...matches.filter((_, index) => index % 3 === at).map(Number));
  if (largest(0) > 12) return { kind: 'pattern', pattern: dayFirst };
  if (largest(2) > 12) return { kind: 'pattern', pattern: monthFirst };
  return { kind: 'ambiguous', choices: [dayFirst, monthFirst] };
}

const clockForm = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?( ?)([AaPp]\.?[Mm]\.?)?$/;
const dateForm = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$/;
const zoneForm = /:\d{2}(?:[.,]\d+)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;

/** Returns true if all cells are times of day, which need a date. */
export function areClocks(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => clockForm.test(cell));
}

/** Returns true if all cells are dates, whose times may be in another column. */
export function areDates(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => dateForm.test(cell));
}

export function haveZones(cells: readonly string[]): boolean {
  return cells.every((cell) => zoneForm.test(cell));
}

/** Appends the pattern of these times of day if the date pattern has no time. */
export function withClock(pattern: string, clock: string): string {
  if (pattern.includes('hh')) return pattern;
  const [, space = '', half] = clockForm.exec(clock) ?? [];
  return `${pattern} hh:mm[:ss]${half === undefined ? '' : `${space}A`}`;
}
