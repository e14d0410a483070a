/**
 * The words for the addon's enumerations, each list in the order of its numbers;
 * `test/native/names.test.ts` compares them with the binary. If a word crosses the boundary as a
 * number, the number is its index here.
 */
export const nativeNames = {
  units: ['s', 'ms', 'us', 'ns'],
  /** Units of arriving timestamps. */
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
  /** `small_pool` counts the memtables' small blocks. */
  allocators: ['system', 'small_pool'],
  /** Whether commits are written, and which metadata is read at the start. */
  casModes: ['off', 'dual_write'],
  metadataReadModes: ['legacy', 'shadow', 'primary'],
  /** Formats of bodies. */
  formats: [
    ...(['ndjson', 'influx', 'csv', 'remote_write', 'remote_write_2'] as const),
    ...(['otlp', 'otlp_json', 'victoriametrics'] as const),
  ],
  /** Cell types of a column. */
  columns: [
    ...(['time', 'metric', 'value', 'label', 'kind', 'unit', 'description', 'skip'] as const),
    'empty',
  ],
  /** Blank text of a table that is skipped. */
  skippedBlanks: ['all', 'values', 'none'],
  bodyCodings: ['zstd', 'snappy'],
  decodeModes: ['keep', 'more', 'last'],
  /** Maintenance tasks of an open database. */
  tasks: ['flush', 'createSnapshot', 'deleteSnapshot', 'collect'],
  /** Tasks for a directory that no process has open, and the preview of a body. */
  reports: [
    ...(['verification', 'manifest', 'segments', 'chunks', 'wal', 'refs'] as const),
    ...(['snapshots', 'restore', 'history', 'repair', 'preview'] as const),
  ],
  /** Requests to an object store, and what is known after one. */
  storeOps: [
    ...(['put', 'get', 'delete', 'list', 'beginUpload', 'putPart'] as const),
    ...(['endUpload', 'dropUpload'] as const),
  ],
  storeOutcomes: ['done', 'exists', 'notFound', 'notKnown', 'refused'],
  discoveries: [
    ...(['seriesIds', 'series', 'metrics', 'health', 'labelValues', 'valueCounts'] as const),
    'attributes',
  ],
  /** Filters of the metrics in a health answer. */
  discoveryFilters: ['all', 'inactive', 'undocumented'],
  discoveryOrders: ['usual', 'series_count', 'inactive_series_count', 'last_ts'],
  /** Label lists of Prometheus' API. */
  labelAnswers: ['sets', 'names', 'values'],
  windowAggregates: ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'],
  /** Functions over the samples of a window; native/query/promql/step_function.h defines each. */
  stepFunctions: [
    ...(['last', 'last_time', 'samples'] as const),
    ...(['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'predict_linear'] as const),
    ...(['changes', 'resets', 'avg_over_time', 'min_over_time', 'max_over_time'] as const),
    ...(['sum_over_time', 'count_over_time', 'last_over_time', 'present_over_time'] as const),
    ...(['quantile_over_time', 'stddev_over_time', 'stdvar_over_time'] as const),
    ...(['mad_over_time', 'ts_of_min_over_time', 'ts_of_max_over_time'] as const),
    ...(['ts_of_last_over_time', 'double_exponential_smoothing'] as const),
  ],
  /** Folds over the rows of a group, step by step. */
  stepFolds: ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar'],
  /** Labels that describe the metric rather than the series. */
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
  /** Used as numbers in expressions, like the next two lists. */
  comparisons: ['=', '!=', '<', '<=', '>', '>='],
  /** The steps of an expression; native/query/expression/expression.h defines their operands. */
  ops: [
    ...(['time', 'value', 'integer', 'float', 'boolean', 'null', 'column'] as const),
    ...(['negate', 'add', 'subtract', 'multiply', 'divide', 'modulo', 'absolute'] as const),
    ...(['sign', 'ceil', 'floor', 'truncate', 'root', 'math', 'round', 'roundTo'] as const),
    ...(['bucket', 'months'] as const),
    ...(['toFloat', 'toInteger', 'compare', 'isNull', 'and', 'or', 'not', 'select'] as const),
    ...(['greatest', 'least', 'coalesce'] as const),
  ],
  math: ['exp', 'ln', 'log10', 'log2', 'pow'],
  /** The stages that the engine measures, in the order of their rows in `stages` of NativeStats. */
  stages: [
    ...(['parse', 'wal_append', 'wal_sync', 'apply', 'flush'] as const),
    ...(['range_read', 'discovery', 'compare', 'annotations', 'verify'] as const),
  ],
} as const;

export type NativeName<List extends keyof typeof nativeNames> = (typeof nativeNames)[List][number];
