import { assert } from 'chai';

import { findStatements } from '../../../src/query/seriesql/language/statements.js';

const cut = (text: string) => {
  const { ended, begun, isOpen } = findStatements(text);
  const shown = ({ start, end }: { readonly start: number; readonly end: number }) =>
    text.slice(start, end);
  return { ended: ended.map(shown), begun: begun === null ? null : shown(begun), isOpen };
};

describe('the statements of a text', () => {
  it('end at semicolons outside of quotes and comments', () => {
    assert.deepEqual(cut(`-- ;\nselect ';''', ";" /* ; */ ; ;; show metrics;`), {
      ended: [`select ';''', ";"`, 'show metrics'],
      begun: null,
      isOpen: false,
    });
  });

  it('are unfinished without a semicolon, and open inside quotes and comments', () => {
    assert.deepEqual(cut('select 1; select 2 '), {
      ended: ['select 1'],
      begun: 'select 2',
      isOpen: false,
    });
    for (const open of ["select 'a;", 'select "a;', 'select /* ;', '/* ;']) {
      assert.deepEqual(cut(open), { ended: [], begun: open, isOpen: true });
    }
    assert.deepEqual(cut(' -- nothing\n'), { ended: [], begun: null, isOpen: false });
  });

  it('are found after invalid characters, in time linear in the length', () => {
    const odd = '1.2.3 ? [ ` 5q 2022-13-45x';
    assert.deepEqual(cut(`${odd}; select 1;`).ended, [odd, 'select 1']);
    // With the square it would take minutes.
    const long = '?'.repeat(200_000);
    assert.deepEqual(cut(`${long};`).ended, [long]);
  });
});
