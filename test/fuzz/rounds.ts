/** The length of a fuzz test: rounds in the suite, time in `npm run fuzz`. */

const seconds = Number(process.env['SDB_FUZZ_SECONDS'] ?? 0);

/** For `this.timeout`, in milliseconds. */
export const fuzzTimeoutMs = 60_000 + seconds * 1000;

/** Counts from 0 on. */
export function* rounds(count: number): Generator<number> {
  const end = performance.now() + seconds * 1000;
  for (let round = 0; seconds > 0 ? performance.now() < end : round < count; round++) yield round;
}
