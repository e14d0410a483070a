/** Scans and reads numbers and durations. */

/** `end`: the end of the scanned text. `isWhole`: false if that text is invalid. */
interface Scanned {
  readonly end: number;
  readonly isWhole: boolean;
}

const digits = '0123456789';
const hexDigits = '0123456789abcdefABCDEF';

const isAny = (text: string, at: number, of: string): boolean => {
  const one = text[at];
  return one !== undefined && of.includes(one);
};

const isWordPart = (text: string, at: number): boolean => /^[0-9A-Za-z_]$/.test(text[at] ?? '');

/** Scans as Prometheus does: a Go number with underscores, a fraction or an exponent. */
export function scanNumber(text: string, start: number): Scanned {
  const isHex = text[start] === '0' && isAny(text, start + 1, 'xX');
  let at = start;
  if (isHex) at += text[start + 2] === '_' ? 3 : 2;
  // Prometheus has looked for an x here and lets a dot pass without counting it.
  else if (text[start] === '0') at += 1;
  if (text[at] === '.') at += 1;
  const form = isHex ? hexDigits : digits;
  if (isAny(text, at, form)) at += 1;
  const run = new NumberRun(text, form);
  const end = run.scan(at);
  return { end, isWhole: run.isWhole && !isWordPart(text, end) };
}

/** Scans the characters after the first digit; stops after the first invalid one. */
class NumberRun {
  isWhole = true;
  readonly #text: string;
  readonly #form: string;
  readonly #seen = new Set<string>();

  constructor(text: string, form: string) {
    this.#text = text;
    this.#form = form;
  }

  scan(start: number): number {
    let at = start;
    while (this.isWhole && isAny(this.#text, at, `${this.#form}._eE`)) at = this.#part(at);
    return at;
  }

  #part(at: number): number {
    const one = this.#text[at] ?? '';
    if (one === '.') return this.#dot(at + 1);
    if (one === 'e' || one === 'E') return this.#exponent(at + 1);
    if (one === '_') return this.#forbid(at + 1, '._eE');
    return this.#run(at);
  }

  #dot(at: number): number {
    if (!this.#once('.')) return at;
    const end = isAny(this.#text, at, '_.') ? at + 1 : at;
    // A hexadecimal number has no fraction.
    if (end > at || this.#form === hexDigits) this.isWhole = false;
    return end;
  }

  #exponent(at: number): number {
    if (!this.#once('e')) return at;
    return this.#forbid(isAny(this.#text, at, '+-') ? at + 1 : at, '._eE');
  }

  /** Rejects these characters and the end of the text. */
  #forbid(at: number, these: string): number {
    const isOne = isAny(this.#text, at, these);
    if (isOne || at >= this.#text.length) this.isWhole = false;
    return isOne ? at + 1 : at;
  }

  #once(part: string): boolean {
    if (this.#seen.has(part)) this.isWhole = false;
    this.#seen.add(part);
    return this.isWhole;
  }

  #run(start: number): number {
    let at = start;
    while (isAny(this.#text, at, this.#form)) at += 1;
    return at;
  }
}

/** Scans the rest of a duration after its first number. */
export function scanDuration(text: string, start: number): Scanned {
  let at = start;
  if (!isAny(text, at, 'smhdwy')) return { end: at, isWhole: false };
  at = behindUnit(text, at);
  while (isAny(text, at, digits)) {
    while (isAny(text, at, digits)) at += 1;
    if (!isAny(text, at, 'smhdw')) return { end: at, isWhole: false };
    at = behindUnit(text, at);
  }
  const isWhole = !isWordPart(text, at);
  return { end: isWhole ? at : at + 1, isWhole };
}

const behindUnit = (text: string, at: number): number => (text[at + 1] === 's' ? at + 2 : at + 1);

const decimal = /^(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?$/;
const octal = /^0[0-7_]*$/;
const hex = /^0[xX]_?[0-9a-fA-F_]+$/;
const kIntegerMax = 2n ** 63n - 1n;

/** The number as Go reads it, or a sentence with the error. */
export function numberOf(text: string): number | string {
  const word = /^inf$/i.test(text) ? Infinity : /^nan$/i.test(text) ? NaN : null;
  if (word !== null) return word;
  if (isSound(text)) {
    const value = soundNumber(text.replaceAll('_', ''));
    if (value !== null && Number.isFinite(value)) return value;
    if (value !== null) return failure(text, 'value out of range');
  }
  return failure(text, 'invalid syntax');
}

const failure = (text: string, why: string): string =>
  `error parsing number: strconv.ParseFloat: parsing "${text}": ${why}`;

/** Underscores may stand only between digits. */
const isSound = (text: string): boolean =>
  !/_(?![0-9a-fA-F])|(?<![0-9a-fA-FxX])_/.test(text) &&
  (decimal.test(text) || octal.test(text) || hex.test(text));

function soundNumber(text: string): number | null {
  if (hex.test(text)) return BigInt(text) <= kIntegerMax ? Number(text) : null;
  if (!octal.test(text) || text === '0') return Number(text);
  const value = BigInt(`0o${text.slice(1)}`);
  return value <= kIntegerMax ? Number(value) : Number(text);
}

interface Unit {
  /** Units must come in ascending rank. */
  readonly rank: number;
  readonly ms: number;
}

const kDayMs = 86_400_000;
const units: ReadonlyMap<string, Unit> = new Map([
  ['y', { rank: 1, ms: 365 * kDayMs }],
  ['w', { rank: 2, ms: 7 * kDayMs }],
  ['d', { rank: 3, ms: kDayMs }],
  ['h', { rank: 4, ms: 3_600_000 }],
  ['m', { rank: 5, ms: 60_000 }],
  ['s', { rank: 6, ms: 1000 }],
  ['ms', { rank: 7, ms: 1 }],
]);
/** The longest duration: signed 64 bits of nanoseconds. */
const kDurationMaxMs = 9_223_372_036_854;
const kCountMax = 2 ** 64;
/** Matches from the end of the last match. */
const part = /([0-9]*)([^0-9]*)/y;

/** The seconds of a duration, or a sentence with the error. */
export function secondsOf(text: string): number | string {
  const wrong = `not a valid duration string: "${text}"`;
  let rank = 0;
  let ms = 0;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const [, count = '', name = ''] = part.exec(text) ?? [];
    if (Number(count) >= kCountMax || name === '') return wrong;
    const unit = units.get(name);
    if (unit === undefined) return `unknown unit "${name}" in duration "${text}"`;
    if (unit.rank <= rank) return wrong;
    rank = unit.rank;
    ms += Number(count) * unit.ms;
    if (ms > kDurationMaxMs) return 'duration out of range';
  }
  return ms / 1000;
}
