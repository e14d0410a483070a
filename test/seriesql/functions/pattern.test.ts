import { assert } from 'chai';

import { compilePattern, kPatternSizeMax, likeMatches } from '../../../src/query/values/pattern.js';
import { startTextWork } from '../../../src/query/limits/text-work.js';

describe('patterns', () => {
  it('match anywhere, and return the text of a group', () => {
    const pattern = compilePattern('web-([0-9]+)');
    assert.isTrue(pattern.matches('a web-12 b'));
    assert.strictEqual(pattern.extract('a web-12 b', 1), '12');
    assert.isNull(pattern.extract('db-1', 0));
    assert.strictEqual(pattern.groupCount, 1);
  });

  it('are rejected past their length limit, and if compiling takes too long', () => {
    assert.doesNotThrow(() => compilePattern('a'.repeat(kPatternSizeMax)));
    assert.throws(() => compilePattern('a'.repeat(kPatternSizeMax + 1)), /longer than/);
    assert.throws(() => compilePattern('((a{100}){100}){100}'), /./);
  });

  it('are not matched against a text that would take too long', () => {
    const pattern = compilePattern('(a{200})*$');
    assert.isTrue(pattern.matches('a'.repeat(2500)));
    const text = 'a'.repeat(16_000);
    assert.throws(() => pattern.matches(text), /too much work for a text of 16000/);
    assert.throws(() => pattern.groups(text), /too much work/);
    assert.throws(() => pattern.extract(text, 0), /too much work/);
    startTextWork();
    const groups = compilePattern('(a*)'.repeat(160));
    assert.isTrue(groups.matches('a'.repeat(800)));
    assert.throws(() => groups.groups('a'.repeat(1200)), /and 160 groups is too much work/);
  });

  it('of LIKE match one character, any text, and escaped characters literally', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['web', 'w%', true],
      ['web', 'w_', false],
      ['w😀b', 'w_b', true],
      ['100%', '100\\%', true],
      ['1000', '100\\%', false],
      ['', '%', true],
      ['aXbXc', 'a%b%c', true],
      ['abab', '%ab', true],
      ['ab', 'ab\\', false],
      ['ab\\', 'ab\\', true],
      ['\ud83d😀', '_😀', true],
      ['😀', '__', false],
      ['😀', '%\ude00', false],
    ];
    for (const [text, pattern, wanted] of cases) {
      assert.strictEqual(likeMatches(text, pattern), wanted, `${text} like ${pattern}`);
    }
    const long = ['a'.repeat(5000), '%'.repeat(5000)] as const;
    assert.throws(() => likeMatches(...long), /too much work for 5000 and 5000 characters/);
  });
});
