/** Refusals of the Prometheus routes: status and message. */
import { expect } from 'chai';

import { digestOf } from '../../../src/http/auth/token.js';
import { catalog, type ErrorCode } from '../../../src/common/errors/catalog.js';
import { AppError } from '../../../src/common/errors/app-error.js';
import { prometheus } from '../../../src/http/protocols/prometheus/dialect.js';
import { startInjected, type InjectedServer } from '../../support/http-server.js';

const timestamp = (text: string) => `cannot parse "${text}" to a valid timestamp`;
const duration = (text: string) => `cannot parse "${text}" to a valid duration`;
const zero =
  'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer';
const resolution =
  'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)';

/** Each with Prometheus 3.5.3's message. */
const refused: readonly (readonly [string, string])[] = [
  [
    'query',
    'invalid parameter "query": unknown position: parse error: no expression found in input',
  ],
  ['query?query=up(', 'invalid parameter "query": 1:4: parse error: unclosed left parenthesis'],
  [
    'query?query=up&time=x',
    `invalid parameter "time": invalid time value for 'time': ${timestamp('x')}`,
  ],
  ['query?query=up&timeout=x', `invalid parameter "timeout": ${duration('x')}`],
  [
    'query?query=up&limit=x',
    'invalid parameter "limit": strconv.Atoi: parsing "x": invalid syntax',
  ],
  ['query?query=up&limit=-1', 'invalid parameter "limit": limit must be non-negative'],
  [
    'query?query=up&limit=99999999999999999999',
    'invalid parameter "limit": strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ['query?query=up&lookback_delta=x', `error parsing lookback delta duration: ${duration('x')}`],
  ['query_range?query=up&start=x&end=2&step=1', `invalid parameter "start": ${timestamp('x')}`],
  ['query_range?query=up&start=1&end=2&step=1.5h', `invalid parameter "step": ${duration('1.5h')}`],
  ['query_range?query=up&start=1&end=2&step=1m1h', `invalid parameter "step": ${duration('1m1h')}`],
  ['query_range?query=up&start=1&end=2&step=-5m', `invalid parameter "step": ${duration('-5m')}`],
  ['query_range?query=up&start=1&end=2&step=0', zero],
  ['query_range?query=up&start=1&end=2&step=-1', zero],
  ['query_range?query=up&start=1&end=2&step=NaN', zero],
  [
    'query_range?query=up&start=1&end=2&step=Inf',
    `invalid parameter "step": ${duration('Inf')}. It overflows int64`,
  ],
  [
    'query_range?query=up&start=1&end=2&step=99999999999999',
    `invalid parameter "step": ${duration('99999999999999')}. It overflows int64`,
  ],
  [
    'query_range?query=up&start=1&end=0&step=1',
    'invalid parameter "end": end timestamp must not be before start time',
  ],
  ['query_range?query=up&start=0&end=11001&step=1', resolution],
  [
    'query_range?query=%22a%22&start=0&end=1&step=1',
    'invalid parameter "query": invalid expression type "string" for range query, must be Scalar or instant Vector',
  ],
  [
    'query_range?query=up[5m]&start=0&end=1&step=1',
    'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector',
  ],
  ['series', 'no match[] parameter provided'],
  [
    'series?match[]=up&start=x',
    `invalid parameter "start": invalid time value for 'start': ${timestamp('x')}`,
  ],
  [
    'series?match[]=up&limit=1.5',
    'invalid parameter "limit": strconv.Atoi: parsing "1.5": invalid syntax',
  ],
  ['labels?limit=-1', 'invalid parameter "limit": limit must be non-negative'],
  ['metadata?limit=x', 'limit must be a number'],
  ['metadata?limit_per_metric=x', 'limit_per_metric must be a number'],
  [
    'format_query?query=(',
    'invalid parameter "query": 1:2: parse error: unclosed left parenthesis',
  ],
  ['query_exemplars?query=(', '1:2: parse error: unclosed left parenthesis'],
  ['query_exemplars?query=up&start=2&end=1', 'end timestamp must not be before start timestamp'],
];

/** Prometheus has no message for these, or another one. */
const refusedHere: readonly (readonly [string, RegExp])[] = [
  ['query_range?query=up&end=2&step=1', /cannot parse "" to a valid timestamp: start is missing$/],
  ['query_range?query=up&start=1&step=1', /cannot parse "" to a valid timestamp: end is missing$/],
  ['query_range?query=up&start=0&end=2', /cannot parse "" to a valid duration: step is missing$/],
  ['query?query=up&time=NaN', /cannot parse "NaN" to a valid timestamp/],
  ['query?query=%zz', /^the query string is not valid$/],
  ['series?match[]={}', /^invalid parameter "match\[\]": 1:1: parse error: vector selector must/],
  [
    'series?match[]=up[5m]',
    /^invalid parameter "match\[\]": 1:1: parse error: only a series selector/,
  ],
  ['series?match[]=up%20offset%205m', /only a series selector/],
  ['series?match[]=up@5', /only a series selector/],
  ['series?match[]=sum(up)', /only a series selector/],
  ['series?match[]=', /^invalid parameter "match\[\]": unknown position: parse error/],
  ['labels?match[]=up&match[]=(', /^invalid parameter "match\[\]": 1:2: parse error/],
  ['label/job/values?match[]=up(', /^invalid parameter "match\[\]"/],
];

describe('the Prometheus routes reject', () => {
  let server: InjectedServer;
  afterEach(() => {
    server.close();
  });
  const start = (options: Parameters<typeof startInjected>[0] = {}): void => {
    server = startInjected(options);
  };

  async function ask(target: string, asked: object = {}): Promise<[number, unknown, Headers]> {
    const answer = await server.ask(`/api/v1/${target}`, asked);
    return [answer.status, await answer.json(), answer.headers];
  }
  const asForm = (target: string): [string, object] => {
    const [path = '', query = ''] = target.split('?');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return [path, { method: 'POST', body: query, headers }];
  };

  it('what Prometheus rejects, with its messages, by GET and by POST', async () => {
    start();
    for (const [target, error] of refused) {
      const expected = [400, { status: 'error', errorType: 'bad_data', error }];
      expect((await ask(target)).slice(0, 2), target).to.deep.equal(expected);
      if (target.startsWith('metadata')) continue;
      expect((await ask(...asForm(target))).slice(0, 2), target).to.deep.equal(expected);
    }
  });

  it('meaningless parameters', async () => {
    start();
    for (const [target, error] of refusedHere) {
      const [status, body] = await ask(target);
      expect([status, body], target).to.deep.include(400);
      expect((body as { error: string }).error, target).to.match(error);
    }
  });

  it('a body that is not a form, and one that is too large', async () => {
    start();
    const body = '{"query":"1"}';
    const headers = { 'content-type': 'application/json' };
    const [status, told] = await ask('query', { method: 'POST', body, headers });
    expect(status).to.equal(415);
    expect(told).to.include({ status: 'error', errorType: 'bad_data' });
    const large = { method: 'POST', body: `query=${'1'.repeat(1 << 20)}` };
    expect((await ask('query', large))[0]).to.equal(413);
  });

  it('unknown paths, disallowed methods and a wrong token', async () => {
    const named = [{ name: 'w', scopes: ['write'] as const, digest: digestOf('w') }];
    start({ token: 't', named });
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const [status, body, headers] = await ask('query?query=1');
    expect([status, headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
    expect(body).to.include({ status: 'error', errorType: 'unauthorized' });
    const [forbidden, why] = await ask('query?query=1', bearer('w'));
    expect(forbidden).to.equal(403);
    expect(why).to.include({ status: 'error', errorType: 'forbidden' });
    const deleted = await ask('label/a/values', { method: 'DELETE', ...bearer('t') });
    expect(deleted[0]).to.equal(405);
    expect(deleted[2].get('allow')).to.equal('GET, HEAD');
    expect(deleted[1]).to.include({ status: 'error', errorType: 'bad_data' });
    // Paths that only Prometheus has are answered like any unknown path.
    for (const path of ['parse_query', 'targets', 'status/config', 'status/walreplay', 'label/a']) {
      const [found, told] = await ask(path, bearer('t'));
      expect(found, path).to.equal(404);
      expect(told).to.deep.equal({ error: 'no such path', code: 'not_found', status: 404 });
    }
  });

  it('every error with a status and a type that Prometheus clients know', () => {
    const printed = (code: ErrorCode) => {
      const error = new AppError(code, 'why');
      const asked = { error, headers: [], version: '', contentType: undefined };
      const { status, headers = [], body } = prometheus.printError(asked);
      const { errorType } = JSON.parse(body as string) as { errorType: string };
      return { status, errorType, isRetried: headers.some(([key]) => key === 'retry-after') };
    };
    const is = (status: number, errorType: string, isRetried = false) => ({
      ...{ status, errorType, isRetried },
    });
    expect(printed('parse_failed')).to.deep.equal(is(400, 'bad_data'));
    expect(printed('invalid_parameter')).to.deep.equal(is(400, 'bad_data'));
    expect(printed('validation_failed')).to.deep.equal(is(400, 'bad_data'));
    expect(printed('execution_error')).to.deep.equal(is(422, 'execution'));
    expect(printed('query_limit_exceeded')).to.deep.equal(is(422, 'execution'));
    expect(printed('query_timeout')).to.deep.equal(is(503, 'timeout'));
    expect(printed('request_timeout')).to.deep.equal(is(503, 'timeout'));
    expect(printed('query_cancelled')).to.deep.equal(is(503, 'canceled'));
    expect(printed('too_many_queries')).to.deep.equal(is(503, 'unavailable', true));
    expect(printed('storage_unavailable')).to.deep.equal(is(503, 'unavailable', true));
    expect(printed('storage_corrupt')).to.deep.equal(is(503, 'unavailable', true));
    expect(printed('closed')).to.deep.equal(is(503, 'unavailable', true));
    expect(printed('internal_error')).to.deep.equal(is(500, 'internal'));
    expect(printed('payload_too_large')).to.deep.equal(is(413, 'bad_data'));
    const known = ['bad_data', 'execution', 'timeout', 'canceled', 'unavailable', 'internal'];
    known.push('unauthorized', 'forbidden', 'not_found');
    for (const code of Object.keys(catalog) as ErrorCode[]) {
      expect(known, code).to.include(printed(code).errorType);
    }
  });
});
