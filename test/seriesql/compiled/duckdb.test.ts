/**
 * SeriesQL against SQL: the same samples and random queries in both, and the rows of either engine
 * against DuckDB's. If DuckDB has no binary for a platform, the test is skipped.
 */

import { assert } from 'chai';

import { nanoseconds } from '../../../src/common/model/timestamp-unit.js';
import { StorageQueryEngine } from '../../../src/query/seriesql/compiled/storage-engine.js';
import { AppError } from '../../../src/common/errors/app-error.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { runQuery } from '../../../src/query/seriesql/run-query.js';
import { zeroTotals } from '../../../src/query/seriesql/compile-totals.js';
import { StorageSource } from '../../../src/query/seriesql/execute/storage-source.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { SqlMaker, type PairedQuery, type World } from './sql-maker.js';

import type { Value } from '../../../src/query/values/value.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { DuckDBConnection } from '@duckdb/node-api';

type Rows = readonly (readonly unknown[])[];

interface Sample {
  readonly metric: string;
  readonly host: string | null;
  readonly dc: string | null;
  readonly time: number;
  readonly value: number;
}

const worlds = 4;
const queriesOfWorld = 80;
const kDay = 86_400_000;

const seriesOf: readonly Pick<Sample, 'metric' | 'host' | 'dc'>[] = [
  { metric: 'cpu.user', host: 'web-1', dc: 'east' },
  { metric: 'cpu.user', host: 'web-2', dc: 'west' },
  { metric: 'cpu.user', host: 'é', dc: 'east' },
  { metric: 'cpu.user', host: null, dc: null },
  { metric: 'cpu.system', host: 'web-1', dc: null },
  { metric: 'cpu.system', host: 'web-3', dc: 'east' },
  { metric: 'cpu.system', host: 'db', dc: 'south' },
];

/** In the order in which they are written: out of order, with gaps, some of them again later. */
function randomSamples(random: Random, { middle, spread }: World): readonly Sample[] {
  const samples = seriesOf.flatMap((series) => {
    const step = random.pick([1000, 10_000, 60_000, 3_600_000, kDay]);
    const start = middle + random.below(spread / 2) - spread / 2;
    const isWhole = random.chance(0.4);
    return Array.from({ length: 20 + random.below(120) }, (_, at) => {
      const jitter = random.chance(0.3) ? random.below(step) : 0;
      const value = random.unit() * 120 - 20;
      const rounded = isWhole ? Math.round(value) : Math.round(value * 100) / 100;
      return { ...series, time: start + at * step + jitter, value: rounded + 0 };
    }).filter(() => random.chance(0.9));
  });
  const again = samples.filter(() => random.chance(0.1)).map((one) => ({ ...one, value: 7.25 }));
  const shuffled = samples.map((one) => ({ one, at: random.unit() }));
  shuffled.sort((left, right) => left.at - right.at);
  return [...shuffled.map(({ one }) => one), ...again];
}

function lineOf({ metric, host, dc, time, value }: Sample): string {
  const labels = { ...(host === null ? {} : { host }), ...(dc === null ? {} : { dc }) };
  return `${JSON.stringify({ metric, labels, ts: time, value })}\n`;
}

/** Written in pieces, some flushed between, so that duplicates meet across files and memory. */
async function storageOf(random: Random, samples: readonly Sample[]): Promise<Storage> {
  const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
  for (let from = 0; from < samples.length; from += 200) {
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(
      Buffer.from(
        samples
          .slice(from, from + 200)
          .map(lineOf)
          .join(''),
      ),
    );
    await request.commit();
    if (random.chance(0.4)) await storage.flush();
  }
  return storage;
}

let fallbacks = 0;

/** The rows, or null if the selection has no series. */
async function ask(storage: Storage, text: string, mode: 'compiled' | 'legacy') {
  const source = new StorageSource(storage, 'ms', new Evaluator('ms'));
  const rows: (readonly Value[])[] = [];
  try {
    const query = await runQuery(text, {
      ...{
        source,
        mode,
        compiled: new StorageQueryEngine(storage, source),
        clock: () => nanoseconds(0n),
      },
      limits: {
        maxRows: 1e6,
        maxSeries: 1e6,
        maxSamples: 1e9,
        maxTextBytes: 2 ** 28,
        timeoutMs: 20_000,
      },
      shadow: { onMismatch: 'error', report: () => undefined },
      totals: zeroTotals(),
    });
    for await (const batch of query.rows) rows.push(...batch);
    if (query.stats().legacy_fallback) fallbacks += 1;
  } catch (error) {
    if (error instanceof AppError && error.code === 'series_not_found') return null;
    throw new Error(text, { cause: error });
  }
  return rows;
}

