/** A number as Go writes it with the fewest digits and without an exponent. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', first = '', rest = '', exponent = '0'] = match;
  return sign + plainDigits(first + rest, Number(exponent));
}

/** `exponent`: of the first digit. */
function plainDigits(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  return digits.padEnd(exponent + 1, '0');
}

/** As `%g` has it, in messages. */
export function shortFloat(value: number): string {
  if (!Number.isFinite(value)) return goFloat(value);
  const match = /^(-?\d(?:\.\d+)?)e([+-])(\d+)$/.exec(value.toExponential());
  const [, digits = '', sign = '+', exponent = '0'] = match ?? [];
  const power = Number(sign + exponent);
  if (power >= -4 && power < 21) return goFloat(value);
  return `${digits}e${sign}${exponent.padStart(2, '0')}`;
}
