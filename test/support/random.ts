/**
 * Seeded randomness for tests and benchmarks, so that a failing run can be run again. The seed
 * comes from SERIESDB_SEED, or from the clock, and every random test puts it into its title.
 */

/** The seed of this run's random tests. */
export const testSeed: number = readSeed(process.env['SERIESDB_SEED']);

function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return Date.now() % 2 ** 32;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error(`SERIESDB_SEED is not an integer: ${text}`);
  return seed % 2 ** 32;
}

/** The sfc32 generator: small, quick, and the same numbers everywhere for the same seed. */
export class Random {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.c = seed | 0;
    for (let round = 0; round < 16; round++) this.next32();
  }

  /** An integer in [0, 2^32). */
  next32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** A double in [0, 1). */
  unit(): number {
    return this.next32() / 2 ** 32;
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }

  /** Any of the 2^64 signed 64-bit integers. */
  int64(): bigint {
    return BigInt.asIntN(64, (BigInt(this.next32()) << 32n) | BigInt(this.next32()));
  }
}
