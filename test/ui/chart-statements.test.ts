/** The statements of charts and their filters, read back by the language's own parser. */

import { assert } from 'chai';

import { parseStatement } from '../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../src/query/seriesql/language/query-text.js';
import {
  bucketsOf,
  envelopeOf,
  lastOf,
  rankingOf,
  samplesOf,
  type Looked,
} from '../../src/ui/chart-statements.js';
import { operators, printFilter, readFilter } from '../../src/ui/series-filter.js';
import { Random, testSeed } from '../support/random.js';

const letters = ["'", '"', '\\', '.', '{', '}', ',', ';', '-', '\n', 'a', '9', 'é', '😀', ' '];

const textOf = (random: Random, least: number): string =>
  Array.from({ length: least + random.below(12) }, () => random.pick(letters)).join('');

function lookedAt(random: Random): Looked {
  const keys = ['host', 'metric', 'select', textOf(random, 1)];
  return {
    metric: textOf(random, 1),
    conditions: Array.from({ length: random.below(4) }, () => ({
      ...{ key: random.pick(keys), op: random.pick(operators), value: textOf(random, 0) },
    })),
    window: { start: -5n, end: 9_007_199_254_740_993n },
    isCounter: random.chance(0.5),
    by: random.chance(0.5) ? random.pick(keys) : null,
    zone: 'Europe/Berlin',
  };
}

const parsed = (text: string) => parseStatement(new QueryText(text));

describe('chart statements', () => {
  it(`quote any metric, label and value correctly (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 1_000; round += 1) {
      const looked = lookedAt(random);
      const width = { text: random.pick(['5m', '1d', '1mo']), ticks: 1 };
      const values = ['', textOf(random, 1)];
      const lines = looked.by === null ? ['1', '18446744073709551615'] : values;
      const texts = [
        rankingOf(looked, { keys: ['host', textOf(random, 1)], order: 'lo' }),
        ...[bucketsOf(looked, lines, width), envelopeOf(looked, width), lastOf(looked)],
        samplesOf(looked, ['1', '2']),
      ];
      for (const text of texts) {
        const statement = parsed(text);
        assert.strictEqual(statement.kind, 'select', text);
        const from = statement.kind === 'select' ? statement.from : null;
        if (from?.kind !== 'name') continue;
        assert.strictEqual(from.name, looked.metric, text);
        const found = from.matchers.map(({ key, op, value }) => ({ key, op, value }));
        assert.deepEqual(found, looked.conditions, text);
        assert.isTrue(from.matchers.every((one) => !one.isMetric));
      }
    }
  });

  it(`parse a printed filter back (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 1_000; round += 1) {
      const { conditions } = lookedAt(random);
      assert.deepEqual(readFilter(printFilter(conditions)), conditions);
    }
  });

  it('reject an invalid filter', () => {
    for (const text of ['{', '{a}', "{a='b'} x", "{a='b'", "{a='b'}, n", '{a=b}']) {
      assert.isNull(readFilter(text), text);
    }
    assert.deepEqual(readFilter('{}'), []);
    assert.deepEqual(readFilter(''), []);
  });

  it('request the increase of a counter', () => {
    const looked = { ...lookedAt(new Random(1)), isCounter: true, by: null };
    assert.include(rankingOf(looked, { keys: [], order: 'hi' }), 'order by mean desc');
    assert.include(bucketsOf(looked, ['1'], { text: '1m', ticks: 1 }), 'rate(value)');
  });
});
