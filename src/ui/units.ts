/** Formats numbers with their units, from one table of units. */

interface UnitRow {
  /** The symbol in a table head; empty: none. */
  readonly symbol: string;
  /** From this size on, the unit depends on the size of a value; absent: it never does. */
  readonly prefixFrom?: number;
  /** The rounding error is at most `error`; without it, four significant digits. */
  readonly print: (value: number, error?: number) => string;
}

const kDigits = 4;
const kFractionMax = 20;

/** Four significant digits, with thousands separators: `1,204`, `0.5031`, `12,430,000`. */
function printNumber(value: number, error?: number): string {
  if (!Number.isFinite(value)) return printSpecial(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return printPower(value, error);
  return new Intl.NumberFormat('en', digitsOf(size, error)).format(value).replace('-', '−');
}

function printPower(value: number, error: number | undefined): string {
  if (error === undefined) return value.toExponential(kDigits - 1);
  const power = Math.floor(Math.log10(Math.abs(value)));
  const digits = Math.min(Math.max(power + placesFor(error), 0), 16);
  return Number(value.toExponential(digits)).toExponential();
}

function digitsOf(size: number, error: number | undefined): Intl.NumberFormatOptions {
  if (error !== undefined) return { maximumFractionDigits: fractionFor(error) };
  return size >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: kDigits };
}

/** The decimal places at which rounding changes a value by at most `error`. */
const placesFor = (error: number): number => Math.ceil(-Math.log10(2 * error));

const fractionFor = (error: number): number =>
  Math.min(Math.max(placesFor(error), 0), kFractionMax);

function printSpecial(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '−∞';
}

/** A count, with all digits. */
export function printCount(value: number | bigint): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format(value);
}

const kBinary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const kDecimal = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** With the prefix that leaves a number between 1 and 1,000. */
function scaled(symbol: string, prefixes: readonly string[], step: number): UnitRow {
  return {
    symbol,
    prefixFrom: step,
    print: (value, error) => {
      if (!Number.isFinite(value)) return printSpecial(value);
      let rest = value;
      let at = 0;
      while (Math.abs(rest) >= step && at < prefixes.length - 1) {
        rest /= step;
        at += 1;
      }
      const scaledError = error === undefined ? undefined : error / step ** at;
      return `${printNumber(rest, scaledError)} ${prefixes[at] ?? ''}${symbol}`;
    },
  };
}

function plain(symbol: string, factor = 1): UnitRow {
  const times = (error?: number): number | undefined =>
    error === undefined ? undefined : error * factor;
  return {
    symbol,
    print: (value, error) => `${printNumber(value * factor, times(error))} ${symbol}`,
  };
}

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

const smallSpans = [
  ['s', 1],
  ['ms', 1e3],
  ['µs', 1e6],
] as const;

/** `1h 5m`, `3.2 ms`: at most two parts, unless `error` requires more. */
export function printSeconds(seconds: number, error?: number): string {
  if (!Number.isFinite(seconds)) return printSpecial(seconds);
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? '−' : '';
  if (size >= 60)
    return sign + (error === undefined ? inParts(Math.round(size)) : inAll(size, error));
  const [name, perSecond] = smallSpans.find(([, per]) => size * per >= 1) ?? ['ns', 1e9];
  const least = error === undefined ? undefined : error * perSecond;
  return size === 0 ? '0 s' : `${sign}${printNumber(size * perSecond, least)} ${name}`;
}

/** As many parts as needed: `1d 2h 0.5s`. */
function inAll(size: number, error: number): string {
  const parts: string[] = [];
  let rest = Number(size.toFixed(fractionFor(error)));
  for (const [name, span] of spans) {
    if (parts.length > 0 && rest <= error) break;
    const count = name === 's' ? rest : Math.floor(rest / span);
    if (count > 0) parts.push(`${printNumber(count, Math.min(error, 0.5))}${name}`);
    rest -= count * span;
  }
  return parts.join(' ');
}

function inParts(whole: number): string {
  const at = spans.findIndex(([, size]) => whole >= size);
  const [first, second] = spans.slice(Math.max(at, 0));
  if (first === undefined) return '0 s';
  const [name, size] = first;
  const rest = second === undefined ? 0 : Math.floor((whole % size) / second[1]);
  const more = second === undefined || rest === 0 ? '' : ` ${rest}${second[0]}`;
  return `${Math.floor(whole / size)}${name}${more}`;
}

