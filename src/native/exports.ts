/** What the addon exports, by name. */

/** The shape that the test holds against the binary. */
export const nativeExports = {
  addon: ['facts', 'freeBuffer', 'math', 'narrowConnections', 'openEngine', 'openReport'],
  engine: [
    'beginDecoder',
    'beginIngest',
    'change',
    'close',
    'configure',
    'maintain',
    'openAnswer',
    'openQuery',
    'prepareQuery',
    'stats',
  ],
  ingest: ['abort', 'again', 'commit', 'write'],
  jsonReader: ['close', 'next'],
  queryReader: ['close', 'next', 'stats'],
  prepared: ['answer'],
  decoder: ['close', 'decode'],
} as const;
