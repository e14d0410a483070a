/** The output formats of queries. */

export const queryFormats = ['table', 'csv', 'json', 'ndjson', 'chart'] as const;
export type QueryFormat = (typeof queryFormats)[number];

/** The output format of rows, and the past state to read; undefined: the current state. */
export interface QueryForm {
  readonly format: QueryFormat;
  readonly asOf: string | undefined;
  /** The zone of times without one in the statement, and of printed times; default: UTC. */
  readonly zone?: string | undefined;
  /** True: print the elapsed time of the client beside the server's own. */
  readonly isTimed?: boolean;
}
