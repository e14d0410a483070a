/** What is sent to a server, whichever it is. */
export interface WrittenLoad {
  /** Sent before the clock runs. */
  readonly warmUp: readonly Uint8Array[];
  readonly bodies: readonly Uint8Array[];
  /** Of `bodies`; with points of OTLP as one each. */
  readonly samples: number;
}
