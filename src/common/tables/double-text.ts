/** The shortest text that is read as the same double. */
export function printDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
