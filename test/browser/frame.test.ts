/** The built-in page as a user sees it: its frame, its first page, its token. */

import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { barriers, widthBeyond } from '../support/page-barriers.js';
import { untilLater } from '../support/page-checks.js';
import {
  killServers,
  startServer,
  temporaryDirectory,
  type Server,
  type ServerOptions,
} from '../support/server.js';
import { typeInto } from '../support/typed.js';

const start = (options: Partial<ServerOptions> = {}): Promise<Server> =>
  startServer({ dataDir: temporaryDirectory(), ...options });

interface Written {
  readonly port: number;
  readonly token?: string;
  readonly lines: readonly object[];
}

async function write({ port, token, lines }: Written): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/ingest`, {
    method: 'POST',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  assert.strictEqual(response.status, 200, await response.text());
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** 21 November 2026, 03:12 in Berlin. */
const ts = 1_795_227_120_000;
const lines = [
  {
    ...{ metric: 'cpu.usage_user', kind: 'gauge', unit: 'percent', ts, value: 18.8 },
    ...{ description: 'CPU time in user mode', labels: { hostname: 'host_1' } },
  },
  { metric: 'cpu.usage_user', ts, value: 80.2, labels: { hostname: 'host_2' } },
  { metric: 'net.bytes', kind: 'counter', unit: 'bytes', ts, value: 5, labels: { hostname: 'a' } },
];

describe('the built-in page', () => {
  let server: Server;

  before(async () => {
    server = await start();
    await write({ port: server.port, lines });
  });
  after(killServers);

  it(
    'opens every page without an error, a foreign request or a policy violation',
    onPages(async (open) => {
      const page = await open(server.url);
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      await links.first().waitFor();
      const names = ['Metrics', 'Ask', 'Boards', 'Notes', 'Compare', 'Health', 'Server'];
      assert.strictEqual(await links.count(), names.length);
      for (const name of names) {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
      }
      await page.getByText('seriesdb 0.1.0').waitFor();
    }),
  );

  it(
    'explains how to fill an empty database, and shows the first metric unasked',
    onPages(async (open) => {
      const empty = await start();
      const page = await open(empty.url, { hasClock: true });
      await page.getByRole('heading', { name: 'No metrics yet' }).waitFor();
      const command = await page.getByLabel('Command that writes a sample').textContent();
      assert.include(command, `curl ${empty.url}/api/v1/ingest`);
      await page.getByRole('button', { name: 'Copy' }).waitFor();
      await page.evaluate('window.isTheSame = true');
      await write({ port: empty.port, lines });
      await untilLater(page, page.getByRole('row', { name: /cpu\.usage_user/ }));
      assert.isTrue(await page.evaluate('window.isTheSame'));
    }),
  );

  it(
    'shows a command that writes a sample',
    onPages(async (open) => {
      const empty = await start();
      const page = await open(empty.url, { hasClock: true });
      const command = await page.getByLabel('Command that writes a sample').textContent();
      const { runInShell } = await import('../support/page-session.js');
      const { code, out } = await runInShell(command ?? 'false', empty.port);
      assert.strictEqual(code, 0, out);
      await untilLater(page, page.getByRole('row', { name: /cpu\.load/ }));
    }),
  );

  it(
    'finds a metric by a word inside its name, and keeps the search in the URL',
    onPages(async (open) => {
      const page = await open(server.url);
      await page.getByRole('row', { name: /net\.bytes/ }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('usage');
      await page.getByText('1 of 2 metrics.').first().waitFor();
      const row = page.getByRole('row', { name: /cpu\.usage_user/ });
      for (const text of ['gauge', 'CPU time in user mode', '%', '2']) {
        assert.include(await row.innerText(), text);
      }
      assert.include(page.url(), '#/?q=usage');
      await page.reload();
      await page.getByText('1 of 2 metrics.').first().waitFor();
      await typeInto(page.getByRole('searchbox', { name: 'Find metrics' }), 'nothing_such');
      await page.getByText('No metric has “nothing_such” in its name or in its labels.').waitFor();
      await page.getByRole('link', { name: 'Show all' }).click();
      await page.getByText('2 metrics.').first().waitFor();
    }),
  );

  it(
    'lists the latest metrics first, sorts by each column, and searches labels',
    onPages(async (open) => {
      const own = await start();
      const now = Date.now();
      const sample = (metric: string, at: number, more: object) => ({
        ...{ metric, ts: now - at * 600_000, value: at % 7, ...more },
      });
      const all = Array.from({ length: 100 }, (_, at) => [
        sample('old.one', at + 20, { labels: { room: 'Kitchen' } }),
        sample('new.one', at, { labels: { host: 'web-1' } }),
        sample('new.one', at, { labels: { host: 'web-2' } }),
        sample('sent.bytes', at + 1, { kind: 'counter', unit: 'bytes', labels: {} }),
      ]);
      await write({ port: own.port, lines: all.flat() });
      const page = await open(own.url);
      const names = page.locator('main table a.name');
      await names.first().waitFor();
      const listed = async (): Promise<string> =>
        String(
          await page.evaluate(
            "[...document.querySelectorAll('main table a.name')].map((one) => one.textContent).join(' ')",
          ),
        );
      assert.strictEqual(await listed(), 'new.one sent.bytes old.one');
      const head = (name: string) => page.getByRole('columnheader', { name });
      assert.strictEqual(await head('Last seen').getAttribute('aria-sort'), 'descending');
      await page.getByRole('img', { name: '0 to 6' }).first().waitFor();
      const counted = page.getByRole('row', { name: /sent\.bytes/ });
      assert.strictEqual(await counted.getByRole('img').count(), 1);
      await head('Series').getByRole('button').press('Enter');
      assert.include(page.url(), 'sort=-series');
      assert.strictEqual(await head('Series').getAttribute('aria-sort'), 'descending');
      assert.isNull(await head('Last seen').getAttribute('aria-sort'));
      await head('Metric').getByRole('button').click();
      assert.include(page.url(), 'sort=metric');
      assert.strictEqual(await listed(), 'new.one old.one sent.bytes');
      const search = page.getByRole('searchbox', { name: 'Find metrics' });
      await typeInto(search, 'kitch');
      await page.getByText('1 of 3 metrics.').first().waitFor();
      assert.strictEqual(await listed(), 'old.one');
      await typeInto(search, 'host=WEB-2');
      await page.getByRole('row', { name: /new\.one/ }).waitFor();
      assert.strictEqual(await listed(), 'new.one');
      await typeInto(search, 'ROOM');
      await page.getByRole('row', { name: /old\.one/ }).waitFor();
    }),
  );

  it(
    'finds metrics by a word inside their names when they are too many to hold',
    onPages(async (open) => {
      const large = await start();
      const many = Array.from({ length: 2_100 }, (_, at) => ({
        ...{ metric: `m${at}.${at % 500 === 7 ? "it's_(odd)" : 'even'}`, ts, value: at },
        ...{ kind: 'counter', unit: 'bytes' },
      }));
      await write({ port: large.port, lines: many });
      const page = await open(large.url);
      await page.getByText('More than 2,000 metrics.').waitFor();
      await typeInto(page.getByRole('searchbox', { name: 'Find metrics' }), "T'S_(O");
      await page.getByText('5 of more than 2,000 metrics.').first().waitFor();
      const row = page.getByRole('row', { name: /m2007\.it's_\(odd\)/ });
      assert.include(await row.innerText(), 'counter');
    }),
  );

  it(
    'shows every link and tool of its header at each width',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/?t=2026-11-20T23:00:00Z..2026-11-21T01:00:00Z`);
      await page.getByRole('button', { name: 'Help' }).waitFor();
      for (const width of [390, 480, 640, 767, 768, 840, 980, 1099, 1100, 1180, 1280]) {
        await page.setViewportSize({ width, height: 500 });
        const outside = await page.evaluate(`(() => {
          const boxes = [...document.querySelectorAll('header.head a, header.head .tool')]
            .map((one) => [one.title || one.textContent, one.getBoundingClientRect()])
            .sort(([, one], [, other]) => one.top - other.top || one.left - other.left);
          return boxes.flatMap(([name, box], at) => {
            const next = boxes[at + 1]?.[1];
            const isBeside = next !== undefined && next.top < box.bottom;
            const isCovered = isBeside && next.left < box.right - 1;
            return box.right > innerWidth + 0.5 || box.width < 20 || isCovered ? [name] : [];
          }).join();
        })()`);
        assert.strictEqual(outside, '', `at ${String(width)} px`);
      }
    }),
  );

  it(
    'opens menus at the bottom where the links to pages are there',
    onPages(async (open) => {
      const page = await open(server.url);
      await page.getByRole('button', { name: /^Time zone/ }).click();
      for (const [width, isSheet] of [
        [639, true],
        [700, true],
        [767, true],
        [768, false],
      ] as const) {
        await page.setViewportSize({ width, height: 500 });
        const [left, right, bottom] = (await page.evaluate(`(() => {
          const box = document.querySelector('header.head .panel').getBoundingClientRect();
          return [box.left, innerWidth - box.right, innerHeight - box.bottom];
        })()`)) as readonly number[];
        const isThere = left === 0 && right === 0 && bottom === 0;
        assert.strictEqual(isThere, isSheet, `at ${String(width)} px`);
      }
    }),
  );

  it(
    'shows times in the chosen zone, with its offset, also after a reload',
    onPages(async (open) => {
      const page = await open(server.url);
      const seen = page.locator('time').first();
      const berlin = '2026-11-21 03:12:00 +01:00';
      assert.strictEqual(await seen.getAttribute('title'), berlin);
      await page.getByRole('button', { name: /^Time zone/ }).click();
      await page.getByRole('button', { name: 'UTC', exact: true }).click();
      assert.strictEqual(await seen.getAttribute('title'), '2026-11-21 02:12:00 +00:00');
      await page.reload();
      await page.getByRole('button', { name: 'Time zone: UTC' }).click();
      await typeInto(page.getByLabel('Another zone'), 'Europe/Berln');
      await page.keyboard.press('Enter');
      await page
        .getByText('No such time zone: Europe/Berln; did you mean Europe/Berlin?')
        .waitFor();
      await page.keyboard.press('Control+A');
      await typeInto(page.getByLabel('Another zone'), 'Asia/Kolkata');
      await page.keyboard.press('Enter');
      assert.strictEqual(await seen.getAttribute('title'), '2026-11-21 07:42:00 +05:30');
    }),
  );

  it(
    'keeps the time range in its URL, so that Back undoes a change',
    onPages(async (open) => {
      const page = await open(server.url);
      await page.getByRole('button', { name: /^Time: Fit/ }).click();
      await page.getByRole('button', { name: 'Last 6 hours' }).click();
      assert.include(page.url(), 't=6h');
      await page.getByRole('button', { name: /^Time: Last 6 hours/ }).click();
      await typeInto(page.getByLabel('Custom range'), '2026-11-20 10:00 .. +2h');
      await page.keyboard.press('Enter');
      assert.include(page.url(), 't=2026-11-20T09:00:00Z..2026-11-20T11:00:00Z');
      await page.getByText('after this time').first().waitFor();
      await page.goBack();
      await page.getByRole('button', { name: /^Time: Last 6 hours/ }).waitFor();
    }),
  );

  it(
    'accepts calendar days in the URL, in the range list, and as typed',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/?t=this%20week`);
      await page.getByRole('button', { name: 'Time: This week' }).click();
      const chosen = page.getByRole('button', { name: 'This week', exact: true });
      assert.strictEqual(await chosen.getAttribute('aria-pressed'), 'true');
      await page.getByRole('button', { name: 'Yesterday', exact: true }).click();
      assert.include(page.url(), 't=yesterday');
      await page.getByRole('button', { name: 'Time: Yesterday' }).click();
      await typeInto(page.getByLabel('Custom range'), 'this week');
      await page.keyboard.press('Enter');
      assert.include(page.url(), 't=this-week');
      const year = await open(`${server.url}/#/?t=1y`);
      await year.getByRole('button', { name: 'Time: Last year' }).waitFor();
      assert.strictEqual(await year.getByText(/is not a valid/).count(), 0);
    }),
  );

  it(
    'explains a bad URL and keeps unknown parameters',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/?t=soon&later=1`);
      await page.getByText('“t=soon” is not a valid time range').waitFor();
      await page.getByRole('row', { name: /net\.bytes/ }).waitFor();
      await typeInto(page.getByRole('searchbox', { name: 'Find metrics' }), 'net');
      assert.include(page.url(), 'later=1');
      const nowhere = await open(`${server.url}/#/nowhere`);
      await nowhere.getByRole('heading', { name: 'No such page' }).waitFor();
    }),
  );

  it(
    'has keyboard shortcuts for pages and help, which can be switched off',
    onPages(async (open) => {
      const page = await open(server.url);
      await page.getByRole('heading', { name: 'Metrics' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { name: 'Server', level: 1 }).waitFor();
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keys and settings' });
      await help.waitFor();
      await page.getByLabel('Single keys act anywhere on the page').click();
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'hidden' });
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      assert.isTrue(await page.getByRole('heading', { name: 'Server', level: 1 }).isVisible());
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(server.url, { colorScheme });
        await page.getByRole('row', { name: /net\.bytes/ }).waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.getByRole('button', { name: /^Time: / }).click();
        assert.deepEqual(await barriers(page), []);
        await page.setViewportSize({ width: 360, height: 740 });
        assert.deepEqual(await barriers(page), []);
        await typeInto(page.getByLabel('Custom range'), '2026-11-20 10:00 .. +7d');
        await page.keyboard.press('Enter');
        assert.strictEqual(await widthBeyond(page), 0);
        await page.getByRole('link', { name: 'Server', exact: true }).click();
        await page.getByText('seriesdb 0.1.0').waitFor();
        assert.deepEqual(await barriers(page), []);
        assert.strictEqual(await widthBeyond(page), 0);
      }),
    );
  }

  it(
    'reports a lost server, and resumes without a reload',
    onPages(
      async (open) => {
        const dataDir = temporaryDirectory();
        // A port that the system chose cannot be bound again for a minute.
        const args = ['--listen', `127.0.0.1:${await freePort()}`];
        const first = await start({ dataDir, args });
        await write({ port: first.port, lines });
        const page = await open(`${first.url}/#/server`, { hasClock: true });
        await page.getByText('seriesdb 0.1.0').waitFor();
        await first.kill();
        await untilLater(
          page,
          page.getByText(/The server has not answered since \d{4}-.*\+0[12]:00\./),
        );
        await start({ dataDir, args });
        const banner = page.getByText(/has not answered since/);
        for (let tries = 0; await banner.isVisible(); tries += 1) {
          assert.isBelow(tries, 200, 'it does not come back');
          await page.clock.fastForward(1_000);
        }
        await page.getByText('seriesdb 0.1.0').waitFor();
      },
      { console: /ERR_CONNECTION_|ERR_EMPTY_RESPONSE/ },
    ),
  );
});

