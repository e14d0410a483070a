/** How long a request may be silent before the wrapper ends it. Milliseconds. */

export interface ServiceTimes {
  /** Longest silence of a client that is sending its body. */
  readonly bodySilenceMs: number;
  /** Longest time between the end of the body and the answer. */
  readonly answerMs: number;
  /** Longest time that a client may refuse to read. */
  readonly readerSilenceMs: number;
  readonly sweepMs: number;
}

export const defaultTimes: ServiceTimes = {
  bodySilenceMs: 30_000,
  answerMs: 30_000,
  readerSilenceMs: 60_000,
  sweepMs: 500,
};
