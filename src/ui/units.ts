/** Numbers as people read them: one table of units, and how values of each are written. */

interface UnitRow {
  /** As it is written in a head of a table; empty: nothing. */
  readonly symbol: string;
  readonly print: (value: number) => string;
}

const kDigits = 4;

/** Four digits, grouped: `1,204`, `0.5031`, `12,430,000`. */
function printNumber(value: number): string {
  if (!Number.isFinite(value)) return printSpecial(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(kDigits - 1);
  const options = size >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 };
  return new Intl.NumberFormat('en', options).format(value).replace('-', '−');
}

function printSpecial(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '−∞';
}

/** Of whole things, with all their digits. */
export function printCount(value: number | bigint): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 0 }).format(value);
}

const kBinary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const kDecimal = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** With the prefix that leaves between one and a thousand. */
function scaled(symbol: string, prefixes: readonly string[], step: number): UnitRow {
  return {
    symbol,
    print: (value) => {
      if (!Number.isFinite(value)) return printSpecial(value);
      let rest = value;
      let at = 0;
      while (Math.abs(rest) >= step && at < prefixes.length - 1) {
        rest /= step;
        at += 1;
      }
      return `${printNumber(rest)} ${prefixes[at] ?? ''}${symbol}`;
    },
  };
}

function plain(symbol: string, factor = 1): UnitRow {
  return { symbol, print: (value) => `${printNumber(value * factor)} ${symbol}` };
}

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** `1h 5m`, `3.2 ms`: two parts at most. */
export function printSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return printSpecial(seconds);
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? '−' : '';
  if (size >= 60) return sign + inParts(Math.round(size));
  if (size >= 1 || size === 0) return `${sign}${printNumber(size)} s`;
  if (size >= 1e-3) return `${sign}${printNumber(size * 1e3)} ms`;
  if (size >= 1e-6) return `${sign}${printNumber(size * 1e6)} µs`;
  return `${sign}${printNumber(size * 1e9)} ns`;
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
  return { symbol, print: (value) => printSeconds(value / perSecond) };
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

const byName = new Map(rows.flatMap(([names, row]) => names.map((name) => [name, row] as const)));

function rowOf(unit: string): UnitRow {
  if (unit === '') return { symbol: '', print: printNumber };
  return byName.get(unit.toLowerCase()) ?? plain(unit);
}

/** How a unit is written beside many values: `%`, `B/s`; the word itself where it is unknown. */
export function unitSymbol(unit: string): string {
  const { base, suffix } = parted(unit);
  return rowOf(base).symbol + suffix;
}

/** A value with its unit: `80.2 %`, `1.5 KiB/s`. */
export function printValue(value: number, unit: string): string {
  const { base, suffix } = parted(unit);
  return rowOf(base).print(value) + suffix;
}

/** `bytes/s` are bytes with something behind. */
function parted(unit: string): { readonly base: string; readonly suffix: string } {
  const base = unit.endsWith('/s') ? unit.slice(0, -2) : unit;
  return { base, suffix: unit.slice(base.length) };
}

/** A value with digits enough to tell it from its neighbours: `95.4632 %`, `1.5 KiB/s`. */
export function printFine(value: number, unit: string): string {
  const { base, suffix } = parted(unit);
  const row = rowOf(base);
  const isPlain = row.symbol === base || /^(percent|celsius|%|°c)?$/i.test(base);
  if (!isPlain || !Number.isFinite(value) || Math.abs(value) >= 1e15)
    return printValue(value, unit);
  const text = new Intl.NumberFormat('en', { maximumSignificantDigits: 9 }).format(value);
  return `${text.replace('-', '−')}${row.symbol === '' ? '' : ` ${row.symbol}`}${suffix}`;
}
