/**
 * Every figure of the engine and of queries, with the words that `/metrics` prints. What the server
 * and the process tell of themselves stands where it is read: `operations/metrics.ts` and
 * `process-metrics.ts`. docs/metrics.md is made from the three.
 *
 * The first two tables are the specification's, in its order: `/status` shows the same numbers
 * under the same names, those of the third as well, and `/metrics` adds the prefix. A name that
 * ends in `_total` is a counter.
 */

export const kMetricPrefix = 'seriesdb_';

export const compatibilityMetrics = {
  legacy_segment_descriptors: 'Segments without a hash, or that no commit names.',
  legacy_wal_descriptors:
    'Closed WAL files that outlived the last publication and that no commit names.',
  loose_refs_present: 'Refs that are loose files rather than packed.',
} as const;

export const runtimeMetrics = {
  queue_depth: 'Ingest requests that wait for the log.',
  memtable_bytes: 'Bytes of samples held in memory.',
  flush_total: 'Flushes of memory to segments.',
  flush_points_total: 'Samples written by flushes.',
  flush_seconds_total: 'Seconds spent in flushes.',
  wal_append_total: 'Records appended to the write-ahead log.',
  wal_append_seconds_total: 'Seconds spent appending to the write-ahead log.',
  ingest_total: 'Samples stored.',
  ingest_rejected_total: 'Samples refused; a line that cannot be parsed counts as one.',
  ingest_rejected_mem_limit_total: 'Ingest requests refused at the memory limit.',
  wal_bytes_total: 'Bytes appended to the write-ahead log.',
  wal_append_failed_total: 'Failed appends to the write-ahead log.',
  memtable_append_failed_total: 'Failed appends to the memtable.',
  ingest_quarantined_total:
    'Lines of lenient requests that were rejected and written to the file of rejects.',
  ingest_quarantine_write_failed_total:
    'Rejected lines that could not be written to the file of rejects.',
  cas_sync_total: 'Writes of content-addressed metadata.',
  cas_sync_failed_total: 'Failed writes of content-addressed metadata.',
  cas_sync_seconds_total: 'Seconds spent writing content-addressed metadata.',
  query_compile_attempts_total: 'Statements given to the compiled engine: success + fallback.',
  query_compile_success_total: 'Statements that the compiled engine took.',
  query_compile_fallback_total: 'Statements that fell back to the interpreter.',
  query_compile_unsupported_total:
    'Fallbacks for a construct that the compiled engine does not support.',
  query_compile_series_not_found_total: 'Compiled statements whose selector matched nothing.',
  query_compile_ambiguous_selector_total: 'Compiled statements whose selector matched too much.',
  query_compile_shadow_mismatch_total: 'Compiled answers that differed from interpreted ones.',
  cas_shadow_mismatch_total: 'Differences between the manifest log and the commit.',
} as const;

/**
 * What the engine holds in memory, part by part, and its limit: `memory` in `/status`.
 * `memory_used_bytes` is the sum of those behind it.
 */
export const memoryMetrics = {
  memory_limit_bytes: 'The setting `memory_limit_bytes`.',
  memory_used_bytes: 'Bytes of all the parts below, which the limit is for.',
  memory_memtable_bytes:
    'Samples in memory, with flushed ones that a query still reads or that are being freed.',
  memory_request_bytes: 'Ingest requests that are parsed or wait for the log.',
  memory_index_bytes: 'The index of series: names, labels, and which series have them.',
  memory_annotation_bytes: 'Annotations.',
  memory_tombstone_bytes: 'Deletions whose samples are still in a file or in memory, and masked.',
  memory_segment_bytes: 'What is known of segments without a look into their files.',
  memory_commit_bytes: 'The list of segments, and where the objects of commits lie.',
  memory_line_bytes: 'The cache of lines that the ingest parser knows.',
  memory_past_bytes: 'The indexes of states of the past that are open, for `as_of` and undelete.',
  memory_query_bytes: 'What queries hold that run, or whose answers are being read.',
} as const;

/** What the index of series holds, part by part: `index` in `/status`. */
export const indexMetrics = {
  index_table_bytes: 'Of the index: where identities and ids of series are looked up.',
  index_series_bytes: 'Of the index: the id, the name and the labels of each series, as numbers.',
  index_bounds_bytes: 'Of the index: the first and the last time of each series.',
  index_posting_bytes: 'Of the index: which series have a name or a label.',
  index_text_bytes: 'Of the index: names, labels and descriptors as texts.',
  index_label_bytes: 'Of the index: what else is known of names and labels, and their orders.',
} as const;

