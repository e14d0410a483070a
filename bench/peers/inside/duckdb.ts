/**
 * DuckDB over one file. Each HTTP connection has its own connection, prepared statements and
 * appender from the Node.js package.
 */
import path from 'node:path';

import { kTable, type Prepared } from '../duckdb-sql.js';
import { columnsIn } from '../columns.js';

import type { Engine, Session } from './engine.js';
import { packageOf } from './packages.js';

/** The used part of the package. */
interface Duckdb {
  readonly DuckDBInstance: { create(file: string): Promise<Instance> };
  readonly DuckDBTimestampValue: new (micros: bigint) => object;
}
interface Instance {
  connect(): Promise<Connection>;
  closeSync(): void;
}
interface Connection {
  run(sql: string): Promise<unknown>;
  prepare(sql: string): Promise<Statement>;
  createAppender(table: string): Promise<Appender>;
  closeSync(): void;
}
interface Statement {
  bindVarchar(at: number, value: string): void;
  bindTimestamp(at: number, value: object): void;
  runAndReadAll(): Promise<{ columnNames(): string[]; getRowsJson(): unknown[][] }>;
}
interface Appender {
  appendTimestamp(value: object): void;
  appendVarchar(value: string): void;
  appendDouble(value: number): void;
  endRow(): void;
  flushSync(): void;
}

/** The most statements that a connection remembers. */
const kStatements = 100;

const { DuckDBInstance, DuckDBTimestampValue } = packageOf('duckdb') as Duckdb;
const momentOf = (ms: number): object => new DuckDBTimestampValue(BigInt(ms) * 1000n);

export async function openDuckdb(folder: string): Promise<Engine> {
  const instance = await DuckDBInstance.create(path.join(folder, 'bench.duckdb'));
  const first = await instance.connect();
  await first.run(kTable);
  return {
    settle: async () => {
      await first.run('CHECKPOINT');
    },
    session: async () => sessionOf(await instance.connect()),
    close: () => {
      first.closeSync();
      instance.closeSync();
    },
  };
}

function sessionOf(connection: Connection): Session {
  const known = new Map<string, Statement>();
  let appender: Promise<Appender> | undefined;
  return {
    query: async (text) => {
      const { sql, values } = JSON.parse(text) as Prepared;
      const statement = known.get(sql) ?? (await connection.prepare(sql));
      if (known.size < kStatements) known.set(sql, statement);
      return answerOf(statement, values);
    },
    insert: async (body) => {
      appender ??= connection.createAppender('cpu');
      append(await appender, body);
    },
  };
}

async function answerOf(statement: Statement, values: Prepared['values']): Promise<string> {
  for (const [at, value] of values.entries()) {
    if (typeof value === 'string') statement.bindVarchar(at + 1, value);
    else statement.bindTimestamp(at + 1, momentOf(value));
  }
  const reader = await statement.runAndReadAll();
  const meta = reader.columnNames().map((name) => ({ name }));
  return JSON.stringify({ meta, data: reader.getRowsJson() });
}

/** Durable when this returns, since a flush commits. */
function append(appender: Appender, body: Buffer): void {
  const { hosts, hostOf, ts, fields } = columnsIn(body);
  for (let row = 0; row < ts.length; row++) {
    appender.appendTimestamp(momentOf(ts[row] ?? 0));
    for (const label of hosts[hostOf[row] ?? 0] ?? []) appender.appendVarchar(label);
    for (const values of fields) appender.appendDouble(values[row] ?? 0);
    appender.endRow();
  }
  appender.flushSync();
}
