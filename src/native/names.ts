/**
 * The words that stand for enumerations of the addon, each list in the order of its numbers;
 * `test/native/names.test.ts` holds them against the binary. Where a word crosses the boundary as a
 * number, that is its place here.
 */
export const nativeNames = {
  units: ['s', 'ms', 'us', 'ns'],
  /** What arriving timestamps may be counted in. */
  precisions: ['s', 'ms', 'us', 'ns', 'm', 'h'],
  skipReasons: [
    'string',
    'timestamp',
    'long256',
    'exemplar',
    'native_histogram',
    'metadata',
    'metadata_conflict',
    'metadata_limit',
  ],
  fsync: ['always', 'interval', 'none'],
  /** Where the small blocks of samples in memory come from. */
  allocators: ['system', 'small_pool'],
  /** Whether commits are written, and which description of the database is read at the start. */
  casModes: ['off', 'dual_write'],
  metadataReadModes: ['legacy', 'shadow', 'primary'],
  /** What the cells of a column are. */
  columns: [
    ...(['time', 'metric', 'value', 'label', 'kind', 'unit', 'description', 'skip'] as const),
  ],
  bodyCodings: ['zstd', 'snappy'],
  decodeModes: ['keep', 'more', 'last'],
  /** What is done with what an open database has on disk. */
  tasks: ['flush', 'createSnapshot', 'deleteSnapshot', 'collect'],
  /** What is told of a directory that nobody has open, and what is made of it. */
  reports: [
    ...(['verification', 'manifest', 'segments', 'chunks', 'wal', 'refs'] as const),
    ...(['snapshots', 'restore', 'history', 'repair'] as const),
  ],
  discoveries: [
    ...(['seriesIds', 'series', 'metrics', 'health', 'labelValues', 'valueCounts'] as const),
    'attributes',
  ],
  /** Which metrics health is told of. */
  discoveryFilters: ['all', 'inactive', 'undocumented'],
  discoveryOrders: ['usual', 'series_count', 'inactive_series_count', 'last_ts'],
  /** What Prometheus' API is told of labels. */
  labelAnswers: ['sets', 'names', 'values'],
  windowAggregates: ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'],
  /** What is made of the samples in a window; native/steps/step_function.h tells each. */
  stepFunctions: [
    ...(['last', 'last_time', 'samples'] as const),
    ...(['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'predict_linear'] as const),
    ...(['changes', 'resets', 'avg_over_time', 'min_over_time', 'max_over_time'] as const),
    ...(['sum_over_time', 'count_over_time', 'last_over_time', 'present_over_time'] as const),
    ...(['quantile_over_time', 'stddev_over_time', 'stdvar_over_time'] as const),
    ...(['mad_over_time', 'ts_of_min_over_time', 'ts_of_max_over_time'] as const),
    ...(['ts_of_last_over_time', 'double_exponential_smoothing'] as const),
  ],
  /** What is made of the rows of a group, step by step. */
  stepFolds: ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar'],
  /** Labels that tell of the metric rather than of the series. */
  metadataLabels: ['__name__', '__type__', '__unit__'],
  queries: ['columns', 'groups', 'rows', 'list'],
  lists: ['series', 'metrics', 'labelKeys', 'labelValues'],
  textColumns: ['place', 'time', 'value', 'series_id', 'metric', 'label', 'labels', 'object'],
  keys: ['bucket', 'metric', 'series_id', 'label', 'expression', 'column'],
  aggregates: [
    ...(['rows', 'count', 'sum', 'avg', 'min', 'max', 'stddev', 'variance'] as const),
    ...(['first', 'last', 'min_time', 'max_time', 'delta', 'increase', 'rate'] as const),
    ...(['integral', 'percentile', 'count_distinct'] as const),
  ],
  filterSteps: ['=', '!=', '<', '<=', '>', '>=', 'and', 'or', 'not'],
  /** In expressions numbers, as are those of the next two. */
  comparisons: ['=', '!=', '<', '<=', '>', '>='],
  /** The steps of an expression; native/expression/expression.h says what each takes. */
  ops: [
    ...(['time', 'value', 'integer', 'float', 'boolean', 'null', 'column'] as const),
    ...(['negate', 'add', 'subtract', 'multiply', 'divide', 'modulo', 'absolute'] as const),
    ...(['sign', 'ceil', 'floor', 'truncate', 'root', 'math', 'round', 'roundTo'] as const),
    ...(['bucket', 'months'] as const),
    ...(['toFloat', 'toInteger', 'compare', 'isNull', 'and', 'or', 'not', 'select'] as const),
    ...(['greatest', 'least', 'coalesce'] as const),
  ],
  math: ['exp', 'ln', 'log10', 'log2', 'pow'],
  /** The stages whose times the engine keeps, in the order of their rows in `figures`. */
  stages: [
    ...(['parse', 'wal_append', 'wal_sync', 'apply', 'flush'] as const),
    ...(['range_read', 'discovery', 'compare', 'annotations', 'verify'] as const),
  ],
} as const;

export type NativeName<List extends keyof typeof nativeNames> = (typeof nativeNames)[List][number];
