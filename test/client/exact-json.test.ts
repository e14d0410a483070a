import { assert } from 'chai';

import { SeriesDbError } from '../../src/client/client-error.js';
import {
  parseIds,
  parseList,
  parseObject,
  parseQueryResult,
  printBody,
} from '../../src/client/exact-json.js';
import { batchesOf, printPoint } from '../../src/client/points.js';

import type { Point } from '../../src/client/client.js';

describe('the JSON of the client', () => {
  it('prints and reads timestamps and ids beyond 2^53 to the last digit', () => {
    assert.strictEqual(
      printBody({ series_id: 2n ** 64n - 1n, start: -(2n ** 63n), end: 5, labels: undefined }),
      '{"series_id":18446744073709551615,"start":-9223372036854775808,"end":5}',
    );
    assert.deepEqual(
      parseList('[{"id":9007199254740993,"start":1,"labels":{"start":"x"},"series_count":3}]'),
      [{ id: 2n ** 53n + 1n, start: 1n, labels: { start: 'x' }, series_count: 3 }],
    );
    assert.deepEqual(parseIds('[1,18446744073709551615]'), [1n, 2n ** 64n - 1n]);
    const nested = parseObject('{"current":{"start":-1,"value":0.5},"series_id":null}');
    assert.deepEqual(nested, { current: { start: -1n, value: 0.5 }, series_id: null });
  });

  it('rejects a number that is not a safe integer where one is required', () => {
    for (const start of [2 ** 53, 1.5, NaN]) {
      assert.throws(() => printBody({ start }), SeriesDbError, /start must be a bigint/);
    }
  });

  it('rejects answers of another kind', () => {
    for (const text of ['', '<html>', '[1]', '5', '{"a":1']) {
      assert.throws(() => parseObject(text), SeriesDbError);
    }
    for (const text of ['{}', '[1]', '[', '[[]]']) {
      assert.throws(() => parseList(text), SeriesDbError);
    }
    for (const text of ['{}', '[1.5]', '["1"]', '[-1]']) {
      assert.throws(() => parseIds(text), SeriesDbError);
    }
    assert.throws(() => parseQueryResult('{"rows":[]}'), SeriesDbError);
  });

  it('reads rows by the types of their columns', () => {
    const text =
      '{"columns":[{"name":"time","type":"timestamp","nullable":false},' +
      '{"name":"v","type":"float","nullable":true},{"name":"host","type":"string","nullable":true}],' +
      '"rows":[[9007199254740993,5,"a"],[-1,null,null]],"stats":{"rows":2,"t":{"ms":0.5}}}';
    const result = parseQueryResult(text);
    assert.deepEqual(result.rows, [
      [2n ** 53n + 1n, 5, 'a'],
      [-1n, null, null],
    ]);
    assert.deepEqual(result.stats, { rows: 2, t: { ms: 0.5 } });
  });
});

describe('points', () => {
  it('become lines that lose nothing', () => {
    assert.strictEqual(
      printPoint({
        metric: 'cpu"load',
        labels: { host: 'ä\n' },
        ts: 2n ** 63n - 1n,
        value: -0,
        fields: { idle: 1e21 },
        kind: 'gauge',
        unit: '%',
      }),
      '{"metric":"cpu\\"load","labels":{"host":"ä\\n"},"kind":"gauge","unit":"%",' +
        '"ts":9223372036854775807,"value":-0,"fields":{"idle":1e+21}}',
    );
    assert.strictEqual(
      printPoint({ series: 's', tags: { a: 'b' }, ts: -1, value: 0.1 }),
      '{"series":"s","tags":{"a":"b"},"ts":-1,"value":0.1}',
    );
  });

  it('are rejected if JSON cannot express them', () => {
    for (const value of [NaN, Infinity, -Infinity]) {
      assert.throws(() => printPoint({ metric: 'm', ts: 1, value }), SeriesDbError, /finite/);
    }
    assert.throws(() => printPoint({ metric: 'm', ts: 2 ** 53, value: 1 }), SeriesDbError, /ts/);
  });

  it('are split into batches that know the number of preceding lines', async () => {
    const source: (Point | string)[] = [
      'a\n',
      'bb',
      'c'.repeat(20),
      { metric: 'm', ts: 1, value: 2 },
    ];
    const batches = [];
    for await (const batch of batchesOf(source, 5)) batches.push(batch);
    assert.deepEqual(batches, [
      { text: 'a\nbb\n', lineCount: 2, linesBefore: 0 },
      { text: `${'c'.repeat(20)}\n`, lineCount: 1, linesBefore: 2 },
      { text: '{"metric":"m","ts":1,"value":2}\n', lineCount: 1, linesBefore: 3 },
    ]);
  });
});
