/** The statements of the page: whatever is put into them stays a text. */

import { assert } from 'chai';

import { tokenize } from '../../src/query/seriesql/language/lexer.js';
import { parseStatement } from '../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../src/query/seriesql/language/query-text.js';
import { filterOf, metricsWithWord, seriesMeasured } from '../../src/ui/statements.js';
import { Random, testSeed } from '../support/random.js';

const letters = ["'", '"', '\\', '.', '*', '(', ')', '[', '%', ';', '-', '\n', 'a', 'é', '😀', ' '];

describe('the statements of the page', () => {
  it(`embed a search word as a single text (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 2_000; round += 1) {
      const size = 1 + random.below(20);
      const word = Array.from({ length: size }, () => random.pick(letters)).join('');
      const source = new QueryText(
        metricsWithWord(word, { keys: ['host', 'k\'8."s'], limit: 200 }),
      );
      const statement = parseStatement(source);
      assert.strictEqual(statement.kind, 'show');
      const texts = tokenize(source).filter((token) => token.kind === 'string');
      // Texts for the name and for each label.
      assert.lengthOf(texts, 3, word);
      assert.lengthOf(new Set(texts.map(({ text }) => text)), 1);
      // In RE2's syntax, which has no other escapes than these.
      const pattern = new RegExp(texts[0]?.text.replace('(?i)', '') ?? '', 'u');
      assert.isTrue(pattern.test(word), word);
    }
  });

  it(`embed metric and label names as names, values as texts (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    const word = (): string =>
      Array.from({ length: 1 + random.below(12) }, () => random.pick(letters)).join('');
    for (let round = 0; round < 2_000; round += 1) {
      const [metric, key, value] = [word(), word(), word()];
      const source = new QueryText(
        seriesMeasured({
          ...{ metric, keys: [key], filter: filterOf({ [key]: value }), limit: 10 },
          ...{ aggregate: 'avg(value)', start: -5n, end: 7n },
        }),
      );
      assert.strictEqual(parseStatement(source).kind, 'select');
      const texts = tokenize(source).filter((token) => token.kind === 'string');
      assert.deepEqual(
        texts.map(({ text }) => text),
        [value],
      );
    }
  });
});
