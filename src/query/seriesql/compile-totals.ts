/** Counters of the queries that the compiled engine took or refused. */

/** Totals over all queries, under the specification's names without `query_compile_`. */
export interface CompileTotals {
  attempts: number;
  success: number;
  fallback: number;
  unsupported: number;
  seriesNotFound: number;
  ambiguousSelector: number;
  shadowMismatch: number;
}

/** All counters at zero. */
export function zeroTotals(): CompileTotals {
  return {
    attempts: 0,
    success: 0,
    fallback: 0,
    unsupported: 0,
    seriesNotFound: 0,
    ambiguousSelector: 0,
    shadowMismatch: 0,
  };
}
