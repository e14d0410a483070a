/** The list of metrics with more metrics than the first page holds. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { Page } from '../support/browser-types.js';

const kMetrics = 4_500;
const nameOf = (at: number): string => `load.${String(at).padStart(4, '0')}`;

const scrollToEnd = (page: Page): Promise<unknown> =>
  page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');

/** Presses as fast as the page redraws. */
async function pressTimes(page: Page, key: string, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    await page.keyboard.press(key);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
}

describe('a long list of metrics', () => {
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    const lines = Array.from({ length: kMetrics }, (_, at) =>
      JSON.stringify({
        ...{ metric: nameOf(at), kind: 'gauge', unit: 'bytes', ts: 1_795_227_120_000, value: at },
        ...(at % 3 === 0 ? { description: `Metric ${at}` } : {}),
      }),
    );
    const request = { method: 'POST', body: lines.join('\n') };
    const { status } = await fetch(`${server.url}/api/v1/ingest`, request);
    assert.strictEqual(status, 200);
  });
  after(killServers);

  it(
    'loads more on scroll, to the last one, and keeps few rows in the page',
    onPages(async (open) => {
      const page = await open(server.url);
      const table = page.getByRole('table', { name: 'Metrics' });
      await page.getByText('More than 2,000 metrics.').waitFor();
      assert.strictEqual(await table.getAttribute('aria-rowcount'), '-1');
      await scrollToEnd(page);
      await page.getByText('More than 4,000 metrics.').waitFor();
      await scrollToEnd(page);
      await page.getByText('4,500 metrics.').waitFor();
      await scrollToEnd(page);
      const last = page.getByRole('row', { name: new RegExp(nameOf(kMetrics - 1)) });
      await last.waitFor();
      assert.strictEqual(await last.getAttribute('aria-rowindex'), String(kMetrics + 1));
      assert.strictEqual(await table.getAttribute('aria-rowcount'), String(kMetrics + 1));
      assert.isBelow(await table.getByRole('row').count(), 100);
    }),
  );

  it(
    'is navigated by arrow keys, from the search and back to it',
    onPages(async (open) => {
      const page = await open(server.url);
      const search = page.getByRole('searchbox', { name: 'Find metrics' });
      await page.getByText('More than 2,000 metrics.').waitFor();
      await search.press('ArrowDown');
      await pressTimes(page, 'ArrowDown', 40);
      const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
      assert.strictEqual(await focused(), nameOf(40));
      await pressTimes(page, 'ArrowUp', 41);
      assert.strictEqual(await page.evaluate('document.activeElement.type'), 'search');
      await page.keyboard.type('load.44');
      await page.getByText('100 of more than 2,000 metrics.').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: nameOf(4400), level: 1 }).waitFor();
    }),
  );
});
