import { assert, expect } from 'chai';

import { prettyPromql } from '../../src/query/promql/print/pretty.js';
import { printPromql } from '../../src/query/promql/print/print.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { randomExpression, scriptedExpressions, shapeOf } from '../support/promql.js';
import { Random, testSeed } from '../support/random.js';

function expectSame(text: string): void {
  const tree = parsePromql(text);
  for (const printed of [printPromql(tree), prettyPromql(tree)]) {
    const again = parsePromql(printed);
    assert.strictEqual(shapeOf(again), shapeOf(tree), `${text}\n${printed}`);
    assert.strictEqual(printPromql(again), printPromql(tree));
  }
}

describe('the printed PromQL tree', () => {
  it('is parsed to the same tree, for every expression of the scripts of Prometheus', () => {
    const expressions = scriptedExpressions();
    expect(expressions.length).to.equal(1479);
    for (const expression of expressions) expectSame(expression);
  });

  it(`is parsed to the same tree, for random expressions (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let count = 0; count < 1000; count += 1) expectSame(randomExpression(random));
  });

  it('keeps an empty grouping of a vector match', () => {
    const text = 'foo * ignoring () group_right (a) bar';
    expect(printPromql(parsePromql(text))).to.equal(text);
  });

  it('keeps bytes that are not UTF-8, and prints digits instead of exponents', () => {
    const printed = (text: string): string => printPromql(parsePromql(text));
    expect(printed(String.raw`"\xff\303\251\xe2\x82"`)).to.equal(String.raw`"\xffé\xe2\x82"`);
    expect(printed('1e21')).to.equal('1000000000000000000000');
    expect(printed('-1.5e-7')).to.equal('-0.00000015');
  });
});