function duration(symbol: string, perSecond: number): UnitRow {
  const inSeconds = (error?: number): number | undefined =>
    error === undefined ? undefined : error / perSecond;
  return {
    ...{ symbol, prefixFrom: 0 },
    print: (value, error) => printSeconds(value / perSecond, inSeconds(error)),
  };
}

const rows: readonly (readonly [readonly string[], UnitRow])[] = [
  [['bytes', 'byte', 'b'], scaled('B', kBinary, 1024)],
  [['bits', 'bit'], scaled('bit', kDecimal, 1000)],
  [['s', 'sec', 'second', 'seconds'], duration('s', 1)],
  [['ms', 'millisecond', 'milliseconds'], duration('ms', 1e3)],
  [['us', 'µs', 'microsecond', 'microseconds'], duration('µs', 1e6)],
  [['ns', 'nanosecond', 'nanoseconds'], duration('ns', 1e9)],
  [['percent', '%'], plain('%')],
  [['ratio'], plain('%', 100)],
  [['celsius', '°c'], plain('°C')],
  [['hertz', 'hz'], scaled('Hz', kDecimal, 1000)],
];

/** The number of units per second; null if the unit is not a duration. */
export function perSecondOf(unit: string): number | null {
  const { base, suffix } = parted(unit);
  if (suffix !== '') return null;
  return { s: 1, ms: 1e3, µs: 1e6, ns: 1e9 }[byName.get(base.toLowerCase())?.symbol ?? ''] ?? null;
}

const byName = new Map(rows.flatMap(([names, row]) => names.map((name) => [name, row] as const)));

function rowOf(unit: string): UnitRow {
  if (unit === '') return { symbol: '', print: printNumber };
  return byName.get(unit.toLowerCase()) ?? plain(unit);
}

/** The unit beside many values: `%`, `B/s`; an unknown unit is returned unchanged. */
export function unitSymbol(unit: string): string {
  const { base, suffix } = parted(unit);
  return rowOf(base).symbol + suffix;
}

/** A value with its unit: `80.2 %`, `1.5 KiB/s`. */
export function printValue(value: number, unit: string): string {
  const { base, suffix } = parted(unit);
  return rowOf(base).print(value) + suffix;
}

/** The largest rounding error of a mark, as a share of the distance to its neighbour. */
const kMarkError = 1 / 20;

/**
 * The labels of axis marks with their unit. Each has enough digits to differ from its neighbours:
 * `230.01 V`, `230.02 V`.
 */
export function printMarks(marks: readonly number[], unit: string): readonly string[] {
  const { base, suffix } = parted(unit);
  const { print } = rowOf(base);
  return marks.map((mark, at) => {
    const ways = [marks[at - 1], marks[at + 1]].flatMap((other) =>
      other === undefined || other === mark ? [] : [Math.abs(other - mark)],
    );
    const error = ways.length === 0 ? undefined : Math.min(...ways) * kMarkError;
    return print(mark, error) + suffix;
  });
}

/** Values closer than this share of themselves are not told apart. */
const kApartLeast = 1e-9;

/**
 * Returns a printer for the values of a column. It uses four digits, or more where neighbouring
 * values would look equal.
 */
export function printerOf(values: readonly number[], unit: string): (value: number) => string {
  const { base, suffix } = parted(unit);
  const { print } = rowOf(base);
  const sorted = [...new Set(values.filter(Number.isFinite))].sort((one, two) => one - two);
  const texts = new Map<number, string>();
  sorted.forEach((value, at) => {
    const short = print(value);
    const ways = [sorted[at - 1], sorted[at + 1]].flatMap((other) =>
      other === undefined || print(other) !== short ? [] : [Math.abs(other - value)],
    );
    const error = Math.max(Math.min(...ways) * kMarkError, Math.abs(value) * kApartLeast);
    texts.set(value, (ways.length === 0 ? short : print(value, error)) + suffix);
  });
  return (value) => texts.get(value) ?? print(value) + suffix;
}

