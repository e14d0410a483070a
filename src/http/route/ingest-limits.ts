/** What limits samples on their way in, in whatever format. */
export const ingestLimits = [
  'max_line_bytes',
  'max_future_skew',
  'max_series',
  'max_series_per_metric',
  'memory_limit_bytes',
] as const;
