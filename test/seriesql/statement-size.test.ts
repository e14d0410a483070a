/**
 * A part of a statement may have many uses: aliases, positions and BETWEEN could otherwise double
 * the plan at every step. The same holds for patterns and for texts of constants.
 */

import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { patternWork } from '../../src/query/values/pattern-work.js';
import { likeMatches } from '../../src/query/values/pattern.js';
import { runQuery } from '../../src/query/seriesql/run-query.js';
import { engineOptions, memorySource } from '../support/memory-target.js';

const source = memorySource();
source.add('m', [['host', 'a']], [{ time: 1n, value: 1 }]);

async function answerOf(text: string): Promise<unknown> {
  try {
    const query = await runQuery(text, engineOptions(source));
    const rows: unknown[] = [];
    for await (const batch of query.rows) rows.push(...batch);
    return rows;
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    return error instanceof AppError ? `${error.code} ${error.message}` : error;
  }
}

const from = 'from m where time > 0';
const tooLarge = /^validation_failed line 1, column .* has more than 65536 parts here/;

describe('the size of a statement', () => {
  it('counts an alias in every place', async () => {
    const sum = `${'value+'.repeat(400)}1`;
    const order = (count: number): string => Array<string>(count).fill('x').join(',');
    expect(await answerOf(`select ${sum} as x ${from} order by ${order(60)}`)).to.eql([[401]]);
    expect(await answerOf(`select ${sum} as x ${from} order by ${order(100)}`)).to.match(tooLarge);
    const keys = `select ${sum} as x from m group by ${order(100)}`;
    expect(await answerOf(keys)).to.match(tooLarge);
  });

  it('counts a column position as the column it names', async () => {
    const text = `select ${'value+'.repeat(400)}1 ${from} order by ${Array(100).fill(1).join(',')}`;
    expect(await answerOf(text)).to.match(tooLarge);
  });

  it('counts the aggregates of an alias with what they read', async () => {
    const text = `select max(${'value+'.repeat(400)}1) as x from m group by tag.a order by `;
    expect(await answerOf(text + Array(100).fill('x').join(','))).to.match(tooLarge);
  });

  it('counts long texts', async () => {
    const text = `select concat('${'a'.repeat(30_000)}', tag.host) as x ${from} order by `;
    expect(await answerOf(text + Array(30).fill('x').join(','))).to.match(tooLarge);
  });

  it('allows BETWEEN inside BETWEEN, but not endless doubling', async () => {
    const chain = (count: number): string =>
      `select value ${from} and value between 0 and 1${' between false and true'.repeat(count)}`;
    expect(await answerOf(chain(8))).to.eql([[1]]);
    expect(await answerOf(chain(40))).to.match(tooLarge);
    const folded = `select 1 between 0 and 1${' between false and true'.repeat(400)}`;
    expect(await answerOf(folded)).to.eql([[true]]);
  });

  it('accepts as many items as fit into a text', async () => {
    const items = Array<number>(32_000).fill(1).join(',');
    expect(await answerOf(`select ${items}`)).to.have.lengthOf(1);
  });
});

describe('the work of constants', () => {
  it('rejects a pattern that grows when expanded', async () => {
    const message = /^validation_failed line 1, column 15: malformed regular expression: with its/;
    expect(await answerOf("select 'a' =~ '(a{1,100}){1,100}'")).to.match(message);
    expect(await answerOf("select 'a' =~ '(a{1,100}){1,10}'")).to.eql([[true]]);
  });

  it('rejects patterns that are too large in total, but counts equal ones once', async () => {
    const many = (pattern: (at: number) => string): string =>
      `select ${Array.from({ length: 40 }, (_, at) => `'a' =~ '${pattern(at)}'`).join(',')}`;
    const message = /regular expressions of this statement are too large in total/;
    expect(await answerOf(many((at) => `a{1,90}${at}`))).to.match(message);
    expect(await answerOf(many(() => 'a{1,90}'))).to.have.lengthOf(1);
  });

  it('rejects endlessly built texts', async () => {
    const grown = `length(replace('${'a'.repeat(100)}','a','${'b'.repeat(100)}'))`;
    const message = /the constants of this statement take too much work on text/;
    expect(await answerOf(`select ${grown}`)).to.eql([[10_000n]]);
    expect(await answerOf(`select ${Array<string>(200).fill(grown).join(',')}`)).to.match(message);
  });

  it('does not match a long text against a long pattern', () => {
    expect(likeMatches('a'.repeat(2048), `%${'a'.repeat(2047)}`)).to.equal(true);
    expect(() => likeMatches('a'.repeat(2049), `%${'a'.repeat(2047)}`)).to.throw(/too much work/);
  });
});

describe('the work of a pattern', () => {
  const empty = patternWork('');

  it('is linear in its length', () => {
    expect(patternWork('a'.repeat(100)) - empty).to.equal(100);
  });

  for (const [pattern, least, most] of [
    ['a{1,100}', 800, 900],
    ['(a{1,10}){1,10}', 800, 1000],
    ['[a-z{3}]{100}', 800, 900],
    ['a{100,}', 800, 900],
    ['\\pL', 128, 140],
    ['[\\pL\\p{Greek}]', 256, 280],
    // None of these repeats anything.
    ['a{,5}', 0, 20],
    ['\\{100}', 0, 20],
    ['[{100}]', 0, 20],
    ['\\\\pL', 0, 20],
  ] as const) {
    it(`of ${pattern} is between ${least} and ${most}`, () => {
      expect(patternWork(pattern) - empty).to.be.within(least, most);
    });
  }
});
