import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { Guard, ValuePool } from '../../src/query/limits/guard.js';
import { runQuery, type QueryEngineOptions } from '../../src/query/seriesql/run-query.js';
import { isClose } from '../../src/query/seriesql/shadow.js';
import { MemorySource } from '../support/memory-source.js';
import { engineOptions, memorySource, roomyLimits } from '../support/memory-target.js';

import type { CompiledEngine } from '../../src/query/seriesql/execute/compiled-engine.js';
import type { ResultRow } from '../../src/query/seriesql/execute/execution.js';
import type { BatchReader } from '../../src/query/seriesql/execute/source.js';

const source = memorySource();
source.add(
  'm',
  [['host', 'a']],
  Array.from({ length: 5000 }, (_, at) => ({ time: BigInt(at), value: at })),
);
source.add('m', [['host', 'b']], [{ time: 7n, value: 1 }]);

/** A source whose reads never end, and which takes no other calls meanwhile. */
class BusySource extends MemorySource {
  override read(): BatchReader {
    return {
      next: () => new Promise(() => undefined),
      stats: () => {
        throw new Error('next() is running');
      },
      close: () => undefined,
    };
  }
}

function rowsOf(text: string, options: Partial<QueryEngineOptions> = {}, guard?: Guard) {
  return rowsOfSource(source, text, options, guard);
}

async function rowsOfSource(
  from: MemorySource,
  text: string,
  options: Partial<QueryEngineOptions> = {},
  guard?: Guard,
) {
  const call = guard === undefined ? {} : { guard };
  const query = await runQuery(text, engineOptions(from, options), call);
  const rows: ResultRow[] = [];
  for await (const batch of query.rows) rows.push(...batch);
  return { rows, stats: query.stats() };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}

