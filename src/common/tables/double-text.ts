/** The shortest text that parses to the same double. */
export function printDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
