/** Long texts of users in errors, warnings and lists: where they are cut. */
import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { elided } from '../../src/common/model/visible-text.js';
import { previewRowsOf } from '../../src/common/tables/preview-row.js';
import { parseJsonObject } from '../../src/http/fields/json-body.js';
import { refuseUnknown } from '../../src/http/fields/unknown-names.js';
import { RunningQueries } from '../../src/operations/slots/running-queries.js';
import { printSelectors } from '../../src/operations/remote-read.js';
import { Guard } from '../../src/query/limits/guard.js';
import { faultsIn, readPlace } from '../../src/ui/url.js';
import { planned } from '../seriesql/plan/planned.js';

const limits = { maxRows: 1, maxSeries: 1, maxSamples: 1, maxTextBytes: 1, timeoutMs: 1000 };

/** Each of 2000 emoji takes two units of UTF-16. */
const emoji = '😀'.repeat(2000);

function messageOf(fail: () => unknown): string {
  try {
    fail();
  } catch (error) {
    if (error instanceof AppError) return error.message.split('\n').at(0) ?? '';
    throw error;
  }
  throw new Error('nothing was thrown');
}

function listed(text: string): string {
  const queries = new RunningQueries();
  queries.add({ text, asOf: null, guard: new Guard(limits) });
  return queries.list()[0]?.statement ?? '';
}

const shown: Readonly<Record<string, (text: string) => string>> = {
  'an invalid key of the address': (text) => faultsIn(readPlace(`#/m?t=${text}`)).join(),
  'an unknown parameter': (text) =>
    messageOf(() => {
      refuseUnknown([text], ['start']);
    }),
  'a key that occurs twice': (text) =>
    messageOf(() => parseJsonObject(`{"${text}":1,"${text}":2}`)),
  'a refused line of a preview': (text) => previewRowsOf(text, 'ms')[0]?.samples ?? '',
  'an unknown column': (text) => messageOf(() => planned(`select "${text}" from m`)),
  'an unexpected string': (text) => messageOf(() => planned(`select 1 '${text}'`)),
  'an unexpected name': (text) => messageOf(() => planned(`select value from m "${text}" x`)),
  'the list of running queries': listed,
  'matchers of remote_read': (text) => printSelectors([[{ key: 'job', op: '=', value: text }]]),
};

describe('a long text of emoji', () => {
  for (const [name, show] of Object.entries(shown)) {
    it(`is cut between two characters in ${name}`, () => {
      for (const text of [emoji, `x${emoji}`]) {
        const cut = show(text);
        expect(cut).to.include('😀');
        expect(cut.length).to.be.below(2100);
        expect(cut).not.to.match(/\p{Surrogate}|\\ud/u);
      }
    });
  }
});

describe('a text', () => {
  it('ends in … only if it is longer than its limit', () => {
    expect(elided('abc', 3)).to.equal('abc');
    expect(elided('abcd', 3)).to.equal('abc…');
    expect(elided('ab😀', 3)).to.equal('ab…');
    expect(elided('ab😀', 4)).to.equal('ab😀');
  });
});
