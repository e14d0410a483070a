/** A board of the server's own metrics, for databases that store them. */

import type { NewBoard } from '../data/boards.js';

const range = { over: 'range' };
const promql = (title: string, statement: string) => ({
  ...{ title, statement, language: 'promql', options: range },
});

export const serverBoard: NewBoard = {
  name: 'This server',
  range: '6h',
  refresh: '10s',
  panels: [
    promql('Samples stored per second', 'sum by (instance) (rate({"seriesdb_ingest_total"}[5m]))'),
    promql(
      'Requests per second by status',
      'sum by (status) (rate({"seriesdb_http_requests_total"}[5m]))',
    ),
    promql(
      'Request duration, p99',
      'histogram_quantile(0.99, sum by (le) (rate({"seriesdb_http_request_duration_seconds_bucket"}[5m])))',
    ),
    promql(
      'fsync p99',
      'histogram_quantile(0.99, sum by (le) (rate({"seriesdb_stage_duration_seconds_bucket", stage="wal_sync"}[5m])))',
    ),
    promql(
      'Event-loop delay p99',
      'histogram_quantile(0.99, sum by (le) (rate({"seriesdb_event_loop_delay_seconds_bucket"}[5m])))',
    ),
    promql('CPU (1 core = 1)', 'rate({"process_cpu_seconds_total"}[5m])'),
    promql('Resident memory', '{"process_resident_memory_bytes"}'),
    promql('Series', '{"seriesdb_series"}'),
    promql('Segments on disk', '{"seriesdb_segment_bytes"}'),
    promql('Degraded, by reason', 'sum by (reason) ({"seriesdb_degraded"})'),
  ],
};
