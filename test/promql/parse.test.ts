import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { promqlList } from '../../src/query/promql/functions/promql-list.js';
import { parsePromql } from '../../src/query/promql/parse.js';
import { textPlace } from '../../src/query/promql/syntax/text-place.js';
import { typeOf } from '../../src/query/promql/syntax/type-of.js';
import { outcomeOf } from '../support/promql.js';

const typed = (text: string): string => typeOf(parsePromql(text));

describe('the PromQL syntax tree', () => {
  it('has the type of its result', () => {
    expect(['1', '-(1 + 2)', 'time()', 'scalar(a)'].map(typed)).to.deep.equal(
      Array(4).fill('scalar'),
    );
    expect(['a', '1 + a', 'sum(a)', 'rate(a[5m])'].map(typed)).to.deep.equal(
      Array(4).fill('vector'),
    );
    expect(['a[5m]', 'a[5m:]'].map(typed)).to.deep.equal(['matrix', 'matrix']);
    expect(typed('("x")')).to.equal('string');
  });

  it('has positions in UTF-16 units, and prints them in bytes', () => {
    const text = '"é" and\n  "😀"';
    const tree = parsePromql('a{b="é😀"} + c');
    expect(tree.place).to.deep.equal({ start: 0, end: 14 });
    expect(textPlace(text, text.indexOf('and'))).to.equal('1:6');
    expect(textPlace(text, text.length - 1)).to.equal('2:8');
    expect(textPlace('', 0)).to.equal('unknown position');
  });

  it('keeps offset and @ of a range with its selector', () => {
    const tree = parsePromql('foo{a="b"}[5m] @ 1.2345 offset -1m');
    expect(tree).to.deep.include({ kind: 'matrix', place: { start: 0, end: 34 } });
    const { of } = tree as Extract<typeof tree, { kind: 'matrix' }>;
    expect(of.at).to.deep.equal({ ms: 1235 });
    expect(of.offset).to.deep.include({ kind: 'number', value: -60, isDuration: true });
    expect(of.matchers).to.deep.equal([
      { key: 'a', op: '=', value: 'b' },
      { key: '__name__', op: '=', value: 'foo' },
    ]);
  });

  it('has an offset only if it is not zero', () => {
    expect(parsePromql('foo offset 0s')).to.deep.include({ offset: null });
    expect(parsePromql('foo offset (5m - 5m)')).not.to.deep.include({ offset: null });
  });

  it('matches series only where both sides are vectors', () => {
    expect(parsePromql('a + 1')).to.deep.include({ matching: null });
    const sets = { cardinality: 'manyToMany', isOn: true, labels: ['x'], include: [] };
    expect(parsePromql('a or on(x) b')).to.deep.include({ matching: sets });
    const many = { cardinality: 'oneToMany', isOn: false, labels: ['x'], include: ['y'] };
    expect(parsePromql('a + ignoring(x) group_right(y) b')).to.deep.include({ matching: many });
  });

  const hints: readonly (readonly [text: string, hint: string])[] = [
    ['rate(m)', 'write rate(m[5m])'],
    ['sum(increase(m{a="b"}))', 'write increase(m{a="b"}[5m])'],
    ['avg_over_time(sum(m))', '(…)[1h:5m] behind anything else'],
    ['sum(rate(m[5m]))[1h]', 'a range over any other expression has a step'],
    ['mean(m)', 'write avg(m) over series'],
    ['Percentile(95, m)', 'write quantile(0.95, m)'],
    ['rte(m[5m])', 'did you mean rate?'],
    ['m{host=web-1}', 'write "web-1"'],
    ['sum by host (m)', 'write (host)'],
    ['rate(m[5m]) by (host)', 'only aggregations have groups'],
    ['rate(m[24H])', 'write 24h'],
    ["m{tag.dc='fra'}", 'write dc'],
  ];
  for (const [text, hint] of hints) {
    it(`says how to write ${text}`, () => {
      expect(() => parsePromql(text))
        .to.throw(AppError)
        .with.property('hint')
        .that.includes(hint);
    });
  }

  it('has the operator precedence of Prometheus', () => {
    const same = (left: string, right: string): void => {
      const [first, second] = [left, right].map((text) => treeText(text));
      expect(first, left).to.equal(second);
    };
    same('-a ^ b', '-(a ^ b)');
    same('a ^ b ^ c', 'a ^ (b ^ c)');
    same('a - b - c', '(a - b) - c');
    same('a ^ -b * c', '(a ^ (-b)) * c');
    same('a or b and c unless d', 'a or ((b and c) unless d)');
    same('a + b < c * d % e atan2 f', '(a + b) < (((c * d) % e) atan2 f)');
    same('-a offset 5m', '-(a offset 5m)');
    same('a offset 5m ^ 2', '(a offset 5m) ^ 2');
  });

  it('knows the 80 functions of Prometheus 3.5, eight of them experimental, and one more', () => {
    expect(promqlList.length).to.equal(81);
    const experimental = promqlList.filter(({ signature }) => signature.isExperimental);
    expect(experimental.length).to.equal(8);
    for (const of of ['count', 'sum', 'avg', 'stddev', 'stdvar']) {
      expect(outcomeOf(`histogram_${of}(a)`)).not.to.be.a('string');
    }
  });

  it('accepts RE2 patterns, and lists of any length', () => {
    expect(outcomeOf('a{b=~"(?i)x\\\\d{2}"}')).not.to.be.a('string');
    expect(outcomeOf('a{b=~"(?=x)"}')).to.match(/^1:3: parse error: error parsing regexp: /);
    expect(outcomeOf('{b=~"x|"}')).to.include('at least one non-empty matcher');
    expect(outcomeOf('{b!~"x|"}')).not.to.be.a('string');
  });
});

/** Prints the tree with parentheses around every operation. */
function treeText(text: string): string {
  const bare = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    const one = node as { readonly kind?: unknown; readonly of?: unknown };
    if (one.kind === 'parens') return bare(one.of);
    return Object.fromEntries(
      Object.entries(node)
        .filter(([key]) => key !== 'place')
        .map(([key, value]) => [key, bare(value)]),
    );
  };
  return JSON.stringify(bare(parsePromql(text)));
}
