/** Time limits of a request, in milliseconds. The wrapper enforces them. */

export interface ServiceTimes {
  /** The longest silence of a client that is sending its body. */
  readonly bodySilenceMs: number;
  /** The longest time between the end of the body and the answer. */
  readonly answerMs: number;
  /** The longest time without reading by the client. */
  readonly readerSilenceMs: number;
  readonly sweepMs: number;
}

export const defaultTimes: ServiceTimes = {
  bodySilenceMs: 30_000,
  answerMs: 30_000,
  readerSilenceMs: 60_000,
  sweepMs: 500,
};
