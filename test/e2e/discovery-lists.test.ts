/** Long discovery lists, in parts, sorted, filtered and counted, against a naive model. */
import { assert } from 'chai';

import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

interface Health {
  readonly metric: string;
  readonly series_count: number;
  readonly inactive_series_count: number;
  readonly missing_metadata: readonly string[];
  readonly last_ts: number;
}

interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

const kMetrics = 700;
const kRecent = 1000;

/** One to eight series per metric; some without samples, some with a descriptor. */
function makeSeries(): readonly Series[] {
  return Array.from({ length: kMetrics }, (_, at) =>
    Array.from({ length: 1 + (at % 8) }, (__, host) => ({
      metric: `m.${String((at * 7919) % 1000)}`,
      labels: { host: `h${String(host)}`, zone: host % 3 === 0 ? 'a' : 'b' },
    })),
  ).flat();
}

function lineOf({ metric, labels }: Series, at: number): string {
  const number = Number(metric.slice(2));
  const told = number % 5 === 0 ? { kind: 'gauge', unit: 's', description: 'Told.' } : {};
  const ts = (at % 4 === 0 ? 0 : kRecent) + (number % 97);
  return JSON.stringify({ metric, labels, ts, value: 1, ...told });
}

describe('discovery lists', function () {
  this.timeout(60_000);
  const all = makeSeries();
  let server: Server;
  let client: Client;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    client = new Client(server.port);
    const body = all.map(lineOf).join('\n');
    assert.strictEqual((await client.request('POST', '/api/v1/ingest', { body })).status, 200);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  const ask = async <T>(path: string, asked: object): Promise<T> => {
    const body = JSON.stringify(asked);
    const answer = await client.request('POST', `/api/v1/${path}`, { body });
    assert.strictEqual(answer.status, 200, answer.body);
    return JSON.parse(answer.body) as T;
  };
  const codeOf = async (path: string, asked: object): Promise<unknown> => {
    const body = JSON.stringify(asked);
    const answer = await client.request('POST', `/api/v1/${path}`, { body });
    return [answer.status, (JSON.parse(answer.body) as { code: string }).code];
  };
  const health = (asked: object): Promise<Health[]> =>
    ask('metrics/health', { inactive_before_ts: kRecent, ...asked });

  /** A whole list, read `limit` rows at a time. */
  async function inParts<T>(part: (after: object) => Promise<T[]>, key: keyof T): Promise<T[]> {
    const rows: T[] = [];
    let after: object = {};
    for (;;) {
      const next = await part(after);
      rows.push(...next);
      after = { after: next.at(-1)?.[key] };
      if (next.length === 0) return rows;
    }
  }

  for (const filter of [{}, { labels: { zone: 'a' } }, { prefix: 'm.5' }]) {
    it(`are the same page by page: ${JSON.stringify(filter)}`, async () => {
      for (const path of ['metrics/find', 'metrics/health']) {
        const whole = await ask<Health[]>(path, filter);
        const parts = await inParts<Health>(
          (after) => ask(path, { ...filter, ...after, limit: 123 }),
          'metric',
        );
        assert.deepEqual(parts, whole);
      }
    });
  }

  it('of series and of values are the same page by page', async () => {
    const { metric } = all.find(({ labels }) => labels['host'] === 'h7') ?? { metric: '' };
    const whole = await ask<{ series_id: number }[]>('series/find', { metric });
    assert.lengthOf(whole, 8);
    const parts = await inParts<{ series_id: number }>(
      (after) => ask('series/find', { metric, ...after, limit: 3 }),
      'series_id',
    );
    assert.deepEqual(parts, whole);
    for (const filter of [{}, { metric }, { labels: { zone: 'b' } }]) {
      const asked = { key: 'host', ...filter };
      const { values } = await ask<{ values: string[] }>('labels/values', asked);
      const listed = await inParts<{ value: string }>(async (after) => {
        const cut = { ...asked, ...after, limit: 2 };
        const part = await ask<{ values: string[] }>('labels/values', cut);
        return part.values.map((value) => ({ value }));
      }, 'value');
      assert.deepEqual(
        listed,
        values.map((value) => ({ value })),
      );
    }
  });

  it('of health return only silent or undocumented metrics, in the requested order', async () => {
    const whole = await health({});
    const silent = whole.filter((one) => one.inactive_series_count > 0);
    const untold = whole.filter((one) => one.missing_metadata.length > 0);
    assert.isTrue(silent.length > 0 && silent.length < whole.length);
    assert.isTrue(untold.length > 0 && untold.length < whole.length);
    const orders = {
      series_count: (a: Health, b: Health) => b.series_count - a.series_count,
      inactive_series_count: (a: Health, b: Health) =>
        b.inactive_series_count - a.inactive_series_count,
      last_ts: (a: Health, b: Health) => a.last_ts - b.last_ts,
    };
    for (const [only, rows] of Object.entries({ inactive: silent, undocumented: untold })) {
      assert.deepEqual(await health({ only }), rows);
      assert.deepEqual(await health({ only, limit: 300 }), rows.slice(0, 300));
      const labels = { zone: 'b' };
      const some = (await health({ labels })).filter((one) =>
        only === 'inactive' ? one.inactive_series_count > 0 : one.missing_metadata.length > 0,
      );
      assert.deepEqual(await health({ only, labels }), some);
      for (const [sort, order] of Object.entries(orders)) {
        assert.deepEqual(
          await health({ only, sort, limit: 50 }),
          rows.toSorted(order).slice(0, 50),
        );
      }
    }
  });

  it('of values count series: all, of a metric, and by labels', async () => {
    const { metric } = all.find(({ labels }) => labels['host'] === 'h5') ?? { metric: '' };
    for (const filter of [{}, { metric }, { labels: { zone: 'a' } }, { prefix: 'h1' }]) {
      const expected = new Map<string, number>();
      for (const { metric: name, labels } of all) {
        if ('metric' in filter && name !== filter.metric) continue;
        if ('labels' in filter && labels['zone'] !== filter.labels.zone) continue;
        const host = labels['host'] ?? '';
        if ('prefix' in filter && !host.startsWith(filter.prefix)) continue;
        expected.set(host, (expected.get(host) ?? 0) + 1);
      }
      const rows = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
      const orders = { value: rows, series_count: rows.toSorted(([, a], [, b]) => b - a) };
      for (const [counted, sorted] of Object.entries(orders)) {
        const told = await ask<Counted>('labels/values', { key: 'host', counted, ...filter });
        assert.deepEqual(
          told.values,
          sorted.map(([value]) => value),
        );
        assert.deepEqual(
          told.series_counts,
          sorted.map(([, count]) => count),
        );
      }
    }
    const nothing = await ask<Counted>('labels/values', { key: 'absent', counted: 'value' });
    assert.deepEqual(nothing, { values: [], series_counts: [] });
  });

  it('reject an order that pages cannot have, and unknown words', async () => {
    const after = { after: 'm' };
    const wrong = [
      ['metrics/health', { sort: 'last_ts', ...after }, 'invalid_after'],
      ['labels/values', { key: 'k', counted: 'series_count', ...after }, 'invalid_after'],
      ['series/find', { metric: 'm', after: 'x' }, 'invalid_after'],
      ['metrics/health', { sort: 'name' }, 'invalid_sort'],
      ['metrics/health', { only: 'x' }, 'invalid_only'],
      ['labels/values', { key: 'k', counted: true }, 'invalid_counted'],
    ] as const;
    for (const [path, asked, code] of wrong) {
      assert.deepEqual(await codeOf(path, asked), [400, code]);
    }
  });
});

interface Counted {
  readonly values: readonly string[];
  readonly series_counts: readonly number[];
}