describe('the built-in page of a server with a token', () => {
  const token = 'a-token-nobody-knows';
  let server: Server;

  before(async () => {
    server = await start({ env: { SERIESDB_AUTH_TOKEN: token } });
    await write({ port: server.port, token, lines });
  });
  after(killServers);

  it(
    'asks for it over the same view, keeps it for the tab only, and forgets it',
    onPages(
      async (open) => {
        const page = await open(`${server.url}/#/?q=usage`);
        const field = page.getByLabel('Access token');
        await typeInto(field, 'another-token');
        await page.keyboard.press('Enter');
        await page.getByText('The server does not accept this token.').waitFor();
        assert.deepEqual(await barriers(page), []);
        await typeInto(field, token);
        await page.keyboard.press('Enter');
        await page.getByText('1 of 2 metrics.').first().waitFor();
        await field.waitFor({ state: 'hidden' });
        await page.reload();
        await page.getByText('1 of 2 metrics.').first().waitFor();
        const kept = await page.evaluate('JSON.stringify({ ...localStorage })');
        for (const place of [String(kept), page.url(), await page.content()]) {
          assert.notInclude(place, token);
        }
        await page.getByRole('button', { name: 'Forget token' }).click();
        await field.waitFor();
      },
      { console: /status of 401/ },
    ),
  );

  it(
    'shares it with a new tab, and removes it from all of them',
    onPages(
      async (open) => {
        const page = await open(server.url);
        await typeInto(page.getByLabel('Access token'), token);
        await page.keyboard.press('Enter');
        await page.getByText('2 metrics.').first().waitFor();
        const other = await page.context().newPage();
        await other.goto(server.url);
        await other.getByText('2 metrics.').first().waitFor();
        await other.getByRole('button', { name: 'Forget token' }).click();
        await page.getByLabel('Access token').waitFor();
      },
      { console: /status of 401/ },
    ),
  );

  it(
    'says that a page could not be loaded from a server that is gone',
    onPages(
      async (open) => {
        const page = await open(`${server.url}/#/server`);
        await page.getByText('seriesdb 0.1.0').waitFor();
        await page.route('**/*', (route) => route.abort());
        await page.goto(`${server.url}/#/notes`);
        await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
        await page.getByText('The server does not answer').waitFor();
        await page.getByRole('button', { name: 'Load it again' }).waitFor();
      },
      { console: /status of 401|ERR_FAILED/ },
    ),
  );

  it(
    "shows the server's health without a token",
    onPages(
      async (open) => {
        const page = await open(`${server.url}/#/server`);
        await page.getByText('seriesdb 0.1.0').waitFor();
        assert.strictEqual(await page.getByLabel('Access token').count(), 0);
      },
      { console: /status of 401/ },
    ),
  );
});
