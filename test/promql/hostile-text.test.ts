import { assert, expect } from 'chai';

import { isInvariant } from '../../src/query/promql/evaluate/invariant.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { prettyPromql } from '../../src/query/promql/print/pretty.js';
import { printPromql } from '../../src/query/promql/print/print.js';
import { typeOf } from '../../src/query/promql/syntax/type-of.js';
import { outcomeOf, randomExpression } from '../support/promql.js';
import { Random, testSeed } from '../support/random.js';

const tokens = (
  'foo a b:c sum topk count_values by without on ignoring group_left group_right bool offset @ and ' +
  'or unless atan2 start end start() rate( abs( info( label_join( time() vector( sum( ( ) ( ) { } [ ] ' +
  '[5m] [5m: : , = == != =~ !~ < >= + - * / % ^ 1 0 5m 2.5 0x1f 1e 1_0 010 inf nan 5m3 0.1.2 "x" ' +
  '\'y\' `z` "\\q" "\\xff" \' " ` # é 😀 \ud800 \ufffd ! $ ~ ; \\ {a="b"} {a=~"("} {""} (a,b) on(a)'
).split(' ');

/** An error message: a place and a sentence. */
const told = /^(?:\d+:\d+|unknown position): parse error: ./s;

function soup(random: Random): string {
  const glue = [' ', ' ', '', '\n', '\t'];
  const parts = Array.from({ length: 1 + random.below(14) }, () => {
    return `${tokens[random.below(tokens.length)] ?? ''}${glue[random.below(glue.length)] ?? ''}`;
  });
  return parts.join('');
}

/** The text with one piece replaced. */
function spoilt(text: string, random: Random): string {
  const start = random.below(text.length + 1);
  const end = Math.min(text.length, start + random.below(4));
  return text.slice(0, start) + soup(random).slice(0, random.below(8)) + text.slice(end);
}

describe('hostile PromQL text', () => {
  it(`is parsed or rejected, never a failure (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    let refused = 0;
    for (let count = 0; count < 6_000; count += 1) {
      const isSoup = random.below(2) === 0;
      const text = isSoup ? soup(random) : spoilt(randomExpression(random), random);
      const outcome = outcomeOf(text);
      if (typeof outcome !== 'string') continue;
      refused += 1;
      assert.match(outcome, told, text);
    }
    expect(refused).to.be.greaterThan(1000);
  });

  it('is rejected if nested deeper than 256 levels', () => {
    const deep = 'nested at most 256 levels deep';
    const texts = ['('.repeat(100_000), '-'.repeat(100_000), 'abs('.repeat(50_000)];
    const chains = [' ^ a', '[1m:]', ' offset 0'].map((one) => `a${one.repeat(9999)}`);
    const durations = [
      `a[${'('.repeat(9999)}`,
      `a[1${'+1'.repeat(9999)}]`,
      `a[1${'^1'.repeat(9999)}]`,
    ];
    for (const text of [...texts, ...chains, ...durations])
      expect(outcomeOf(text)).to.include(deep);
    expect(outcomeOf(`${'('.repeat(255)}a${')'.repeat(255)}`)).not.to.be.a('string');
  });

  it('may have 4,096 operators in a row, and no more', () => {
    for (const [operand, op] of [
      ['1', '+'],
      ['a', 'or'],
      ['a', '+'],
      ['a', 'and'],
      ['a', '> bool'],
      ['1', '> bool'],
    ] as const) {
      const chainOf = (count: number): string => `${operand}${` ${op} ${operand}`.repeat(count)}`;
      assert.include(outcomeOf(chainOf(4097)), 'at most 4096 operators in a row', op);
      const expression = parsePromql(chainOf(4096));
      assert.strictEqual(printPromql(expression), chainOf(4096));
      const indents = prettyPromql(expression)
        .split('\n')
        .map((line) => line.search(/\S/));
      assert.strictEqual(Math.max(...indents), 512);
      assert.strictEqual(isInvariant(expression), operand === '1');
      assert.strictEqual(typeOf(expression), operand === '1' ? 'scalar' : 'vector');
    }
    assert.include(outcomeOf(`(${'-{}-1'.repeat(9999)})`), 'at most 4096 operators in a row');
    expect(outcomeOf(`m > ${'1 + '.repeat(4096)}1`)).not.to.be.a('string');
  });

  it('is rejected if longer than 262,144 bytes', () => {
    const long = '1:1: parse error: an expression has at most 262144 bytes';
    expect(outcomeOf(`a${' '.repeat(262_143)}`)).not.to.be.a('string');
    expect(outcomeOf(`a${' '.repeat(262_144)}`)).to.equal(long);
    expect(outcomeOf(`"${'é'.repeat(131_072)}"`)).to.equal(long);
  });

  it('costs time linear in its length', () => {
    const lists = Array.from({ length: 9000 }, (_, at) => `l${at}="v"`).join(',');
    expect(outcomeOf(`a{${lists}}`)).not.to.be.a('string');
    expect(outcomeOf(`a{b=~"${'one|'.repeat(50_000)}two"}`)).not.to.be.a('string');
    expect(outcomeOf(`# ${'#'.repeat(200_000)}\na`)).not.to.be.a('string');
    expect(outcomeOf('#\n'.repeat(100_000))).to.include('no expression found');
    expect(outcomeOf('9'.repeat(200_000))).to.include('value out of range');
    expect(outcomeOf('1h'.repeat(100_000))).to.include('not a valid duration');
  });
});
