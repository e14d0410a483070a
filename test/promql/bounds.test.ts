/** The limits of queries: memory, refusals, and work that must not block. */
import { expect } from 'chai';

import { inMs } from '../support/in-ms.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { runPromql, type PromqlResult } from '../../src/query/promql/run-promql.js';
import { Guard } from '../../src/query/limits/guard.js';
import { NaiveSource } from './naive-source.js';

const limits = {
  maxRows: 1e6,
  maxSeries: 1e6,
  maxSamples: 1e9,
  maxTextBytes: 2 ** 28,
  timeoutMs: 60_000,
};

function sourceOf(seriesCount: number): NaiveSource {
  const source = new NaiveSource();
  for (let n = 0; n < seriesCount; n += 1) {
    source.add({ labels: { __name__: 'y', n: String(n) }, samples: [[0, n]] });
  }
  return source;
}

interface Asked {
  readonly text: string;
  readonly steps?: number;
  readonly maxCells?: number;
  readonly source?: NaiveSource;
}

function run({ text, steps = 1, maxCells = 1 << 24, source = sourceOf(10) }: Asked) {
  const settings = inMs({ lookbackMs: 300_000, subqueryStepMs: 60_000, maxCells });
  const frame = inMs({ start: 0, step: 1000, count: steps });
  const guard = new Guard(limits);
  const expression = parsePromql(text);
  const asked = { text, expression, frame, settings, source, guard };
  return runPromql({ ...asked, ...inMs({ end: (steps - 1) * 1000 }), isInstant: steps === 1 });
}

async function codeOf(asked: Asked): Promise<string> {
  return run(asked).then(
    () => 'none',
    (error: unknown) => (error as { readonly code: string }).code,
  );
}

async function rowsOf(asked: Asked): Promise<readonly string[]> {
  const { value }: PromqlResult = await run(asked);
  if (value.kind !== 'vector') throw new Error(value.kind);
  const { labels, values } = value;
  return Array.from(values, (one, row) => `${labels.describe(row)} ${one}`).sort();
}

describe('PromQL limits', () => {
  it('holds as many cells as an answer has, where steps are asked one by one', async () => {
    for (const text of ['timestamp(y @ 0)', 'predict_linear(y[1m] @ 0, 60) or y']) {
      expect(await codeOf({ text, steps: 50, maxCells: 2000 }), text).to.equal('none');
      expect(await codeOf({ text, steps: 50, maxCells: 300 }), text).to.equal(
        'query_limit_exceeded',
      );
    }
  });

  it('counts as many long texts of values as it holds, with pauses', async () => {
    const source = sourceOf(30_000);
    const text = 'count(count_values("v", y * 1.1e-300 + 1e-301))';
    expect(await rowsOf({ text, source })).to.deep.equal(['{} 30000']);
  });

  it('evaluates as many operators in a row as a text may have', async () => {
    for (const text of ['1 + ', 'vector(1) + ', 'y and ', 'y or ', 'y * on (n) '].map(
      (one) => `${one.repeat(4096)}${one.split(' ')[0] ?? ''}`,
    )) {
      const { value } = await run({ text, steps: 2 });
      expect(value.kind, text.slice(0, 20)).to.equal(text.startsWith('1') ? 'scalar' : 'vector');
    }
  });

  it('counts rows that "or" discards only once', async () => {
    const covered = ['y or y', 'y or y or y', 'y or (y > 3) or on () vector(1)'];
    for (const text of covered) {
      const operands = text.split(' or ').length;
      const maxCells = operands * 500;
      expect(await codeOf({ text, steps: 50, maxCells }), text).to.equal('none');
    }
    // The other half of the rows needs room for all remaining rows.
    const rest = 'y{n=~"[0-4]"} or y';
    expect(await codeOf({ text: rest, steps: 50, maxCells: 750 + 500 })).to.equal('none');
    expect(await codeOf({ text: rest, steps: 50, maxCells: 750 + 499 })).to.equal(
      'query_limit_exceeded',
    );
  });

  it('rejects a subquery of too many steps before it allocates', async () => {
    const wanted = ['vector(time())[300d:1s]', '(y > 0)[20y:1s]', 'vector(1)[250y:1ms]'];
    for (const text of wanted.map((range) => `max_over_time(${range})`)) {
      expect(await codeOf({ text, maxCells: 1000 }), text).to.equal('query_limit_exceeded');
    }
  });

  it('does not raise the limit by releasing memory that was never reserved', async () => {
    const nested = `${'scalar(vector('.repeat(50)}1${'))'.repeat(50)}`;
    const text = `clamp_max(y, ${nested})`;
    expect(await codeOf({ text, steps: 100, maxCells: 1000 })).to.equal('query_limit_exceeded');
  });

  it('does not count released memory', async () => {
    const text = 'clamp_max(y, scalar(topk(1, y))) or clamp_min(y, scalar(max(y)))';
    expect(await codeOf({ text, maxCells: 70 })).to.equal('none');
  });

  it('reports times that are out of range', async () => {
    for (const text of ['y @ 1e13', 'max_over_time(y[100y:1d] @ -9007199254700)']) {
      expect(await codeOf({ text }), text).to.equal('execution_error');
    }
  });

  it('treats a byte order mark as part of a label', async () => {
    const source = new NaiveSource();
    source.add({ labels: { __name__: 'b', l: '\ufeffa' }, samples: [[0, 1]] });
    source.add({ labels: { __name__: 'b', l: 'a' }, samples: [[0, 2]] });
    expect(await rowsOf({ text: 'b + b', source })).to.have.lengthOf(2);
    expect(await rowsOf({ text: 'b and b', source })).to.have.lengthOf(2);
  });

  it('counts -0 and 0 separately', async () => {
    const text = 'count_values("v", label_replace(vector(-0), "a", "b", "", "") or vector(0))';
    expect(await rowsOf({ text })).to.deep.equal(['{v="-0"} 1', '{v="0"} 1']);
  });

  it('ranks many rows like few', async () => {
    const source = sourceOf(500);
    const top = await rowsOf({ text: 'topk(200, y)', source });
    expect(top).to.deep.equal(await rowsOf({ text: 'y >= 300', source }));
  });

  it('computes days of years below 100', async () => {
    expect(await rowsOf({ text: 'days_in_month(vector(-62162208000))' })).to.deep.equal(['{} 29']);
  });
});
