/** A load for any server. */
export interface WrittenLoad {
  /** Sent before the clock runs. */
  readonly warmUp: readonly Uint8Array[];
  readonly bodies: readonly Uint8Array[];
  /** The samples in `bodies`. Each OTLP point counts as one. */
  readonly samples: number;
}

/**
 * The first round creates the series. The others are what a server gets in its first half hour.
 * After them, the hot loops of programs with a JIT are compiled.
 */
const kWarmRounds = 120;

/** Rounds of the same series at increasing times. */
export function roundsOf(
  rounds: number,
  samplesPerRound: number,
  bodiesOf: (round: number) => readonly Uint8Array[],
): WrittenLoad {
  const all = Array.from({ length: kWarmRounds + rounds }, (_, round) => bodiesOf(round));
  return {
    warmUp: all.slice(0, kWarmRounds).flat(),
    bodies: all.slice(kWarmRounds).flat(),
    samples: samplesPerRound * rounds,
  };
}
