/** Tables of the page as CSV. */

import { assert } from 'chai';

import { printCsv } from '../../src/ui/csv.js';

describe('a table saved as CSV', () => {
  it('has exact integers, necessary quotes, and distinct null and empty text', () => {
    const rows = [
      ['a,b', 9_007_199_254_740_993n, null],
      ['say "so"', -0.5, ''],
      ['two\nlines', 1, '<b>'],
    ];
    const text =
      'name,count,more\r\n"a,b",9007199254740993,\r\n"say ""so""",-0.5,""\r\n' +
      '"two\nlines",1,<b>\r\n';
    assert.strictEqual(printCsv(['name', 'count', 'more'], rows), text);
  });
});
