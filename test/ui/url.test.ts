/** The address of the page: what stands behind its #. */

import { assert } from 'chai';

import {
  changed,
  faultsIn,
  placeOfPage,
  printPlace,
  readPlace,
  valueIn,
} from '../../src/ui/url.js';
import { Random, testSeed } from '../support/random.js';

describe("the page's URL", () => {
  it('is parsed with and without its page, its keys and its #', () => {
    for (const text of ['', '#', '#/', '/', '#/?']) {
      assert.deepEqual(readPlace(text), { page: '', keys: new Map() }, text);
    }
    const place = readPlace('#/health/silent?for=1h&m=cpu.usage');
    assert.strictEqual(place.page, 'health/silent');
    assert.deepEqual(
      [...place.keys],
      [
        ['for', '1h'],
        ['m', 'cpu.usage'],
      ],
    );
  });

  it('keeps an invalid percent-encoding unchanged', () => {
    const place = readPlace('#/ask?q=100%&m=%E0%A4%A&flag');
    assert.strictEqual(valueIn(place, 'q'), '100%');
    assert.strictEqual(valueIn(place, 'm'), '%E0%A4%A');
    assert.strictEqual(place.keys.get('flag'), '');
  });

  it(`round-trips any text (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    const letters = [
      'a',
      'é',
      '😀',
      ' ',
      '&',
      '=',
      '#',
      '?',
      '%',
      '+',
      '/',
      '"',
      "'",
      '{',
      '\n',
      '.',
    ];
    const text = (): string =>
      Array.from({ length: 1 + random.below(12) }, () => random.pick(letters)).join('');
    for (let round = 0; round < 2_000; round += 1) {
      const keys = new Map([
        ['q', text()],
        [`x${text()}`, text()],
      ]);
      const place = { page: 'ask', keys };
      assert.deepEqual(readPlace(printPlace(place)), place);
    }
  });

  it('stays readable', () => {
    const place = changed(readPlace('#/look'), { m: 'cpu.load', w: "{region='eu'}", t: '6h' });
    assert.strictEqual(printPlace(place), "#/look?m=cpu.load&w={region='eu'}&t=6h");
  });

  it('keeps unknown keys, in their places', () => {
    const place = readPlace('#/?later=1&t=1h&x=2');
    assert.strictEqual(printPlace(changed(place, { t: '6h' })), '#/?later=1&t=6h&x=2');
    assert.strictEqual(printPlace(changed(place, { t: null })), '#/?later=1&x=2');
  });

  it('carries only the time range and the refresh rate to another page', () => {
    const place = readPlace('#/?q=cpu&t=1h&live=5s&tz=UTC');
    assert.strictEqual(printPlace(placeOfPage('server', place)), '#/server?t=1h&live=5s&tz=UTC');
  });

  const bad = [
    ['t=soon', '“t=soon” is not a valid time range'],
    ['t=2026-11-20..', '“t=2026-11-20..” is not a valid time range'],
    ['live=3s', '“live=3s” is not a valid refresh interval'],
    ['live=constructor', '“live=constructor” is not a valid refresh interval'],
    ['n=0', '“n=0” is not a valid number from 1 to 100, or 1000'],
    ['y=5..4', '“y=5..4” is not a valid axis range'],
    ['y=5', '“y=5” is not a valid axis range'],
    ['n=101', '“n=101” is not a valid number from 1 to 100, or 1000'],
    ['w=region', '“w=region” is not a valid filter in braces'],
    ['tz=Mars/Olympus', '“tz=Mars/Olympus” is not a valid time zone'],
    ['hide=1,b', '“hide=1,b” is not a valid list of series'],
    ['at=now', '“at=now” is not a valid timestamp'],
    ['y=1', '“y=1” is not a valid axis range'],
  ] as const;
  for (const [text, sentence] of bad) {
    it(`ignores ${text}, with a message`, () => {
      const place = readPlace(`#/?${text}`);
      assert.deepEqual(faultsIn(place), [`${sentence}; using the default.`]);
      assert.isNull(valueIn(place, text.split('=')[0] as 't'));
    });
  }

  it('reports no error for a valid URL', () => {
    const place = readPlace(
      '#/look?m=a&w={}&by=host&n=20&sort=-max&t=all&y=log&hide=1,2&at=-5&live=1m&tz=Asia/Kolkata&q=x',
    );
    assert.deepEqual(faultsIn(place), []);
  });
});
