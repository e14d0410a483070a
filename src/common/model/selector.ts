/** Which series a request means. */

/** Label pairs in the order they arrived. Null stands for a bare name. */
export type LabelPairs = readonly (readonly [string, string])[];

export type Selector = (
  | { readonly seriesId: bigint }
  | {
      readonly name: string;
      readonly labels: LabelPairs | null;
      /** The request said `series` and `tags`; it means the same and is only counted. */
      readonly isLegacy?: true;
    }
) & {
  /** As if no series were there but those that have all of these. */
  readonly required?: LabelPairs;
};
