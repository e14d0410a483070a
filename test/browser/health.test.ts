/** The page of problems that need an operator. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { runInShell } from '../support/page-session.js';
import { ask, expectAccess, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

const nowMs = Date.now();
const kHourMs = 3_600_000;
const hostile = '<img src=x onerror=alert(1)>';

const gauge = { kind: 'gauge', unit: 'percent', description: 'Of all cores' };
const lines = [
  ...Array.from({ length: 30 }, (_, at) => ({
    ...{ metric: 'cpu.usage', ts: nowMs, value: at, ...gauge },
    labels: { hostname: `host_${at}`, region: at < 20 ? 'eu' : 'us' },
  })),
  { metric: 'queue.size', ts: nowMs, value: 3 },
  { metric: 'disk.free', ts: nowMs, value: 1, labels: { disk: 'a' } },
  { metric: 'disk.free', ts: nowMs - 5 * kHourMs, value: 1, labels: { disk: hostile } },
  { metric: 'disk.free', ts: nowMs - 9 * kHourMs, value: 7, labels: { disk: "it's c" } },
];

describe('the health page', () => {
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    await writeLines(server, lines);
  });
  after(killServers);

  it(
    'lists silent metrics, and below each its silent series, the oldest first',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/health`);
      const row = page.getByRole('row', { name: /disk\.free/ });
      assert.include(await row.innerText(), '2 / 3');
      assert.strictEqual(await page.getByRole('row', { name: /cpu\.usage/ }).count(), 0);
      await page.getByRole('button', { name: 'Details of disk.free' }).click();
      await page.getByRole('link', { name: `{disk='it''s c'}` }).waitFor();
      const table = await page.getByRole('table', { name: 'Silent metrics' }).innerText();
      assert.isBelow(table.indexOf("it''s c"), table.indexOf(hostile));
      assert.notInclude(table, "disk='a'");
      assert.include(page.url(), 'm=disk.free');
      const link = page.getByRole('link', { name: `{disk='it''s c'}` });
      assert.include(await link.getAttribute('href'), '#/look?m=disk.free&w={disk%3D'.slice(0, 22));
      await page.getByLabel('silent for').selectOption('1d');
      await page.getByText('Every series had a sample in the last day.').waitFor();
      assert.include(page.url(), 'for=1d');
    }),
  );

  it(
    'shows a share below a tenth of a percent as such',
    onPages(async (open) => {
      const own = await startServer({ dataDir: temporaryDirectory() });
      const many = Array.from({ length: 2_500 }, (_, at) => ({
        ...{ metric: 'many.series', ts: nowMs, value: at, labels: { id: String(at) } },
      }));
      await writeLines(own, [...many, { metric: 'one.series', ts: nowMs, value: 1 }]);
      const page = await open(`${own.url}/#/health/cost`);
      const row = page.getByRole('row', { name: /one\.series/ });
      await row.getByText('< 0.1 %').waitFor();
      assert.include(await page.getByRole('row', { name: /many\.series/ }).innerText(), '100 %');
    }),
  );

  it(
    'shows missing metadata, and a command that adds it without changing samples',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/health/undocumented`);
      const row = page.getByRole('row', { name: /disk\.free/ });
      for (const word of ['kind', 'unit', 'description']) {
        assert.include(await row.innerText(), word);
      }
      assert.strictEqual(await page.getByRole('row', { name: /cpu\.usage/ }).count(), 0);
      await page.getByRole('button', { name: 'Details of disk.free' }).click();
      await typeInto(page.getByLabel('Unit'), 'bytes');
      await typeInto(page.getByLabel('Description'), "Room that's left");
      const all = `select * from "disk.free" where time <= ${nowMs}`;
      const command = page.getByLabel('Command that describes the metric');
      const before = await ask(server, 'seriesql', all);
      const { code, out } = await runInShell((await command.textContent()) ?? '', server.port);
      assert.strictEqual(code, 0, out);
      const after = await ask(server, 'seriesql', all);
      assert.deepEqual((after as { rows: unknown }).rows, (before as { rows: unknown }).rows);
      await page.reload();
      await page.getByText('1 metric without a full description.').first().waitFor();
    }),
  );

  it(
    'ranks metrics by series, then shows the largest label and its values',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/health/silent`);
      const tabs = page.getByRole('tablist', { name: 'Views of health' });
      await tabs.getByRole('tab', { name: 'Silent' }).press('ArrowLeft');
      const table = page.getByRole('table', { name: 'Series of metrics' });
      await table.waitFor();
      assert.include(page.url(), '#/health/cost');
      assert.include(await table.getByRole('row').nth(1).innerText(), 'cpu.usage');
      await page.getByRole('button', { name: 'Details of cpu.usage' }).click();
      await page.getByRole('button', { name: 'Values of hostname' }).waitFor();
      assert.include(await table.getByRole('row').nth(2).innerText(), '30 values');
      await page.getByRole('button', { name: 'Values of region' }).click();
      const first = page.getByRole('row', { name: /^eu/ });
      assert.match(await first.innerText(), /20\s+66\.7 %/);
      await typeInto(page.getByRole('searchbox', { name: 'Filter by name' }), 'disk');
      await page
        .getByText(/^1 of 3 metrics/)
        .first()
        .waitFor();
    }),
  );

  it(
    'moves through its rows by keys, and opens one',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/health/cost`);
      await page.getByRole('button', { name: 'Details of cpu.usage' }).press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Values of disk' }).waitFor();
    }),
  );

  it(
    'renders only the visible ones of 3,000 metrics',
    onPages(async (open) => {
      const large = await startServer({ dataDir: temporaryDirectory() });
      const many = Array.from({ length: 3_000 }, (_, at) => ({
        ...{ metric: `m.${String(at).padStart(4, '0')}`, ts: nowMs, value: at },
      }));
      await writeLines(large, many);
      const page = await open(`${large.url}/#/health/undocumented`);
      const table = page.getByRole('table', { name: 'Undocumented metrics' });
      await table.waitFor();
      assert.strictEqual(await table.getAttribute('aria-rowcount'), '3001');
      assert.isBelow(await table.getByRole('row').count(), 100);
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByRole('row', { name: /m\.2999/ }).waitFor();
      assert.isBelow(await table.getByRole('row').count(), 100);
      await typeInto(page.getByRole('searchbox', { name: 'Filter by name' }), '1234');
      await page.getByRole('row', { name: /m\.1234/ }).waitFor();
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const opened = {
          silent: 'disk.free',
          undocumented: 'queue.size',
          cost: 'cpu.usage&k=region',
        };
        for (const [tab, metric] of Object.entries(opened)) {
          const page = await open(`${server.url}/#/health/${tab}?m=${metric}`, { colorScheme });
          await page.getByRole('table').waitFor();
          await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' });
          await expectAccess(page);
        }
      }),
    );
  }
});
