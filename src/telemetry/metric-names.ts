/**
 * Every metric that the specification names, in its order, with the words that `/metrics` prints.
 * `/status` shows the same numbers under the same names; `/metrics` adds the prefix.
 */

export const kMetricPrefix = 'seriesdb_';

export const compatibilityMetrics = {
  legacy_segment_descriptors: 'Segments that only the manifest log describes.',
  legacy_wal_descriptors: 'Closed WAL files that only the manifest log describes.',
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
  ingest_rejected_total: 'Samples refused.',
  ingest_rejected_mem_limit_total: 'Ingest requests refused at the memory limit.',
  wal_bytes_total: 'Bytes appended to the write-ahead log.',
  wal_append_failed_total: 'Failed appends to the write-ahead log.',
  memtable_append_failed_total: 'Failed appends to the memtable.',
  ingest_quarantined_total: 'Samples set aside in the quarantine file.',
  ingest_quarantine_write_failed_total: 'Failed writes to the quarantine file.',
  cas_sync_total: 'Writes of content-addressed metadata.',
  cas_sync_failed_total: 'Failed writes of content-addressed metadata.',
  cas_sync_seconds_total: 'Seconds spent writing content-addressed metadata.',
  query_compile_attempts_total: 'Queries given to the compiler.',
  query_compile_success_total: 'Queries that the compiler took.',
  query_compile_fallback_total: 'Queries that fell back to the interpreter.',
  query_compile_unsupported_total: 'Queries with a construct the compiler does not support.',
  query_compile_series_not_found_total: 'Compiled queries whose selector matched nothing.',
  query_compile_ambiguous_selector_total: 'Compiled queries whose selector matched too much.',
  query_compile_shadow_mismatch_total: 'Compiled answers that differed from interpreted ones.',
  cas_shadow_mismatch_total: 'Differences between the manifest log and the commit.',
} as const;
