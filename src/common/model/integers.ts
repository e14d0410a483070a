/** 64-bit integers as text: parsed strictly, never through a double. */

export const kI64Max = 2n ** 63n - 1n;
export const kI64Min = -(2n ** 63n);
const kU64Max = 2n ** 64n - 1n;
/** The longest token to parse: no 64-bit integer is longer. JSON forbids leading zeros. */
const kTokenLengthMax = 20;

/** The integer that `token` spells in JSON's grammar, or null. */
function parseInteger(token: string): bigint | null {
  if (token.length > kTokenLengthMax || !/^-?(0|[1-9][0-9]*)$/.test(token)) return null;
  return BigInt(token);
}

export function parseI64(token: string): bigint | null {
  const value = parseInteger(token);
  return value !== null && value >= kI64Min && value <= kI64Max ? value : null;
}

export function parseU64(token: string): bigint | null {
  const value = parseInteger(token);
  return value !== null && value >= 0n && value <= kU64Max ? value : null;
}

/** The quotient, rounded toward -inf. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}
