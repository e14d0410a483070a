import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { runQuery } from '../../src/query/seriesql/run-query.js';
import { engineOptions, memorySource, roomyLimits } from '../support/memory-target.js';
import { Random, testSeed } from '../support/random.js';

const source = memorySource();
source.add(
  'cpu.user',
  [['host', 'a']],
  [-5n, 0n, 7n, 60000n, 86400000n].map((time) => ({ time, value: Number(time) / 3 })),
);
source.add(
  'cpu.user',
  [['host', 'b']],
  [NaN, -0, Infinity, 5, -Infinity].map((value, at) => ({ time: BigInt(at - 1), value })),
);
source.add('temp', [], [{ time: 2n ** 63n - 1n, value: 1e308 }]);

const words = (
  'select from where group by having order limit offset fill and or not in between like is null ' +
  'true false as case when then else end asc desc time value metric series_id tag.host * * , , ( ) ' +
  '( ) + - * / % = != < <= > >= =~ !~ 1 0 -1 2.5 5m 1mo 2022-03-27 9223372036854775807 1e308 ' +
  "'a' 'Europe/Berlin' '(' cpu.user cpu.* temp by_id(1) {host='a'} count(*) sum(value) avg(value) " +
  'first(value) last(value) rate(value) integral(value) lag(value) moving_avg(value,2) ' +
  'time_bucket(1m,time) time_bucket(1mo,time) now() abs( round( coalesce( nullif( concat( lower( ' +
  'cast( none previous linear show metrics series labels label values for explain analyze ' +
  'bytecode tables_used insert into delete ; -- /* */ " \' . & é 😀'
).split(' ');

const valid: readonly string[] = [
  'select series_id, A from cpu.user where time >= 0 and (C)',
  'select metric, A as x, B from cpu.user where time between 0 and 90000000 order by x desc limit 5',
  'select G, count(*), sum(value), F from cpu.user where time >= 0 and (C) group by 1',
  'select time_bucket(1h, time) as t, F from cpu.user where time between 0 and 90000000 group by t fill(null)',
  'select tag.host, lag(A), W from cpu.user where time >= 0',
  'select tag.host, F from cpu.* where (C) group by tag.host having C2 order by 2',
  'explain select A from cpu.user where time >= 0 and (C)',
];
const parts: Readonly<Record<string, readonly string[]>> = {
  A: [
    'value',
    'time',
    'value * B',
    'A + B',
    'abs(A)',
    '-(A)',
    'round(A, -2)',
    'case when C then A end',
  ],
  B: ['1', '2.5', '0', 'value', '9223372036854775807', '(A)', 'sqrt(A)', 'coalesce(null, B)'],
  C: ['value > B', 'C and C', 'C or C', 'not C', "tag.host = 'a'", 'tag.host is null', 'A < B'],
  C2: ['count(*) > 1', 'F > 0', 'not C2'],
  F: ['avg(A)', 'max(value)', 'rate(value)', 'stddev(value)', 'percentile(value, 0.5)', 'last(A)'],
  G: [
    'tag.host',
    'metric',
    'time_bucket(1d, time)',
    "time_bucket(1d, time, 'Europe/Berlin')",
    'value > 5',
  ],
  W: ['diff(value)', 'ema(value, 1m)', 'lead(A, 2)', 'cumulative_sum(A)', 'moving_avg(value, 1h)'],
};

/** Writes letters out until none is left, or for so many rounds. */
function written(template: string, random: Random, depth = 0): string {
  return template.replace(/\b(A|B|C2|C|F|G|W)\b/g, (letter) => {
    const choices = parts[letter] ?? [];
    const choice = depth > 4 ? (choices[0] ?? '1') : random.pick(choices);
    return written(choice, random, depth + 1);
  });
}

async function run(text: string): Promise<'ok' | AppError> {
  try {
    const limits = { ...roomyLimits, maxRows: 5000 };
    const query = await runQuery(text, engineOptions(source, { limits }));
    for await (const rows of query.rows) {
      for (const row of rows) {
        expect(row, text).to.have.length(query.columns.length);
        row.forEach((value, at) => {
          const column = query.columns[at];
          const kind = value === null ? 'null' : typeof value;
          if (column?.nullable === false) expect(kind, text).not.to.equal('null');
          if (value !== null) expect(kind, text).to.equal(kindOf(column?.type));
          if (typeof value === 'number') expect(Number.isFinite(value), text).to.equal(true);
        });
      }
    }
    return 'ok';
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw new Error(`this query failed: ${text}`, { cause: error });
  }
}

function kindOf(type: string | undefined): string {
  if (type === 'string' || type === 'boolean') return type;
  return type === 'float' ? 'number' : 'bigint';
}

describe(`random queries (seed ${testSeed})`, () => {
  it('of words in any order are answered or rejected, and never fail', async () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 4000; round++) {
      const count = 1 + random.below(14);
      const text = Array.from({ length: count }, () => random.pick(words)).join(' ');
      await run(random.chance(0.7) ? `select ${text}` : text);
    }
  });

  it('that are valid return values of their declared types', async () => {
    const random = new Random(testSeed + 1);
    let answered = 0;
    for (let round = 0; round < 2000; round++) {
      if ((await run(written(random.pick(valid), random))) === 'ok') answered += 1;
    }
    expect(answered).to.be.greaterThan(1200);
  });

  it('truncated or with a changed character are rejected with a position', async () => {
    const random = new Random(testSeed + 2);
    let refused = 0;
    for (let round = 0; round < 2000; round++) {
      const text = written(random.pick(valid), random);
      const at = random.below(text.length);
      const changed = random.chance(0.5)
        ? text.slice(0, at)
        : text.slice(0, at) +
          random.pick(["'", '"', '(', ')', '\0', '5', 'é', '\n']) +
          text.slice(at + 1);
      const answer = await run(changed);
      // What remains may be a query that is answered, or one that asks for too much.
      if (answer === 'ok' || /^(query_limit_exceeded|execution_error)$/.test(answer.code)) continue;
      expect(answer.message, changed).to.match(/^line \d+, column \d+: /);
      refused += 1;
    }
    expect(refused).to.be.greaterThan(1000);
  });
});
