/**
 * Every metric of the engine and of queries, with its help text in `/metrics`. Metrics of the
 * server and the process are declared where they are read: `operations/metrics.ts` and
 * `process-metrics.ts`. docs/metrics.md is generated from the three.
 *
 * The specification fixes the first two tables and their order. `/status` shows these and the third
 * under the same names; `/metrics` adds the prefix. A name that ends in `_total` is a counter.
 */

export const kMetricPrefix = 'seriesdb_';

export const compatibilityMetrics = {
  legacy_segment_descriptors: 'Segments without a hash, or not named by a commit.',
  legacy_wal_descriptors:
    'Closed WAL files that outlived the last publication and are not named by a commit.',
  loose_refs_present: 'Refs that are loose files rather than packed.',
} as const;

export const runtimeMetrics = {
  queue_depth: 'Ingest requests waiting for the write-ahead log.',
  memtable_bytes: 'Bytes of samples in the memtables.',
  flush_total: 'Flushes of memtables to segments.',
  flush_points_total: 'Samples written by flushes.',
  flush_seconds_total: 'Seconds spent in flushes.',
  wal_append_total: 'Records appended to the write-ahead log.',
  wal_append_seconds_total: 'Seconds spent appending to the write-ahead log.',
  ingest_total: 'Samples stored.',
  ingest_rejected_total: 'Samples refused; a line that cannot be parsed counts as one.',
  unread_answers_cut_total: 'Unread answers that were cut because others needed the memory.',
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
  query_compile_success_total: 'Statements that the compiled engine ran.',
  query_compile_fallback_total: 'Statements that fell back to the interpreter.',
  query_compile_unsupported_total:
    'Fallbacks for a construct that the compiled engine does not support.',
  query_compile_series_not_found_total: 'Compiled statements whose selector matched nothing.',
  query_compile_ambiguous_selector_total: 'Compiled statements whose selector matched too much.',
  query_compile_shadow_mismatch_total: 'Compiled answers that differed from interpreted ones.',
  cas_shadow_mismatch_total: 'Differences between the manifest log and the commit.',
} as const;

/**
 * Memory of the engine by part, and its limit: `memory` in `/status`. `memory_used_bytes` is the
 * sum of the entries after it.
 */
export const memoryMetrics = {
  memory_limit_bytes: 'The setting `memory_limit_bytes`.',
  memory_used_bytes: 'Sum of the parts below; `memory_limit_bytes` limits it.',
  memory_memtable_bytes:
    'Memtables, including flushed ones that a query still reads or that are being freed.',
  memory_request_bytes: 'Ingest requests being parsed or waiting for the write-ahead log.',
  memory_index_bytes: 'The series index: names, labels, and posting lists.',
  memory_annotation_bytes: 'Annotations.',
  memory_tombstone_bytes:
    'Deletions whose samples are still in a segment or memtable, where they are masked.',
  memory_segment_bytes: 'Metadata of segments held in memory.',
  memory_commit_bytes: 'The list of segments, and the positions of the objects of commits.',
  memory_line_bytes:
    'The frame cache, lines that the ingest parser knows, and its scratch of one line.',
  memory_past_bytes: 'Indexes of open past states, for `as_of` and undelete.',
  memory_query_bytes: 'Memory of running queries, and of answers that clients have not read.',
} as const;

/** Memory of the series index by part: `index` in `/status`. */
export const indexMetrics = {
  index_table_bytes: 'Part of the index: lookup tables of series identities and ids.',
  index_series_bytes: 'Part of the index: id, name and labels of each series, as numbers.',
  index_bounds_bytes: 'Part of the index: first and last time of each series.',
  index_posting_bytes: 'Part of the index: posting lists of names and labels.',
  index_text_bytes: 'Part of the index: texts of names, labels and descriptors.',
  index_label_bytes: 'Part of the index: other data of names and labels, and their sort orders.',
} as const;

