/** The part of the contract that tells how long samples are kept. */

/** Samples of the metrics that `match` names, in which `*` stands for any text. */
export interface NativeRetentionRule {
  readonly match: string;
  /** In the database's unit; above 0. */
  readonly keep: bigint;
}
