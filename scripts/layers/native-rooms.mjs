// The include rules of C++ rooms; ARCHITECTURE.md explains them. A room may include itself and the
// rooms or files in its row. `wing/**` means all rooms of that wing.

import { rowsBelow } from './rows-below.mjs';

// What the addon may include, with the values that cross the engine's interface.
const addon = [
  ...['bucket/store', 'shipping/bucket_options.h', 'shipping/shipping.h'],
  ...['common/**', 'format/codec', 'format/annotation', 'query/**', 'maintenance/**'],
  ...['ingest/format', 'storage/intake', 'storage/engine/engine.h'],
  'storage/engine/open_engine.h',
  ...['storage/engine/shared_engines.h', 'storage/state/engine_options.h'],
  ...['storage/state/free_memory.h', 'storage/state/lane.h', 'storage/state/reader_turns.h'],
  ...['storage/state/memory_use.h', 'storage/state/stage_times.h', 'storage/write/write_values.h'],
  ...['storage/compactor/collection.h', 'storage/compactor/migration.h'],
  'storage/compactor/task_watch.h',
];

// Wings and their layers from the lowest up. No room includes a higher one.
export const nativeRooms = {
  // Bytes, files, the processor, and small domain types.
  'common/base': [],
  'common/digest': ['common/base'],
  'common/encoding': ['common/base'],
  'common/protobuf': ['common/base'],
  'common/file': ['common/base', 'common/digest'],
  'common/types': ['common/base', 'common/digest', 'common/file/file_system.h'],
  // File formats, one room per kind of file.
  'format/codec': ['common/**'],
  'format/log': ['common/**'],
  'format/annotation': ['common/**', 'format/log'],
  // Parts of commits: trees, and the REFS log that holds them.
  'format/objects': ['common/**', 'format/log'],
  'format/segment': ['common/**', 'format/codec'],
  'format/manifest': ['common/**', 'format/log', 'format/segment'],
  // A database in an object store. First the door to the store, then the chains of objects.
  'bucket/store': ['common/base', 'common/digest'],
  bucket: ['common/**', 'format/log', 'bucket/store'],
  // Series and labels in memory, and CATALOG, which stores them on disk.
  index: ['common/**'],
  'index/catalog': ['common/**', 'format/log', 'index'],
  // Request bytes to staged columns. First the parts that formats share, then the formats, which do
  // not include each other.
  ingest: ['common/**', 'index'],
  ...rowsBelow('native', 'ingest', ['common/**', 'index', 'ingest'], ['text', 'format']),
  // The list of formats, which makes the parser of a body, and the preview of a body.
  'ingest/format': ['common/**', 'index', 'ingest/**'],
  // The database: memory, disk, writers and compaction. The choice of a compaction takes numbers
  // and returns a plan, without knowing segments.
  'storage/compaction': ['common/base', 'common/types'],
  // Retention rules and their clock, without side effects.
  'storage/retention': [
    ...['common/base', 'common/digest', 'common/types', 'storage/compaction/ladder.h'],
  ],
  'storage/memtable': ['common/**', 'format/codec', 'index'],
  'storage/view': ['common/**', 'index', 'ingest', 'storage/memtable', 'format/segment'],
  'storage/ledger': ['common/**', 'format/**', 'index', 'index/catalog'],
  'storage/state': [
    ...['common/**', 'index', 'format/log', 'format/annotation', 'ingest'],
    ...['storage/view', 'storage/ledger', 'storage/retention'],
    'storage/compaction/compaction_state.h',
  ],
  'storage/compactor': [
    ...['common/**', 'index', 'storage/memtable', 'format/segment', 'storage/compaction'],
    ...['storage/retention', 'storage/view', 'storage/ledger', 'storage/state'],
  ],
  'storage/write': [
    ...['common/**', 'index', 'index/catalog', 'format/annotation', 'ingest', 'storage/view'],
    ...['storage/ledger/manifest_holder.h', 'storage/state', 'storage/compaction/ladder.h'],
    'storage/compactor/compaction_clock.h',
  ],
  'storage/engine': [
    ...['common/**', 'format/log', 'format/manifest', 'format/segment', 'format/annotation'],
    ...['index', 'index/catalog', 'ingest'],
    ...['storage/view', 'storage/ledger', 'storage/state', 'storage/compactor', 'storage/write'],
    'bucket/bucket_file.h',
  ],
  // Incoming request bodies.
  'storage/intake': [
    ...['common/**', 'ingest', 'ingest/format', 'storage/engine/engine.h'],
    'storage/state/engine_options.h',
    ...[
      'storage/state/memory_use.h',
      'storage/state/stage_times.h',
      'storage/write/write_values.h',
    ],
  ],
  // Reads of an open database. Vector programs do not know series.
  'query/expression': ['common/base', 'common/types'],
  // Columns to text; this room does not know queries.
  'query/print': ['common/**', 'index', 'query/expression'],
  'query/samples': [
    ...['common/**', 'query/expression', 'storage/view', 'storage/engine/engine.h'],
    'storage/state/memory_use.h',
  ],
  'query/fold': ['common/**', 'query/expression', 'query/samples'],
  query: [
    ...['common/**', 'index', 'query/expression', 'storage/view', 'storage/engine/engine.h'],
    ...['storage/state/engine_options.h', 'storage/state/lane.h'],
    ...['query/samples', 'query/fold', 'query/print'],
  ],
  'query/answers': [
    ...['common/**', 'index', 'format/annotation', 'storage/view', 'query/print'],
    ...['storage/engine/engine.h', 'storage/state/lane.h', 'storage/state/stage.h'],
    ...['storage/state/engine_options.h', 'query/samples', 'query/aggregate_query.h'],
  ],
  // Series at time steps, as PromQL computes with them.
  'query/promql': [
    ...['common/**', 'query/expression/expression.h', 'index', 'storage/view', 'query/samples'],
    ...['query/print', 'storage/engine/engine.h', 'storage/state/lane.h'],
    ...['storage/state/engine_options.h', 'query/answers/json_reader.h'],
  ],
  'query/remote_read': [
    ...[
      'common/**',
      'format/codec/bit_stream.h',
      'index',
      'storage/view',
      'storage/engine/engine.h',
    ],
    ...['storage/state/engine_options.h', 'query/samples/query_memory.h'],
    'query/answers/json_reader.h',
  ],
  // Maintenance of database files.
  // Readers of all files, and the findings of a recovery.
  'maintenance/inspect': [
    ...['common/**', 'format/**', 'index/catalog', 'storage/ledger'],
    ...['storage/compaction/ladder.h', 'storage/state/engine_options.h'],
    ...['storage/compactor/segments/segment_salvage.h', 'storage/write/commit_record.h'],
  ],
  'maintenance/repair': [
    ...['common/**', 'format/segment', 'storage/ledger', 'maintenance/inspect', 'storage/view'],
    ...['storage/engine/engine.h', 'storage/engine/engine_open.h', 'query/answers/json_reader.h'],
    ...['storage/compactor/segment_repair.h', 'storage/state/engine_options.h'],
  ],
  maintenance: [
    ...['common/**', 'format/**', 'index', 'index/catalog', 'storage/ledger'],
    ...['maintenance/inspect', 'storage/view', 'storage/compactor/task_watch.h'],
    ...['storage/engine/engine.h', 'storage/engine/engine_open.h', 'storage/engine/files_now.h'],
    ...[
      'storage/state/engine_options.h',
      'storage/write/write_values.h',
      'ingest/staged_samples.h',
    ],
    ...['storage/write/missing_samples.h', 'storage/write/resolve_pending.h'],
    'query/answers/json_reader.h',
  ],
  // Backups on an object store.
  'maintenance/bucket': [
    ...['common/**', 'format/**', 'bucket', 'bucket/store/object_store.h', 'storage/ledger'],
    ...['maintenance/inspect', 'query/answers/json_reader.h', 'storage/engine/engine_open.h'],
  ],
  // A database whose home is a bucket.
  shipping: [
    ...['common/**', 'format/**', 'bucket', 'bucket/store/object_store.h', 'storage/ledger'],
    ...['maintenance/bucket', 'maintenance/inspect', 'storage/engine/engine.h'],
    ...['storage/state/engine_options.h', 'storage/state/log_copy.h', 'storage/state/health.h'],
  ],
  // The addon, and the reading of JavaScript's arguments.
  'binding/arguments': [...addon, 'binding/names.h', 'binding/batches/lent_arrays.h'],
  binding: [...addon, 'binding/arguments'],
};
