/** The names of the addon's exports. */

/** The test compares this with the binary. */
export const nativeExports = {
  addon: [
    'copyDescriptor',
    'facts',
    'freeBuffer',
    'joinEngine',
    'makeStore',
    'math',
    'narrowConnections',
    'openEngine',
    'openReport',
    'sendNow',
    'unconfirmedBytes',
  ],
  engine: [
    'beginDecoder',
    'beginIngest',
    'change',
    'close',
    'configure',
    'holdUnread',
    'maintain',
    'openAnswer',
    'openQuery',
    'prepareQuery',
    'share',
    'stats',
  ],
  ingest: ['abort', 'again', 'commit', 'write'],
  jsonReader: ['close', 'next'],
  queryReader: ['close', 'next', 'stats'],
  prepared: ['answer'],
  decoder: ['close', 'decode'],
  store: ['close', 'settle', 'share', 'take'],
} as const;
