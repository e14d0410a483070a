/** How long a fuzz test goes on: a number of rounds in the suite, by time in `npm run fuzz`. */

const seconds = Number(process.env['SDB_FUZZ_SECONDS'] ?? 0);

/** For `this.timeout`, in milliseconds: of so many rounds, or of the time asked for. */
export const fuzzTimeoutMs = 60_000 + seconds * 1000;

/** Counts from 0 on. */
export function* rounds(count: number): Generator<number> {
  const end = performance.now() + seconds * 1000;
  for (let round = 0; seconds > 0 ? performance.now() < end : round < count; round++) yield round;
}
