/** Numbers and durations as Go and Prometheus print them. */

/** All digits, without an exponent. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [digits = '', exponent] = String(Math.abs(value)).split('e');
  if (exponent === undefined) return `${sign}${digits}`;
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(exponent);
  if (shift > 0) return `${sign}${whole}${fraction.padEnd(shift, '0')}`;
  return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
}

/** The form of `%g`, for messages. */
export function shortFloat(value: number): string {
  if (!Number.isFinite(value)) return numberText(value);
  const match = /^(-?\d(?:\.\d+)?)e([+-])(\d+)$/.exec(value.toExponential());
  const [, digits = '', sign = '+', exponent = '0'] = match ?? [];
  const power = Number(sign + exponent);
  if (power >= -4 && power < 21) return numberText(value);
  return `${digits}e${sign}${exponent.padStart(2, '0')}`;
}

const kDayMs = 86_400_000;
/** `isExact`: the unit is used only if it leaves no remainder. */
const units = [
  { name: 'y', ms: 365 * kDayMs, isExact: true },
  { name: 'w', ms: 7 * kDayMs, isExact: true },
  { name: 'd', ms: kDayMs, isExact: false },
  { name: 'h', ms: 3_600_000, isExact: false },
  { name: 'm', ms: 60_000, isExact: false },
  { name: 's', ms: 1000, isExact: false },
  { name: 'ms', ms: 1, isExact: false },
];

/** Whole milliseconds; the remainder is truncated. */
export function durationText(seconds: number): string {
  let rest = Math.floor(Math.round(Math.abs(seconds) * 1e9) / 1e6);
  const sign = seconds < 0 ? '-' : '';
  if (rest === 0) return `${sign}0s`;
  let text = sign;
  for (const { name, ms, isExact } of units) {
    if (rest < ms || (isExact && rest % ms !== 0)) continue;
    text += `${Math.floor(rest / ms)}${name}`;
    rest %= ms;
  }
  return text;
}
