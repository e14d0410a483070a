/** What the addon exports, by name. */

/** The shape that the test holds against the binary. */
export const nativeExports = {
  addon: ['facts', 'freeBuffer', 'math', 'narrowConnections', 'openEngine', 'openReport'],
  engine: [
    'beginIngest',
    'beginZstd',
    'change',
    'close',
    'configure',
    'maintain',
    'openAnswer',
    'openQuery',
    'stats',
  ],
  ingest: ['abort', 'commit', 'write'],
  jsonReader: ['close', 'next'],
  queryReader: ['close', 'next', 'stats'],
  zstd: ['close', 'decode'],
} as const;
