/** Metrics and labels as relations, streamed from the index. */

import { catalogAttributes, findMetrics } from './discovery.js';

import type { ByteStream, SeriesStore } from '../storage/storage.js';

/** The type of each column of a metric; the storage names them in its rows of attributes. */
const types = [
  { name: 'timestamp', meaning: 'a signed 64-bit integer in the unit of the database' },
  { name: 'double', meaning: 'an IEEE 754 double' },
  { name: 'label', meaning: 'text; absent if a series lacks the label' },
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

/** Joins texts and streams into one stream. */
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
