/**
 * Mutated texts of the query language: each is answered, or refused with a code and a place.
 * Whitespace and comments between words change nothing.
 */

import { expect } from 'chai';
import { readFileSync } from 'node:fs';

import { AppError } from '../../src/common/errors/app-error.js';
import { tokenize } from '../../src/query/seriesql/language/lexer.js';
import { QueryText } from '../../src/query/seriesql/language/query-text.js';
import { kQuerySizeMax, runQuery } from '../../src/query/seriesql/run-query.js';
import { engineOptions, memorySource, roomyLimits } from '../support/memory-target.js';
import { Random, testSeed } from '../support/random.js';
import { mutateText } from './mutate.js';
import { fuzzTimeoutMs, rounds } from './rounds.js';

const source = memorySource();
for (const [at, host] of ['host_1', 'host_2'].entries()) {
  const labels = [
    ['hostname', host],
    ['region', 'eu'],
  ] as const;
  const samples = [0n, 30_000n, 60_000n, 90_000n].map((time) => ({
    time,
    value: Number(time) / 7,
  }));
  source.add('cpu.usage_user', labels, samples.slice(at));
}
source.add('weather.room1', [], [{ time: 2n ** 63n - 1n, value: 1e308 }]);
source.add('weather.room1', [], [{ time: -(2n ** 63n), value: -0 }]);

const page = readFileSync(new URL('../../../docs/seriesql.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
  text.trimEnd().split('\n\n'),
);
const words = [
  ...new Set(examples.flatMap((text) => text.split(/[\s(),]+/)).filter((word) => word !== '')),
  ...['9223372036854775808', '-9223372036854775808', '1e999', '1mo', '1000000y', '2022-02-30'],
  ...['/*', '*/', '--', "''", '""', '(', ')', '{', '}', '=~', '%', 'between', 'by_id(0)', 'null'],
];

/** The rows as text, or the code of the refusal. */
async function answerOf(text: string): Promise<string> {
  try {
    const limits = { ...roomyLimits, maxRows: 2000, timeoutMs: 5000 };
    const query = await runQuery(text, engineOptions(source, { limits }));
    const all: string[] = [];
    for await (const rows of query.rows) {
      for (const row of rows) all.push(row.map(String).join('|'));
    }
    return `ok ${all.join('\n')}`;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.code === 'query_timeout') {
      throw new Error(`this text failed: ${JSON.stringify(text)}`, { cause: error });
    }
    if (error.code === 'parse_failed') checkPlace(text, error.message);
    return error.code;
  }
}

function checkPlace(text: string, message: string): void {
  const place = /^line (\d+), column (\d+): /.exec(message);
  expect(place, text).not.to.equal(null);
  const line = text.split('\n')[Number(place?.[1]) - 1];
  expect(line, text).not.to.equal(undefined);
  expect(Number(place?.[2]), text).to.be.within(1, Array.from(line ?? '').length + 1);
}

/** The same words with other separators, where there was one. */
function respaced(text: string, random: Random): string {
  const blanks = [' ', '\n', '\t \r\n', ' /* 1 */ ', '\n-- select\n', '\u00a0'];
  let spaced = '';
  let end = 0;
  for (const token of tokenize(new QueryText(text))) {
    if (token.start > end) spaced += random.pick(blanks);
    spaced += text.slice(token.start, token.end);
    end = token.end;
  }
  return spaced;
}

describe(`mutated queries (seed ${testSeed})`, function () {
  this.timeout(fuzzTimeoutMs);

  it('are answered or refused with a place, whatever stands between their words', async () => {
    const random = new Random(testSeed);
    const pool = [...examples];
    let answered = 0;
    for (const round of rounds(2500)) {
      const text = mutateText(pool, words, random);
      if (Buffer.byteLength(text) > kQuerySizeMax || text.length > 2000) continue;
      const answer = await answerOf(text);
      if (!answer.startsWith('ok ')) continue;
      answered += 1;
      if (round % 4 === 0) pool.push(text);
      if (pool.length > examples.length + 200) pool.splice(examples.length, 100);
      // EXPLAIN ANALYZE prints times, and a deletion has nothing left the second time.
      if (/analyze|delete/i.test(text)) continue;
      expect(await answerOf(respaced(text, random)), text).to.equal(answer);
    }
    expect(answered).to.be.greaterThan(50);
  });
});