/** The fraction digits that leave a size this many significant digits. */
const placesOf = (size: number, digits: number): number =>
  Math.min(Math.max(digits - 1 - Math.floor(Math.log10(size)), 0), kFractionMax);

/** The most significant digits of a value; a sum of doubles has noise behind them. */
const kFineDigits = 9;
/** The least significant digits of the smallest value among larger ones. */
const kSmallDigits = 2;

interface Alike {
  readonly unit: string;
  /** True: all digits up to nine; false: four, or more to tell the values apart. */
  readonly isFine: boolean;
}

/**
 * Returns a printer that gives all of these values the same decimal places: `56.88 %`, `58.30 %`.
 * Values whose unit depends on their size have digits of their own.
 */
export function alikePrinter(
  values: readonly number[],
  { unit, isFine }: Alike,
): (value: number) => string {
  const { base, suffix } = parted(unit);
  if (base === 'ratio') {
    const shares = values.map((value) => value * 100);
    const print = alikePrinter(shares, { unit: `percent${suffix}`, isFine });
    return (value) => print(value * 100);
  }
  const sizes = values.filter(Number.isFinite).map(Math.abs);
  const largest = Math.max(...sizes, 0);
  const fine = largest === 0 ? 0 : placesOf(largest, kFineDigits);
  const places = isFine ? fine : Math.min(fine, plainPlaces(values, largest));
  const needed = shortest(values, places);
  const hides = sizes.some((size) => size !== 0 && Number(size.toFixed(needed)) === 0);
  const { symbol, prefixFrom } = rowOf(base);
  const isPlain = prefixFrom === undefined ? isOnePlain(base) : largest < prefixFrom;
  if (!isPlain || hides || largest >= 1e15) return printerOf(values, unit);
  const digits = { minimumFractionDigits: needed, maximumFractionDigits: needed };
  const format = new Intl.NumberFormat('en', digits);
  return (value) => {
    const text = Number.isFinite(value)
      ? format.format(value).replace('-', '−')
      : printSpecial(value);
    return `${text}${symbol === '' ? '' : ` ${symbol}`}${suffix}`;
  };
}

/** Four significant digits of the largest value, or as many as tell the values apart. */
function plainPlaces(values: readonly number[], largest: number): number {
  if (largest === 0) return 0;
  const sorted = [...new Set(values.filter(Number.isFinite))].sort((one, two) => one - two);
  const small = sorted.map(Math.abs).filter((size) => size >= largest * kApartLeast);
  const least = placesOf(Math.min(...small), kSmallDigits);
  const apart = sorted.slice(1).map((value, at) => {
    const way = value - (sorted[at] ?? value);
    return way < largest * kApartLeast ? 0 : Math.max(0, Math.ceil(-Math.log10(way)));
  });
  return Math.max(placesOf(largest, kDigits), least, ...apart);
}

/** The fewest decimal places that print these values as exactly as `places` does. */
function shortest(values: readonly number[], places: number): number {
  const texts = values.filter(Number.isFinite).map((value) => value.toFixed(places));
  const used = texts.map((text) => (text.split('.')[1] ?? '').replace(/0+$/, '').length);
  return Math.max(0, ...used);
}

/** True if a unit stays the same whatever the size of a value. */
const isOnePlain = (base: string): boolean =>
  rowOf(base).symbol === base || /^(percent|celsius|%|°c)?$/i.test(base);

/** Splits `bytes/s` into the unit and its suffix. */
function parted(unit: string): { readonly base: string; readonly suffix: string } {
  const base = unit.endsWith('/s') ? unit.slice(0, -2) : unit;
  return { base, suffix: unit.slice(base.length) };
}

/** A value with up to nine digits: `95.4632 %`, `1.5 KiB/s`. */
export function printFine(value: number, unit: string): string {
  const { base, suffix } = parted(unit);
  const row = rowOf(base);
  if (!isOnePlain(base) || !Number.isFinite(value) || Math.abs(value) >= 1e15)
    return printValue(value, unit);
  const text = new Intl.NumberFormat('en', { maximumSignificantDigits: 9 }).format(value);
  return `${text.replace('-', '−')}${row.symbol === '' ? '' : ` ${row.symbol}`}${suffix}`;
}
