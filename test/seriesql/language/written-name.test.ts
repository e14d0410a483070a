import { expect } from 'chai';

import { parseStatement } from '../../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';
import { metricAsWritten } from '../../../src/query/seriesql/language/written-name.js';

describe("a metric's name printed for a statement", () => {
  const names = [
    'cpu',
    'cpu.load_5',
    'order',
    'load.5',
    'x.1e3',
    'Select.x',
    '5xx',
    'a-b',
    'my "own"',
    'a..b',
    'é',
  ];
  for (const name of names) {
    it(`parses back to ${name}`, () => {
      const text = `show series from ${metricAsWritten(name)}`;
      const statement = parseStatement(new QueryText(text));
      expect(statement).to.have.deep.nested.property('from.name', name);
    });
  }

  it('has quotes only where it needs them', () => {
    expect(['cpu.load_5', 'order', 'a-b'].map(metricAsWritten)).to.deep.equal([
      'cpu.load_5',
      '"order"',
      '"a-b"',
    ]);
  });
});
