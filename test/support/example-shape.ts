/** Compares the shape of an answer with an example, if its values may differ. */

/**
 * Null if `found` contains all of `wanted`, with values of the same types; otherwise the place of
 * the difference.
 */
export function missingShape(wanted: unknown, found: unknown, at = 'the answer'): string | null {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return `${at} is no list`;
    // Lists may differ in length; if both have items, the first items have the same shape.
    const isEmpty = wanted.length === 0 || found.length === 0;
    return isEmpty ? null : missingShape(wanted[0], found[0], `${at}[0]`);
  }
  if (typeof wanted !== 'object' || wanted === null) {
    return typeof wanted === typeof found ? null : `${at} is a ${typeof found}`;
  }
  if (typeof found !== 'object' || found === null) return `${at} is no object`;
  for (const [key, one] of Object.entries(wanted)) {
    if (!Object.hasOwn(found, key)) return `${at} lacks ${key}`;
    const problem = missingShape(one, (found as Record<string, unknown>)[key], `${at}.${key}`);
    if (problem !== null) return problem;
  }
  return null;
}
