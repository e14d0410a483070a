import { expect } from 'chai';
import { readFileSync } from 'node:fs';

import { prettyPromql } from '../../src/query/promql/print/pretty.js';
import { outcomeOf } from '../support/promql.js';

/** One record: the text as Prometheus formats it, or the reason of its refusal. */
interface Recorded {
  readonly text: string;
  readonly pretty?: string;
  readonly error?: string;
}

// `node scripts/peers/record-promql.mjs` writes them.
const path = 'test/promql/recorded.json';
const recorded = JSON.parse(readFileSync(path, 'utf8')) as readonly Recorded[];

/** Cases in which Prometheus 3.5 differs, by mistake or by printing a token's number. */
const ours: ReadonlyMap<string, string> = new Map([
  [
    'info(http_request_counter_total{namespace="zzz"}, {foo="bar"} == 1)',
    '1:51: parse error: expected label selectors only',
  ],
  [
    'info(foo, 1)',
    '1:11: parse error: expected type instant vector in call to function "info", got scalar',
  ],
  ['info(foo, {})', 'info(foo, {})'],
  ['@@', '1:1: parse error: unexpected <op:@>'],
  ['foo offset @', '1:12: parse error: unexpected <op:@> in offset, expected number or duration'],
  ['foo + ignoring() group_left(a) bar', 'foo + ignoring () group_left (a) bar'],
  ['foo[5m x1m]', "1:8: parse error: unexpected character: 'x', expected ':'"],
  ['foo[5s x 5s]', "1:8: parse error: unexpected character: 'x', expected ':'"],
  ['foo[5s s 5s]', "1:8: parse error: unexpected character: 's', expected ':'"],
  ['foo[2m/range()]', "1:8: parse error: unexpected character: 'r', expected ':'"],
]);

describe('recorded PromQL texts of Prometheus', () => {
  for (const { text, pretty, error } of recorded) {
    it(`are rejected or formatted the same: ${JSON.stringify(text).slice(0, 70)}`, () => {
      const outcome = outcomeOf(text);
      const said = typeof outcome === 'string' ? outcome : prettyPromql(outcome);
      expect(said).to.equal(ours.get(text) ?? pretty ?? error);
    });
  }

  it('are many of both kinds', () => {
    const refused = recorded.filter(({ error }) => error !== undefined);
    expect(refused.length).to.be.greaterThan(200);
    expect(recorded.length - refused.length).to.be.greaterThan(200);
  });
});