/** Further figures of the engine, shown by `/metrics` only. */
export const engineMetrics = {
  memtable_samples: 'Samples held in memory that are not in a segment yet.',
  request_bytes: 'Bytes held by ingest requests in progress.',
  flush_failed_total: 'Flushes that failed; each is tried again.',
  index_generations_total:
    'Times that the index was made anew without series that have lost all samples.',
  compactions_total: 'Merges of segments that were carried out.',
  compaction_failed_total: 'Merges of segments that failed; each is tried again.',
  compaction_read_bytes_total: 'Bytes of the segments that were merged.',
  compaction_written_bytes_total: 'Bytes of the segments that merges made.',
  compaction_seconds_total: 'Seconds that merges took, rests included.',
  compaction_without_room_bytes:
    'Bytes that the next merge would write, for which the disk has no room; 0 while none waits.',
  retention_clock_seconds:
    'The time that retention believes, in seconds since 1970; 0 while it has none.',
  retention_jump_total:
    'Times that the clock of retention went ahead by more than two days at once.',
  retention_deferred_total:
    'Segments past their keep that a pass of retention left for a later one.',
  retention_dropped_segments_total: 'Segments that retention removed whole.',
  retention_dropped_bytes_total: 'Bytes that retention removed.',
  retention_dropped_samples_total: 'Samples that retention removed.',
  wal_sync_total: 'Syncs of the write-ahead log.',
  wal_disk_bytes: 'Bytes of the files of the write-ahead log.',
  wal_torn_tails_total: 'Torn ends of the write-ahead log that recovery cut off.',
  ingest_inexact_total: 'Values stored as the nearest double of an integer that no double equals.',
  ingest_unit_suspect_total:
    'Samples more than 50 years from now, and within 20 years in another unit of time.',
  legacy_ingest_lines_total: 'Ingest lines of the legacy form, series and tags.',
  range_queries_total: 'Range queries.',
  compare_queries_total: 'Comparisons of two windows.',
  annotation_queries_total: 'Searches for annotations.',
  removals_total: 'Deletions of samples that were carried out.',
  tombstones: 'Deletions whose samples are still in a file or in memory, and masked.',
  annotations: 'Annotations recorded, changes and deletions among them.',
  annotation_bytes: 'Bytes of the annotations in memory.',
  series: 'Series with at least one sample.',
  series_room_bytes:
    'Bytes that new series may still take in memory; at 0 they are refused, and known series are stored.',
  series_refused_total:
    'Records of new series that were refused because memory had no room for them.',
  index_bytes: 'Bytes of the series index in memory.',
  writes_blocked: '1 while the storage cannot take writes, else 0.',
  segments: 'Segment files.',
  segment_bytes: 'Bytes of all segment files.',
  segment_samples: 'Samples in all segment files.',
  segment_oldest_seconds:
    'The oldest timestamp in a segment file, in seconds since 1970; 0 while there is none.',
  history_commits: 'Commits before the last one that can be read.',
  history_bytes: 'Bytes on the disk that only they keep.',
  history_oldest_seconds: 'When the oldest of them was made, in seconds since 1970; 0 is none.',
  snapshots: 'Names that keep a state of the database.',
  segments_quarantined: 'Segment files that are damaged: not read, and left in their place.',
  segments_damaged:
    'Open segment files in which a read met a damaged chunk: queries that need it answer 503.',
  lock_queue_waits_total: "Times a thread waited for the lock of the committer's queue.",
  lock_queue_wait_seconds_total: 'Seconds that these waits took.',
  lock_memtable_waits_total: 'Times a thread waited for the lock of a memtable.',
  lock_memtable_wait_seconds_total: 'Seconds that these waits took.',
  lock_index_waits_total: 'Times a thread waited for the lock of the series index as it is now.',
  lock_index_wait_seconds_total: 'Seconds that these waits took.',
  lock_generation_waits_total: 'Times a thread waited to learn which index is the present one.',
  lock_generation_wait_seconds_total: 'Seconds that these waits took.',
  lock_view_waits_total: 'Times a thread waited to learn what can be read now.',
  lock_view_wait_seconds_total: 'Seconds that these waits took.',
  lock_limits_waits_total: 'Times a thread waited to learn the limits in force.',
  lock_limits_wait_seconds_total: 'Seconds that these waits took.',
} as const;

/** Those of them that say what is stored, and where; `/status` shows them, too. */
export const storedFigures = [
  ...(['series', 'memtable_samples', 'segments', 'segment_samples', 'segment_bytes'] as const),
  ...(['segments_quarantined', 'segments_damaged', 'tombstones'] as const),
  ...(['history_bytes', 'snapshots'] as const),
  ...(['wal_disk_bytes', 'wal_sync_total', 'writes_blocked'] as const),
] as const satisfies readonly (keyof typeof engineMetrics)[];

/**
 * Every kind of reason for which the database or the server is degraded: the topics of `Health` in
 * `native/`, damaged chunks, and connections. Each has a sample at any time.
 */
export const degradedKinds = [
  'commits',
  'compaction',
  'connections',
  'damaged_chunk',
  'damaged_segment',
  'disk',
  'flush',
  'ledger',
  'refs',
  'retention',
  'retention_beside_damage',
  'room_for_compaction',
  'rotate',
  'segments',
  'series',
  'write',
] as const;
