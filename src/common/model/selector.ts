/** The selector of a series in a request. */

/** Label pairs in the order of the request. Null means a bare name. */
export type LabelPairs = readonly (readonly [string, string])[];

export type Selector = (
  | { readonly seriesId: bigint }
  | {
      readonly name: string;
      readonly labels: LabelPairs | null;
      /**
       * True if the request used `series` and `tags`. The meaning is the same; the server only
       * counts it.
       */
      readonly isLegacy?: true;
    }
) & {
  /** Restricts the selection to series with all of these labels. */
  readonly required?: LabelPairs;
};
