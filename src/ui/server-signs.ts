/** The warnings of docs/observability.md: a sentence for each condition that holds. */

import { figureOf, risen, type Between } from './exposition.js';

type SignPlace = 'writes' | 'stored' | 'memory' | 'log' | 'process';

interface SignRow {
  readonly place: SignPlace;
  readonly sentence: string;
  readonly holds: (between: Between) => boolean;
}

/** From contrib/prometheus/alerts.yml, like the limits below. */
const kMemoryShare = 0.9;
const kSegmentsMax = 32_768;
export const slowSyncSeconds = 0.5;
export const slowLoopSeconds = 0.25;

const rows: readonly SignRow[] = [
  {
    place: 'writes',
    sentence: 'Writes are refused.',
    holds: ({ now }) => figureOf(now, 'seriesdb_writes_blocked') > 0,
  },
  {
    place: 'writes',
    sentence: 'Ingest reached the memory limit.',
    holds: (between) => risen(between, 'seriesdb_ingest_rejected_mem_limit_total') > 0,
  },
  {
    place: 'memory',
    sentence: 'Memory is nearly at its limit.',
    holds: ({ now }) =>
      figureOf(now, 'seriesdb_memory_used_bytes') >
      kMemoryShare * figureOf(now, 'seriesdb_memory_limit_bytes'),
  },
  {
    place: 'memory',
    sentence: 'New series are refused: memory has no room for them.',
    holds: (between) => risen(between, 'seriesdb_series_refused_total') > 0,
  },
  {
    place: 'stored',
    sentence: 'Flushes fail: memory and WAL grow.',
    holds: (between) => risen(between, 'seriesdb_flush_failed_total') > 0,
  },
  {
    place: 'stored',
    sentence: 'Segments are not merged.',
    holds: (between) => risen(between, 'seriesdb_compaction_failed_total') > 0,
  },
  {
    place: 'stored',
    sentence: 'There are many small segments; at 131,072 flushes stop.',
    holds: ({ now }) => figureOf(now, 'seriesdb_segments') > kSegmentsMax,
  },
  {
    place: 'stored',
    sentence: 'Some files are damaged: run seriesdb repair.',
    holds: ({ now }) =>
      figureOf(now, 'seriesdb_segments_quarantined') + figureOf(now, 'seriesdb_segments_damaged') >
      0,
  },
];

export function signsOf(place: SignPlace, between: Between): readonly string[] {
  return rows
    .filter((row) => row.place === place && row.holds(between))
    .map(({ sentence }) => sentence);
}