describe('running a query', () => {
  const limited = (more: Partial<typeof roomyLimits>) => ({ limits: { ...roomyLimits, ...more } });

  it('enforces every limit exactly', async () => {
    const all = 'select tag.host, value from m where time >= 0';
    expect((await rowsOf(all, limited({ maxRows: 5001 }))).rows).to.have.length(5001);
    expect(await codeOf(rowsOf(all, limited({ maxRows: 5000 })))).to.equal('query_limit_exceeded');
    await rowsOf(all, limited({ maxSamples: 5001 }));
    expect(await codeOf(rowsOf(all, limited({ maxSamples: 5000 })))).to.equal(
      'query_limit_exceeded',
    );
    await rowsOf(all, limited({ maxSeries: 2 }));
    expect(await codeOf(rowsOf(all, limited({ maxSeries: 1 })))).to.equal('query_limit_exceeded');
    const sorted = `${all} order by value`;
    expect(await codeOf(rowsOf(sorted, limited({ maxRows: 5000 })))).to.equal(
      'query_limit_exceeded',
    );
    expect((await rowsOf(`${sorted} limit 3`, limited({ maxRows: 3 }))).rows).to.have.length(3);
    const grouped = 'select time, count(*) from m group by time';
    expect(await codeOf(rowsOf(grouped, limited({ maxRows: 4999 })))).to.equal(
      'query_limit_exceeded',
    );
  });

  it('ends at its time limit, and when its client disconnects', async () => {
    const text = 'select sum(value), median(value), count(distinct value) from m where time >= 0';
    expect(await codeOf(rowsOf(text, limited({ timeoutMs: 1 })))).to.equal('query_timeout');
    const guard = new Guard(roomyLimits);
    guard.cancel();
    expect(await codeOf(rowsOf(text, {}, guard))).to.equal('execution_error');
    expect(guard.samples).to.be.lessThan(5001);
  });

  it('reports a timeout while a read still runs', async () => {
    const busy = new BusySource({ holds: () => true });
    busy.add('m', [], [{ time: 1n, value: 1 }]);
    const limits = { ...roomyLimits, timeoutMs: 5 };
    for (const what of ['value', 'sum(value)', 'lag(value)']) {
      const text = `select ${what} from m where time > 0 and value > 1`;
      expect(await codeOf(rowsOfSource(busy, text, { limits }))).to.equal('query_timeout');
    }
  });

  it('rejects more FILL buckets than rows allowed before it reads', async () => {
    const busy = new BusySource({ unit: 'ms', holds: () => true });
    busy.add('m', [], [{ time: 1n, value: 1 }]);
    const limits = { ...roomyLimits, maxRows: 5000, timeoutMs: 500 };
    const filled = (end: number, bucket: string) => {
      const text = `select time_bucket(${bucket}) as t, count(*) from m
        where time >= 0 and time < ${end} group by t fill(0)`;
      return codeOf(rowsOfSource(busy, text, { limits }));
    };
    const day = 86_400_000;
    expect(await filled(5000 * 1000, '1s, time')).to.equal('query_timeout');
    expect(await filled(5000 * 1000 + 1, '1s, time')).to.equal('query_limit_exceeded');
    const days = `1d, time, 'Europe/Berlin'`;
    expect(await filled(4000 * day, days)).to.equal('query_timeout');
    expect(await filled(10_500 * day, days)).to.equal('query_limit_exceeded');
    expect(await filled(5100 * 32 * day, '1mo, time')).to.equal('query_limit_exceeded');
  });

  it('leaves the event loop free while it works', async function () {
    this.timeout(60_000);
    const long = memorySource();
    const samples = Array.from({ length: 45_000 }, (_, at) => ({
      time: BigInt(at) * 2n,
      value: (at * 7919) % 10_007,
    }));
    for (const host of ['a', 'b']) long.add('m', [['host', host]], samples);
    let longest = 0;
    let whole = 0;
    let last = process.cpuUsage();
    let isOver = false;
    // CPU time, so that other work on the machine does not count.
    const watch = (): void => {
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, user + system);
      whole += user + system;
      last = process.cpuUsage();
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    const buckets = 'select tag.host, time_bucket(1ms, time) as t, avg(value) as mean from m';
    for (const text of [
      `${buckets} group by tag.host, t having avg(value) >= 0 order by mean desc limit 5`,
      `${buckets} where time between 0 and 30000 group by tag.host, t fill(linear)`,
      'select tag.host, value from m where time >= 0 order by value, time desc limit 5',
      'select tag.host, moving_avg(value, 30000), lag(value) from m where time >= 0',
    ]) {
      const query = await runQuery(text, engineOptions(long, { limits: roomyLimits }));
      for await (const batch of query.rows) expect(batch).not.to.have.length(0);
    }
    isOver = true;
    // As a share, because a busy machine slows everything.
    expect(longest).to.be.lessThan(whole / 8);
  });

  it('averages over a moving window like a fresh sum', async () => {
    const plain = memorySource();
    const values = Array.from(
      { length: 400 },
      (_, at) => ((at * 7919) % 101) - 50 + 1e9 * (at % 3),
    );
    plain.add(
      'm',
      [],
      values.map((value, at) => ({ time: BigInt(at), value })),
    );
    for (const width of [1, 2, 3, 7, 50, 399, 1000]) {
      const { rows } = await rowsOfSource(
        plain,
        `select moving_avg(nullif(value, -50), ${width}) from m where time >= 0`,
      );
      for (const [at, row] of rows.entries()) {
        const last = values.slice(Math.max(0, at - width + 1), at + 1).filter((v) => v !== -50);
        const mean = last.reduce((sum, value) => sum + value, 0) / last.length;
        if (last.length === 0) expect(row[0]).to.equal(null);
        else expect(row[0]).to.be.closeTo(mean, 1e-6);
      }
    }
  });

  it('limits the values held at a time', async () => {
    const guard = new Guard(roomyLimits);
    guard.countHeld(16_777_216);
    expect(() => {
      guard.countHeld(1);
    }).to.throw('the query holds more than 16777216 values at a time');
    const quantiles = Array.from({ length: 2400 }, (_, at) => `percentile(value, 0.${at + 1000})`);
    const text = `select ${quantiles.join(',')} from m group by tag.host`;
    const many = memorySource();
    const samples = Array.from({ length: 8000 }, (_, at) => ({ time: BigInt(at), value: at }));
    many.add('m', [], samples);
    expect(await codeOf(rowsOfSource(many, text))).to.equal('query_limit_exceeded');
  });

  it('limits the values held by all queries of its thread', () => {
    const values = new ValuePool();
    const guards = [1, 2, 3, 4].map(() => new Guard(roomyLimits, { values }));
    const [one, other, refused, small] = guards;
    one?.countHeld(16_777_216);
    other?.twin().countHeld(16_777_216);
    expect(() => refused?.countHeld(1_000_000)).to.throw('all queries together hold');
    refused?.end();
    small?.countHeld(200_000);
    other?.end();
    small?.countHeld(1_000_000);
    // What runs on for a moment behind the end is not counted.
    other?.countHeld(1_000_000);
    for (const guard of guards) guard.end();
    expect(values.held).to.equal(0);
  });

  it('reports its work in the stats', async () => {
    const exact = await rowsOf("select value from m{host='b'} where time >= 0");
    expect(exact.stats).to.include({
      ...{ rows_emitted: 1, rows_scanned: 1, series_scanned: 1, selected_series_count: 1 },
      ...{ selector_mode: 'exact', execution_mode: 'legacy', legacy_fallback: false },
    });
    expect(exact.stats).not.to.have.property('fallback_reason');
    const family = await rowsOf('select count(*) from m where time < 10');
    expect(family.stats).to.include({ selector_mode: 'metric_family', rows_scanned: 11 });
    expect((await rowsOf('select 1')).stats.selector_mode).to.equal('none');
    const byId = await rowsOf('select value from by_id(2) where time >= 0');
    expect(byId.stats.selector_mode).to.equal('exact');
  });

  const engine = (value: number): CompiledEngine => ({
    tryCompile: (plan) =>
      plan.selection === null
        ? 'unsupported_expression'
        : {
            run: () =>
              Promise.resolve({
                columns: [{ name: 'value', type: 'float', nullable: true }],
                rows: (async function* () {
                  yield await Promise.resolve([[value]]);
                })(),
              }),
          },
  });
  const text = "select value from m{host='b'} where time >= 0";

  it('uses the compiled engine if possible, and falls back with a reason', async () => {
    const options = engineOptions(source, { mode: 'compiled', compiled: engine(9) });
    const compiled = await rowsOf(text, options);
    expect(compiled.rows).to.deep.equal([[9]]);
    expect(compiled.stats).to.include({ execution_mode: 'compiled', legacy_fallback: false });
    const fallen = await rowsOf('select 1', options);
    expect(fallen.stats).to.include({
      legacy_fallback: true,
      fallback_reason: 'unsupported_expression',
    });
    expect(options.totals).to.include({ attempts: 2, success: 1, fallback: 1, unsupported: 1 });
  });

  it("compares both engines in shadow mode, and serves the interpreter's answer", async () => {
    const differences: string[] = [];
    const report = (difference: string) => differences.push(difference);
    const shadow = { onMismatch: 'log', report } as const;
    const same = engineOptions(source, { mode: 'shadow', compiled: engine(1 + 1e-12), shadow });
    expect((await rowsOf(text, same)).stats).not.to.have.property('fallback_reason');
    const other = engineOptions(source, { mode: 'shadow', compiled: engine(1.1), shadow });
    const served = await rowsOf(text, other);
    expect(served.rows).to.deep.equal([[1]]);
    expect(served.stats.fallback_reason).to.equal('shadow_mismatch');
    expect(other.totals.shadowMismatch).to.equal(1);
    expect(differences).to.deep.equal(['row 0, column 0: 1 and 1.1']);
    const strict = { ...other, shadow: { ...shadow, onMismatch: 'error' as const } };
    expect(await codeOf(rowsOf(text, strict))).to.equal('shadow_mismatch');
  });

  it('treats floats as close only within a relative 1e-9', () => {
    expect(isClose(1e9, 1e9 + 1)).to.equal(true);
    expect(isClose(1e9, 1e9 + 2)).to.equal(false);
    expect(isClose(0, 1e-300)).to.equal(false);
    expect(isClose(null, 0)).to.equal(false);
  });

  it('explains an executed run with its figures', async () => {
    const { rows, stats } = await rowsOf(`explain analyze ${text}`);
    expect(rows.map(([line]) => line)).to.deep.equal([
      'project value as value',
      '  samples at [0, +inf]',
      "    select series of m where tag.host = 'b'",
    ]);
    expect(rows[0]?.[1]).to.equal(1n);
    expect(stats.operators?.[0]).to.include({ name: 'select series', rows_out: 1 });
  });
});
