/** The part of the contract that tells how long samples are kept. */

/** Samples of the metrics that `match` names, in which `*` stands for any text. */
export interface NativeRetentionRule {
  readonly match: string;
  /** Only of series that have these; flat: key, value, … */
  readonly labels: readonly string[];
  /** In the database's unit; above 0. */
  readonly keep: bigint;
}
