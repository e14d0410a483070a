/** chDB: ClickHouse without its server. It shares table, SQL and formats. */
import path from 'node:path';

import { clickhouseSql, kInsert, kSettle, kOfChdb } from '../clickhouse-sql.js';

import type { Engine } from './engine.js';
import { packageOf } from './packages.js';

/** The used part of the package. */
interface Chdb {
  readonly Session: new (folder: string) => {
    query(text: string, format?: string): string;
    queryAsync(text: string, options: { format: string }): Promise<{ text(): string }>;
    close(): void;
  };
}

export function openChdb(folder: string): Engine {
  const { Session } = packageOf('chdb') as Chdb;
  const session = new Session(path.join(folder, 'data'));
  session.query(clickhouseSql(kOfChdb).table);
  const run = (text: string): Promise<void> => Promise.resolve(void session.query(text));
  return {
    settle: () => run(kSettle),
    session: () =>
      Promise.resolve({
        query: async (text) => (await session.queryAsync(text, { format: 'JSONCompact' })).text(),
        insert: (body) => run(`${kInsert}\n${body.toString('latin1')}`),
      }),
    close: () => {
      session.close();
    },
  };
}
