/** chDB: current ClickHouse inside the querying process. */
import { clickhouseSql, kOfChdb } from './clickhouse-sql.js';
import { csvOf } from './csv.js';
import { embedded, startInside } from './embedded.js';
import { versionOfPackage } from './inside/packages.js';
import { asksAt, type Peer } from './peer.js';

export const chdb: Peer = {
  ...embedded,
  name: 'chDB',
  origin: 'npm install --prefix build/peers chdb@3.4.0',
  version: () => {
    const said = versionOfPackage('peers', 'require("chdb").version().libchdb');
    return Promise.resolve(said === null ? null : `ClickHouse ${said.replaceAll('"', '')}`);
  },
  start: async (folder) => startInside('chdb', folder),
  takes: { line: { path: '/insert', body: csvOf } },
  asks: asksAt('/query', clickhouseSql(kOfChdb).words),
};
