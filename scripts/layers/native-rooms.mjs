// Who may include whom in C++; ARCHITECTURE.md tells the same in words. A row may include itself,
// the rows or single files named, and with `wing/**` all rooms of that wing.

// Wing by wing and floor by floor, from the lowest: none includes what stands above it.
export const nativeRooms = {
  // Bytes, files, processor, and the small values of the domain.
  'common/base': [],
  'common/digest': ['common/base'],
  'common/encoding': ['common/base'],
  'common/protobuf': ['common/base'],
  'common/file': ['common/base', 'common/digest'],
  'common/types': ['common/base', 'common/digest', 'common/file/file_system.h'],
  // What lies on disk, one room for each kind of file.
  'format/codec': ['common/**'],
  'format/log': ['common/**'],
  'format/annotation': ['common/**', 'format/log'],
  // What commits are made of: trees, and the log of refs that holds them.
  'format/objects': ['common/**', 'format/log'],
  'format/segment': ['common/**', 'format/codec'],
  'format/manifest': ['common/**', 'format/log', 'format/segment'],
  // Series and their labels in memory, and CATALOG, which holds them on disk.
  index: ['common/**'],
  'index/catalog': ['common/**', 'format/log', 'index'],
  // Bytes of requests to staged columns: what formats share, and above it the formats, which know
  // nothing of one another.
  ingest: ['common/**', 'index'],
  'ingest/ndjson': ['common/**', 'index', 'ingest'],
  'ingest/line_protocol': ['common/**', 'index', 'ingest'],
  'ingest/csv': ['common/**', 'index', 'ingest'],
  'ingest/remote_write': ['common/**', 'ingest'],
  'ingest/otlp': ['common/**', 'ingest'],
  // The database: what is in memory and on disk, who writes it, who merges it. The choice of a
  // compaction has numbers in and a plan out: it need not know what a segment is.
  'storage/compaction': ['common/base', 'common/types'],
  // The rules, and the time that they believe; pure.
  'storage/retention': [
    ...['common/base', 'common/digest', 'common/types', 'storage/compaction/ladder.h'],
  ],
  'storage/memtable': ['common/**', 'format/codec', 'index'],
  'storage/view': ['common/**', 'index', 'ingest', 'storage/memtable', 'format/segment'],
  'storage/ledger': ['common/**', 'format/**', 'index', 'index/catalog'],
  'storage/state': [
    ...['common/**', 'index', 'format/log', 'index/catalog', 'format/annotation', 'ingest'],
    ...['storage/view', 'storage/ledger', 'storage/retention'],
    'storage/compaction/compaction_state.h',
  ],
  'storage/compactor': [
    ...['common/**', 'index', 'storage/memtable', 'format/segment', 'storage/compaction'],
    ...['storage/retention', 'storage/view', 'storage/ledger', 'storage/state'],
  ],
  'storage/write': [
    ...['common/**', 'index', 'index/catalog', 'format/annotation', 'ingest', 'storage/view'],
    ...['storage/state', 'storage/compaction/ladder.h', 'storage/compactor/compaction_clock.h'],
  ],
  'storage/engine': [
    ...['common/**', 'format/log', 'format/segment', 'storage/view', 'storage/ledger'],
    ...['storage/state', 'storage/compactor', 'storage/write'],
  ],
  // Bodies of requests on their way in.
  'storage/intake': ['common/**', 'ingest/**', 'storage/engine/engine.h'],
  // Reads of an open database. Programs over vectors need not know what a series is.
  'query/expression': ['common/base', 'common/types'],
  // Columns to text: what a query is it need not know.
  'query/print': ['common/**', 'index', 'query/expression'],
  'query/samples': ['common/**', 'query/expression', 'storage/view', 'storage/engine/engine.h'],
  'query/fold': ['common/**', 'query/expression', 'query/samples'],
  query: [
    ...['common/**', 'index', 'query/expression', 'storage/view', 'storage/engine/engine.h'],
    ...['query/samples', 'query/fold', 'query/print'],
  ],
  'query/answers': [
    ...['common/**', 'index', 'format/annotation', 'storage/view', 'query/print'],
    ...['storage/engine/engine.h', 'storage/state/lane.h', 'storage/state/stage_times.h'],
    ...['query/samples/query_memory.h', 'query/aggregate_query.h'],
  ],
  // Series at steps of time, as PromQL computes with them.
  'query/promql': [
    ...['common/**', 'query/expression/expression.h', 'index', 'storage/view', 'query/samples'],
    ...['query/print', 'storage/engine/engine.h', 'storage/state/lane.h'],
    ...['storage/state/stage_times.h', 'query/answers/json_reader.h'],
  ],
  'query/remote_read': [
    ...['common/**', 'format/codec/bit_stream.h', 'index', 'storage/view/merge_cursor.h'],
    ...['storage/engine/engine.h', 'storage/state/stage_times.h', 'query/samples/query_memory.h'],
    'query/answers/json_reader.h',
  ],
  // Work on the files of a database.
  // The readers of all files, and what a recovery finds.
  'maintenance/inspect': [
    ...['common/**', 'format/**', 'index/catalog', 'storage/ledger'],
    ...['storage/compaction/ladder.h', 'storage/state/engine_options.h'],
    ...['storage/compactor/segments/segment_salvage.h', 'storage/write/commit_record.h'],
  ],
  'maintenance/repair': [
    ...['common/**', 'format/segment', 'storage/ledger', 'maintenance/inspect'],
    ...['storage/engine/engine.h', 'storage/engine/engine_open.h', 'query/answers/json_reader.h'],
  ],
  maintenance: [
    ...['common/**', 'format/**', 'index', 'index/catalog', 'storage/ledger'],
    ...['maintenance/inspect', 'storage/view/view.h', 'storage/compactor/task_watch.h'],
    ...['storage/engine/engine.h', 'storage/engine/engine_open.h', 'query/answers/json_reader.h'],
    ...['storage/view/merge_cursor.h', 'storage/write/missing_samples.h'],
    'storage/write/resolve_pending.h',
  ],
  // The addon.
  binding: [
    ...['common/**', 'format/codec', 'query/**', 'maintenance/**', 'storage/intake'],
    ...['storage/engine/engine.h', 'storage/engine/open_engine.h'],
    ...['storage/engine/shared_engines.h', 'storage/state/engine_options.h'],
    ...['storage/state/free_memory.h', 'storage/state/lane.h', 'storage/state/reader_turns.h'],
  ],
};
