/**
 * The cost of the page: for the server, while a chart follows the clock and when a query is
 * cancelled; for the browser, in memory.
 */

import { assert } from 'chai';

import { ask as askAdmin } from '../support/admin-server.js';
import { onPages } from '../support/browser.js';
import { bigLines, heavyQueries } from '../support/long-query.js';
import { ask, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { BrowserRequest, CdpSession, Page } from '../support/browser-types.js';

const kTickMs = 2_000;
/** After this many partial updates the chart reloads everything: its legend and its lines. */
const kRounds = 20;
const kGrowthMax = 1_000_000;

const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    assert.isBelow(tries, 1_000, what);
    await soon();
  }
}

async function heapBytes(cdp: CdpSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return ((await cdp.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize;
}

const hide = (page: Page, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', {
    configurable: true, value: ${isHidden},
  }); document.dispatchEvent(new Event('visibilitychange'));`);

describe('the cost of the built-in page', () => {
  after(killServers);

  describe('a live chart', () => {
    let server: Server;
    let asked = 0;
    let answered = 0;
    before(async () => {
      server = await startServer({ dataDir: temporaryDirectory() });
      const now = Date.now();
      const of = (ago: number) => ({ metric: 'live.load', ts: now - ago * 1_000, value: ago % 10 });
      await writeLines(
        server,
        Array.from({ length: 600 }, (_, ago) => of(ago)),
      );
    });

    /** Adds a sample, advances the clock past it, and waits for the page's request and answer. */
    const tick = async (page: Page): Promise<number> => {
      const before = asked;
      const ts = Number(await page.evaluate('Date.now()'));
      await writeLines(server, [{ metric: 'live.load', ts, value: 5 }]);
      for (let tries = 0; asked === before; tries += 1) {
        // After a slow answer the page waits longer.
        if (tries % 50 === 0) await page.clock.fastForward(kTickMs);
        assert.isBelow(tries, 1_000, 'it does not ask again');
        await soon();
      }
      await settled(page);
      return asked - before;
    };
    /**
     * Waits until no request is pending, so that advanced time counts for the page's pause alone.
     */
    const settled = async (page: Page): Promise<void> => {
      for (let calm = 0; calm < 3; calm = asked === answered ? calm + 1 : 0) {
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
      }
    };

    it(
      'makes one request per update, none while hidden, and leaks no memory',
      onPages(async (open) => {
        const page = await open(server.url, { hasClock: true });
        const isQuery = (request: BrowserRequest): boolean =>
          request.url().includes('/api/v1/seriesql');
        page.on('request', (request) => {
          if (isQuery(request)) asked += 1;
        });
        page.on('requestfinished', (request) => {
          if (isQuery(request)) answered += 1;
        });
        await page.goto(`${server.url}/#/look?m=live.load&t=15m&live=2s`);
        await page.getByRole('figure', { name: /^Chart of / }).waitFor();
        await settled(page);
        const cdp = await page.context().newCDPSession(page);
        for (let at = 0; at < kRounds; at += 1) await tick(page);
        const heap = await heapBytes(cdp);
        const counts = [];
        for (let at = 0; at < kRounds + 1; at += 1) counts.push(await tick(page));
        const wholes = counts.filter((count) => count === 2).length;
        assert.deepEqual([Math.max(...counts), wholes], [2, 1], counts.join());
        assert.isBelow((await heapBytes(cdp)) - heap, kGrowthMax);
        await hide(page, true);
        const before = asked;
        for (let at = 0; at < 20; at += 1) await page.clock.fastForward(kTickMs);
        assert.strictEqual(asked, before);
        await hide(page, false);
        await tick(page);
      }),
    );
  });

  it(
    "cancels the server's query when it is cancelled in Ask",
    onPages(
      async (open) => {
        const args = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
        const server = await startServer({
          dataDir: temporaryDirectory(),
          args: [...args, '--slow-query-ms', '1'],
        });
        for (const lines of bigLines()) await ask(server, 'ingest', lines);
        const running = async (): Promise<number> => {
          const { body } = await askAdmin(server.adminPort, '/__admin/queries');
          return (JSON.parse(body) as { queries: unknown[] }).queries.length;
        };
        const page = await open(
          `${server.url}/#/ask?q=${encodeURIComponent(heavyQueries.compiled)}`,
        );
        await until('it does not run', async () => (await running()) === 1);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await until('it still runs', async () => (await running()) === 0);
        await until('it is not logged', () => server.printed().includes('"slow query"'));
        assert.include(server.printed(), '"outcome":"cancelled"');
      },
      { console: /ERR_ABORTED/ },
    ),
  );
});