const create = `create or replace table written
  (seq integer, time bigint, value double, metric varchar, host varchar, dc varchar)`;

/** The last sample written for each series and time, with the storage's ids. */
const resolve = `create or replace table samples as
  select time, value, metric, series_id, host, dc from written join ids using (metric, host_key)
  qualify row_number() over (partition by series_id, time order by seq desc) = 1`;

async function fill(sql: DuckDBConnection, storage: Storage, samples: readonly Sample[]) {
  await sql.run(create);
  const appender = await sql.createAppender('written');
  samples.forEach(({ metric, host, dc, time, value }, seq) => {
    appender.appendInteger(seq);
    appender.appendBigInt(BigInt(time));
    appender.appendDouble(value);
    appender.appendVarchar(metric);
    for (const label of [host, dc]) {
      if (label === null) appender.appendNull();
      else appender.appendVarchar(label);
    }
    appender.endRow();
  });
  appender.closeSync();
  await sql.run("alter table written add column host_key varchar default ''");
  await sql.run("update written set host_key = coalesce(host, '')");
  const ids = await ask(storage, 'select series_id, metric, tag.host from cpu.*', 'legacy');
  await sql.run('create or replace table ids (series_id bigint, metric varchar, host_key varchar)');
  for (const [id, metric, host] of ids ?? []) {
    await sql.run(`insert into ids values (${id}, '${metric}', '${host ?? ''}')`);
  }
  await sql.run(resolve);
}

/** Integers exactly; floats within 1e-9 of their size, or of 1 for sums that cancel. */
function isSame(ours: unknown, theirs: unknown): boolean {
  if (ours === theirs) return true;
  if (typeof ours === 'bigint' && typeof theirs === 'number') return Number(ours) === theirs;
  if (typeof ours !== 'number') return false;
  const other = Number(theirs);
  const tolerance = 1e-9 * Math.max(1, Math.abs(ours), Math.abs(other));
  return theirs !== null && Math.abs(ours - other) <= tolerance;
}

const show = (row: readonly unknown[] | undefined): string =>
  row?.map(String).join(' | ') ?? 'none';

/** The difference; null if there is none. */
function difference(query: PairedQuery, ours: Rows | null, theirs: Rows): string | null {
  if (ours === null) {
    return query.isTotal || theirs.length === 0 ? null : 'no series, yet DuckDB has rows';
  }
  const at = ours.findIndex(
    (row, at) => !row.every((value, column) => isSame(value, theirs[at]?.[column])),
  );
  if (at >= 0) return `row ${at}: ${show(ours[at])}, DuckDB: ${show(theirs[at])}`;
  return ours.length === theirs.length ? null : `${ours.length} rows, DuckDB: ${theirs.length}`;
}

// The package throws when it has no binary for this platform.
const duckdb = await import('@duckdb/node-api').catch(() => null);

if (duckdb !== null) {
  describe('SeriesQL beside DuckDB', () => {
    after(removeDirectories);

    it(`gives the rows of SQL for random queries, seed ${testSeed}`, async function () {
      this.timeout(60_000);
      const offline = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
      const instance = await duckdb.DuckDBInstance.create(':memory:', { threads: '1', ...offline });
      const sql = await instance.connect();
      const differences: string[] = [];
      let rowCount = 0;
      for (let at = 0; at < worlds; at++) {
        const random = new Random(testSeed + at);
        const world = random.pick([
          { middle: 0, spread: 3 * kDay },
          { middle: Date.UTC(2020, 1, 29), spread: 90 * kDay },
        ]);
        const samples = randomSamples(random, world);
        const storage = await storageOf(random, samples);
        await fill(sql, storage, samples);
        const maker = new SqlMaker(random, world);
        for (let count = 0; count < queriesOfWorld; count++) {
          const query = maker.query();
          const theirs = (await sql.runAndReadAll(query.sql)).getRows();
          rowCount += theirs.length;
          for (const mode of ['legacy', 'compiled'] as const) {
            const found = difference(query, await ask(storage, query.ql, mode), theirs);
            if (found !== null) differences.push(`${mode}: ${found}\n${query.ql}\n${query.sql}`);
          }
        }
        await storage.close();
      }
      sql.closeSync();
      instance.closeSync();
      assert.isEmpty(differences, differences.slice(0, 5).join('\n\n'));
      // The queries find something, and both engines are asked.
      assert.isAbove(rowCount, worlds * queriesOfWorld);
      assert.isBelow(fallbacks, (worlds * queriesOfWorld * 3) / 4);
    });
  });
}
