/** DuckDB with one file, inside the querying process. */
import { columnsOf } from './columns.js';
import { duckdbSql } from './duckdb-sql.js';
import { embedded, startInside } from './embedded.js';
import { versionOfPackage } from './inside/packages.js';
import { asksAt, type Peer } from './peer.js';

export const duckdb: Peer = {
  ...embedded,
  name: 'DuckDB',
  origin: 'npm run build, where it has a binary',
  version: () =>
    Promise.resolve(versionOfPackage('clients', 'require("@duckdb/node-api").version()')),
  start: async (folder) => startInside('duckdb', folder),
  takes: { line: { path: '/insert', body: columnsOf } },
  // Its table has one column per field.
  takesNot: 'one field',
  asks: asksAt('/query', duckdbSql),
};
