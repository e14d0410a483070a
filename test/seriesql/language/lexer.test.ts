import { assert } from 'chai';

import { AppError } from '../../../src/common/errors/app-error.js';
import { tokenize } from '../../../src/query/seriesql/language/lexer.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';

const kinds = (text: string): readonly string[] =>
  tokenize(new QueryText(text)).map((token) => `${token.kind} ${token.text}`.trim());

function refusalLines(text: string): readonly string[] {
  try {
    return [kinds(text).join(', ')];
  } catch (error) {
    if (error instanceof AppError) return error.message.split('\n');
    throw error;
  }
}

const refusal = (text: string): string => refusalLines(text)[0] ?? '';

describe('the lexer', () => {
  it('distinguishes numbers, durations, dates, words and symbols', () => {
    assert.deepEqual(kinds("1 1.5 .5 1e9 5m 1h30m 2022-03-27 a_1 \"a b\" 'it''s' <> <="), [
      ...['integer 1', 'float 1.5', 'float .5', 'float 1e9', 'duration 5m', 'duration 1h30m'],
      ...['timestamp 2022-03-27', 'word a_1', 'quoted a b', "string it's", 'symbol <>'],
      ...['symbol <=', 'end'],
    ]);
  });

  it('skips blanks and comments, and matches keywords in any case', () => {
    assert.deepEqual(kinds('a -- to the end\n/* or\nlonger */ b'), ['word a', 'word b', 'end']);
    assert.deepEqual(
      tokenize(new QueryText('SeLeCt')).map(({ known }) => known),
      ['select', ''],
    );
  });

  it('gives the position of a malformed token', () => {
    assert.match(refusal('select 1.2.3'), /^line 1, column 8: /);
    assert.match(refusal('select 5q'), /^line 1, column 8: /);
    assert.match(refusal("select\n 'open"), /^line 2, column 2: /);
    assert.match(refusal('select ?'), /^line 1, column 8: /);
  });

  it('shows a long line around the fault without half a character', () => {
    const faces = '😀'.repeat(80);
    for (const blank of ['', ' ']) {
      for (const text of [`select ?${blank}'${faces}'`, `select '${faces}'${blank}?`]) {
        const [, line = ''] = refusalLines(text);
        assert.match(line, /…/);
        assert.notMatch(line, /\\ud83d|\\ude00/);
      }
    }
  });

  it('gives the offsets of each token in the text', () => {
    const text = 'select max( value ) from "a b"';
    const cut = tokenize(new QueryText(text)).map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(cut, ['select', 'max', '(', 'value', ')', 'from', '"a b"', '']);
  });
});
