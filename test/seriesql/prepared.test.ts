import { expect } from 'chai';

import {
  databaseTime,
  milliseconds,
  toNanoseconds,
  type Nanoseconds,
} from '../../src/common/model/timestamp-unit.js';
import { Evaluator } from '../../src/query/seriesql/plan/evaluate.js';
import { PreparedStatements } from '../../src/query/seriesql/prepared.js';
import { runQuery } from '../../src/query/seriesql/run-query.js';
import { engineOptions, memorySource } from '../support/memory-target.js';

import type { ResultRow } from '../../src/query/seriesql/execute/execution.js';

const evaluator = new Evaluator('ms');
const at = (now: bigint) => ({ unit: 'ms', now: databaseTime(now), evaluator }) as const;

describe('prepared statements', () => {
  it('are not parsed and planned again from the second time on', () => {
    const prepared = new PreparedStatements();
    const text = 'select value from m where time > 5';
    const first = prepared.parse(text);
    const second = prepared.parse(text);
    expect(second).to.not.equal(first);
    expect(prepared.parse(text)).to.equal(second);
    expect(prepared.plan(second, at(2n))).to.equal(prepared.plan(second, at(1n)));
  });

  it('are planned each time if they use now() anywhere', () => {
    const prepared = new PreparedStatements();
    for (const text of [
      'select value from m where time > now() - 1m',
      'select value from m where time > today()',
      'select NOW(), 1',
      'select max(value) from m where time > 0 having max(value) < cast(now() as float)',
      'select case when value > 1 then now() else 0 end from m where time > 0',
    ]) {
      const parsed = prepared.parse(text);
      const early = prepared.plan(parsed, at(1_000_000n));
      const late = prepared.plan(prepared.parse(text), at(200_000_000n));
      expect(early.plan, text).to.not.deep.equal(late.plan);
    }
  });

  it('see new samples, the current clock and changed limits', async () => {
    const source = memorySource();
    const prepared = new PreparedStatements();
    const rowsOf = async (text: string, now: bigint, maxRows = 100): Promise<ResultRow[]> => {
      const limits = { maxRows, maxSeries: 9, maxSamples: 99, maxTextBytes: 999, timeoutMs: 9000 };
      const clock = (): Nanoseconds => toNanoseconds(milliseconds(now));
      const query = await runQuery(text, engineOptions(source, { prepared, limits, clock }));
      const rows: ResultRow[] = [];
      for await (const batch of query.rows) rows.push(...batch);
      return rows;
    };
    const [fixed, moving] = ['time >= 0', 'time > now() - 2ms'].map(
      (where) => `select value from m{host='a'} where ${where}`,
    );
    source.add('m', [['host', 'a']], [{ time: 1n, value: 1 }]);
    expect(await rowsOf(fixed ?? '', 2n)).to.deep.equal([[1]]);
    expect(await rowsOf(moving ?? '', 2n)).to.deep.equal([[1]]);
    source.add('m', [['host', 'a']], [{ time: 3n, value: 3 }]);
    expect(await rowsOf(fixed ?? '', 4n)).to.deep.equal([[1], [3]]);
    expect(await rowsOf(moving ?? '', 4n)).to.deep.equal([[3]]);
    const refusal = await rowsOf(fixed ?? '', 4n, 1).catch((error: unknown) => error);
    expect(refusal).to.have.property('code', 'query_limit_exceeded');
  });

  it('are evicted in least-recently-used order', () => {
    const prepared = new PreparedStatements();
    const keep = (text: string) => {
      prepared.parse(text);
      return prepared.parse(text);
    };
    const first = keep('select 0');
    for (let number = 1; number < 256; number++) keep(`select ${number}`);
    expect(prepared.parse('select 0')).to.equal(first);
    const second = prepared.parse('select 1');
    for (let number = 256; number < 500; number++) keep(`select ${number}`);
    expect(prepared.size).to.equal(256);
    expect(prepared.parse('select 0')).to.equal(first);
    expect(prepared.parse('select 1')).to.equal(second);
    for (let number = 500; number < 800; number++) keep(`select ${number}`);
    expect(prepared.parse('select 0')).to.not.equal(first);
    // These are not kept, however often they come.
    for (const text of [`select '${'x'.repeat(2048)}'`, 'insert into m values (1, 2)']) {
      expect(keep(text)).to.not.equal(prepared.parse(text));
    }
    expect(prepared.size).to.equal(256);
    expect(() => keep('select')).to.throw('line 1');
    expect(() => keep('select')).to.throw('line 1');
  });

  it('evict nothing if they run only once', () => {
    const prepared = new PreparedStatements();
    prepared.parse('select 0');
    const kept = prepared.parse('select 0');
    for (let number = 1; number < 1000; number++) prepared.parse(`select ${number}`);
    expect(prepared.parse('select 0')).to.equal(kept);
    expect(prepared.size).to.equal(1);
  });
});