/** Further figures of the engine; only `/metrics` shows them. */
export const engineMetrics = {
  memtable_samples: 'Samples in memtables that are not in a segment yet.',
  request_bytes: 'Bytes held by ingest requests in progress.',
  flush_failed_total: 'Failed flushes; each is retried.',
  index_generations_total: 'Rebuilds of the index without series that have lost all samples.',
  compactions_total: 'Completed compactions.',
  compaction_failed_total: 'Failed compactions; each is retried.',
  compaction_read_bytes_total: 'Bytes of segments read by compactions.',
  compaction_written_bytes_total: 'Bytes of segments written by compactions.',
  compaction_seconds_total: 'Seconds spent in compactions, including pauses.',
  compaction_without_room_bytes:
    'Bytes that the next compaction would write but the disk has no room for; 0 while none waits.',
  retention_clock_seconds: 'Retention’s clock, in seconds since 1970; 0 while it has none.',
  retention_jump_total: 'Jumps of retention’s clock by more than two days.',
  retention_deferred_total: 'Expired segments that a retention pass left to a later pass.',
  retention_dropped_segments_total: 'Segments that retention removed whole.',
  retention_dropped_bytes_total: 'Bytes that retention removed.',
  retention_dropped_samples_total: 'Samples that retention removed.',
  wal_sync_total: 'Syncs of the write-ahead log.',
  wal_disk_bytes: 'Bytes of all files of the write-ahead log.',
  wal_torn_tails_total: 'Torn tails of the write-ahead log that recovery cut.',
  ingest_inexact_total: 'Integers that no double equals, stored as the nearest double.',
  ingest_unit_suspect_total:
    'Samples more than 50 years from now that would be within 20 years in another time unit.',
  legacy_ingest_lines_total: 'Ingest lines of the legacy form, series and tags.',
  range_queries_total: 'Range queries.',
  compare_queries_total: 'Comparisons of two windows.',
  annotation_queries_total: 'Searches for annotations.',
  removals_total: 'Completed deletions of samples.',
  tombstones: 'Deletions whose samples are still in a segment or memtable, where they are masked.',
  annotations: 'Recorded annotations, including changes and deletions.',
  annotation_bytes: 'Bytes of the annotations in memory.',
  series: 'Series with at least one sample.',
  series_room_bytes:
    'Bytes of memory left for new series; at 0 new series are refused, and samples of known series are stored.',
  series_refused_total: 'Records of new series refused for lack of memory.',
  index_bytes: 'Bytes of the series index in memory.',
  writes_blocked: '1 while the storage cannot accept writes, else 0.',
  segments: 'Segment files.',
  segment_bytes: 'Bytes of all segment files.',
  segment_samples: 'Samples in all segment files.',
  segment_oldest_seconds:
    'The oldest timestamp in a segment file, in seconds since 1970; 0 while there is none.',
  history_commits: 'Readable commits before the last one.',
  history_bytes: 'Bytes on disk kept only for these commits.',
  history_oldest_seconds:
    'Time of the oldest of these commits, in seconds since 1970; 0 if there is none.',
  snapshots: 'Snapshots.',
  segments_quarantined: 'Damaged segment files: not read, and left in place.',
  segments_damaged:
    'Open segment files in which a read met a damaged chunk; queries that need it answer 503.',
  lock_queue_waits_total: 'Waits for the lock of the committer’s queue.',
  lock_queue_wait_seconds_total: 'Seconds of these waits.',
  lock_memtable_waits_total: 'Waits for the lock of a memtable.',
  lock_memtable_wait_seconds_total: 'Seconds of these waits.',
  lock_index_waits_total: 'Waits for the lock of the current series index.',
  lock_index_wait_seconds_total: 'Seconds of these waits.',
  lock_generation_waits_total: 'Waits for the lock of the pointer to the current index.',
  lock_generation_wait_seconds_total: 'Seconds of these waits.',
  lock_view_waits_total: 'Waits for the lock of the current view.',
  lock_view_wait_seconds_total: 'Seconds of these waits.',
  lock_limits_waits_total: 'Waits for the lock of the current limits.',
  lock_limits_wait_seconds_total: 'Seconds of these waits.',
} as const;

/** Of a database on a bucket, else absent; bucket-status.ts has the engine's figures. */
export const bucketMetrics = {
  bucket_epoch: 'Claims of the bucket up to this server’s own.',
  bucket_entry: 'Number of the newest entry of the bucket that this server wrote.',
  bucket_groups_total: 'Groups of the write-ahead log that the bucket took.',
  bucket_lag_seconds: 'Age of the oldest write that the bucket lacks; 0 if it has all.',
  bucket_unshipped_bytes: 'Bytes of the write-ahead log that the bucket lacks.',
  bucket_shipped_bytes_total: 'Bytes of the write-ahead log that the bucket took.',
  bucket_published_age_seconds: 'Time since the last publication of the database’s state.',
  bucket_fenced: '1 if another server owns the bucket and this one takes no writes, else 0.',
  bucket_waiting: 'Writes that wait for the bucket.',
  bucket_unavailable_total: 'Writes answered 503 because the bucket did not take them in time.',
} as const;

/** The engine metrics about stored data; `/status` shows them, too. */
export const storedFigures = [
  ...(['series', 'memtable_samples', 'segments', 'segment_samples', 'segment_bytes'] as const),
  ...(['segments_quarantined', 'segments_damaged', 'tombstones'] as const),
  ...(['history_bytes', 'snapshots'] as const),
  ...(['wal_disk_bytes', 'wal_sync_total', 'writes_blocked'] as const),
] as const satisfies readonly (keyof typeof engineMetrics)[];

/**
 * Every kind of reason for a degraded database or server: the topics of `Health` in `native/`,
 * damaged chunks, and connections. `/metrics` always has a sample of each.
 */
export const degradedKinds = [
  'bucket',
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
