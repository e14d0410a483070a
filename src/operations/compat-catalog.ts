/** Metrics and labels as relations, for those who think in tables. From the index, streamed. */

import { catalogAttributes, findMetrics } from './discovery.js';

import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** The type of each column of a metric; the storage names them in its rows of attributes. */
const types = [
  { name: 'timestamp', meaning: 'a signed 64-bit integer in the unit of the database' },
  { name: 'double', meaning: 'a double as IEEE 754 has it' },
  { name: 'label', meaning: 'text, absent where a series has no such label' },
];

export function compatCatalog(storage: SeriesStore): ByteStream {
  const namespaces = JSON.stringify([{ name: 'metrics' }]);
  return joined([
    `{"namespaces":${namespaces},"types":${JSON.stringify(types)},"classes":`,
    findMetrics(storage, { prefix: undefined, labels: undefined, limit: undefined }),
    ',"attributes":',
    catalogAttributes(storage),
    '}',
  ]);
}

/** One stream of texts and streams. */
function joined(parts: readonly (string | ByteStream)[]): ByteStream {
  const rest = [...parts];
  return {
    async next() {
      for (;;) {
        const part = rest[0];
        if (part === undefined) return null;
        if (typeof part === 'string') {
          rest.shift();
          return Buffer.from(part);
        }
        const piece = await part.next();
        if (piece !== null) return piece;
        part.close();
        rest.shift();
      }
    },
    close() {
      for (const part of rest.splice(0)) if (typeof part !== 'string') part.close();
    },
  };
}
