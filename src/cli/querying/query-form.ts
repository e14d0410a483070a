/** How answers of SeriesQL are printed. */

export const queryFormats = ['table', 'csv', 'json', 'ndjson', 'chart'] as const;
export type QueryFormat = (typeof queryFormats)[number];

/** How rows are printed, and of which state: that of a snapshot, or the last one. */
export interface QueryForm {
  readonly format: QueryFormat;
  readonly asOf: string | undefined;
  /** Of times that name no zone, and in which times are printed; UTC when left out. */
  readonly zone?: string | undefined;
  /** Whether the time is told that somebody waited, beside the server's own. */
  readonly isTimed?: boolean;
}
