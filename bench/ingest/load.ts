/** What is sent to a server, whichever it is. */
export interface WrittenLoad {
  /** Sent before the clock runs. */
  readonly warmUp: readonly Uint8Array[];
  readonly bodies: readonly Uint8Array[];
  /** Of `bodies`; with points of OTLP as one each. */
  readonly samples: number;
}

/**
 * The first round makes the series. The others are what a server gets in its first half hour:
 * after them the loops of a program that is compiled as it runs are compiled.
 */
const kWarmRounds = 120;

/** Rounds of the same series, one after another in time. */
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
