/** Boards as a user makes, opens and changes them. */

import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { ask, expectAccess, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Page } from '../support/browser-types.js';

interface Stored {
  readonly id: number;
  readonly name: string;
  readonly range?: string;
  readonly refresh?: string;
  readonly panels: readonly { readonly title: string; readonly metric?: string }[];
}

async function boardsOf(server: Server): Promise<readonly Stored[]> {
  const answer = await fetch(`${server.url}/api/v1/boards`);
  return (await answer.json()) as readonly Stored[];
}

/** The first board, once it matches: the page shows a change before it is stored. */
async function boardWith(server: Server, isAwaited: (board: Stored) => boolean): Promise<Stored> {
  for (;;) {
    const [board] = await boardsOf(server);
    if (board !== undefined && isAwaited(board)) return board;
    await setTimeout(20);
  }
}

/** Twenty minutes of two hosts, at a fixed time that all tests use. */
const start = 1_795_251_600_000;
const window = 't=2026-11-21T09:00:00Z..2026-11-21T09:20:00Z';

async function fresh(): Promise<Server> {
  const server = await startServer({ dataDir: temporaryDirectory() });
  const lines = Array.from({ length: 40 }, (_, at) => ({
    ...{ metric: 'cpu.load', ts: start + (at >> 1) * 60_000, value: at },
    labels: { host: at % 2 === 0 ? 'a' : 'b' },
  }));
  await writeLines(server, lines);
  return server;
}

async function addTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add to board' }).click();
  const panel = page.getByRole('group', { name: 'Add to board' });
  await panel.getByRole('button', { name, exact: true }).click();
  await panel.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: `Added to ${name}` }).waitFor();
}

const refusals = { console: /status of 400/ };

describe('boards on the page', () => {
  after(killServers);

  it(
    'are created from charts and statements, and open by a link',
    onPages(async (open) => {
      const server = await fresh();
      const page = await open(`${server.url}/#/look?m=cpu.load&by=host&${window}`);
      await page.getByRole('button', { name: 'Add to board' }).click();
      await typeInto(page.getByLabel('New board'), 'Hosts');
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'Add to board' }).waitFor({ state: 'hidden' });
      const statement = 'select tag.host, last(value) as newest from cpu.load group by 1';
      await page.goto(`${server.url}/#/ask?q=${encodeURIComponent(statement)}`);
      await page.getByRole('grid', { name: 'Rows' }).waitFor();
      await addTo(page, 'Hosts');
      const query = encodeURIComponent('sum({"cpu.load"})');
      await page.goto(`${server.url}/#/ask?lang=promql&over=range&${window}&q=${query}`);
      await page.getByRole('tab', { name: 'Table' }).waitFor();
      await addTo(page, 'Hosts');
      const [board] = await boardsOf(server);
      // A long statement has the name of its metric.
      const titles = ['cpu.load by host', 'cpu.load', 'sum({"cpu.load"})'];
      assert.deepEqual(
        board?.panels.map(({ title }) => title),
        titles,
      );
      const linked = await open(`${server.url}/#/boards/${String(board?.id)}`);
      await linked.getByRole('heading', { name: 'Hosts' }).waitFor();
      const chart = linked.getByRole('region', { name: 'cpu.load by host' });
      await chart.locator('canvas').waitFor();
      await chart.getByText('b', { exact: true }).waitFor();
      const rows = linked.getByRole('region', { name: 'cpu.load', exact: true });
      await rows.getByRole('cell', { name: '39', exact: true }).waitFor();
      await linked.getByRole('region', { name: 'sum(' }).locator('canvas').waitFor();
      // The board has the time range of its first chart.
      assert.include(decodeURIComponent(linked.url()), window);
      await expectAccess(linked);
    }),
  );

  it(
    'show an error of a statement with its line and mark, and lead back to the list',
    onPages(async (open) => {
      const server = await fresh();
      const panels = [{ title: 'Bad', statement: 'select nothing from cpu.load' }];
      await ask(server, 'boards/write', { name: 'First', range: '1h', panels });
      const page = await open(`${server.url}/#/boards/1`);
      const alert = page.getByRole('region', { name: 'Bad' }).getByRole('alert');
      const drawn = await alert.locator('pre').textContent();
      assert.strictEqual(drawn, '  select nothing from cpu.load\n         ^');
      await alert.getByText('line 1, column 8: unknown column nothing', { exact: true }).waitFor();
      await page.goto(`${server.url}/#/boards/server`);
      await page.getByText('No figures yet.').waitFor();
      await page.locator('main').getByRole('link', { name: 'Boards' }).click();
      await page.getByRole('heading', { name: 'Boards' }).waitFor();
    }, refusals),
  );

  it(
    'can be renamed, reordered, given another time range, and deleted',
    onPages(async (open) => {
      const server = await fresh();
      const panels = ['one', 'two'].map((title) => ({ title, metric: 'cpu.load' }));
      await ask(server, 'boards/write', { name: 'First', range: '1h', panels });
      const page = await open(`${server.url}/#/boards`);
      await page.getByRole('link', { name: 'First' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'Move two forward' }).click();
      await page.getByRole('button', { name: 'Move one forward' }).waitFor();
      await typeInto(page.getByLabel('Title of one'), 'uno');
      await page.keyboard.press('Enter');
      await page.getByLabel('Title of uno').waitFor();
      await typeInto(page.getByLabel('Name', { exact: true }), 'Second');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('heading', { name: 'Second' }).waitFor();
      await page.getByRole('button', { name: 'Time: ' }).click();
      await page.getByRole('button', { name: 'Last 7 days' }).click();
      await page.getByRole('button', { name: 'Save time range' }).click();
      await page.getByText('Saved the time range and the refresh').first().waitFor();
      await page.getByRole('button', { name: 'Remove two' }).click();
      await page.getByLabel('Title of two').waitFor({ state: 'hidden' });
      const stored = await boardWith(server, ({ panels: { length } }) => length === 1);
      assert.deepInclude(stored, {
        ...{ id: 1, name: 'Second', range: '7d', refresh: 'off' },
        panels: [{ title: 'uno', metric: 'cpu.load' }],
      });
      await page.getByRole('button', { name: 'Delete board' }).click();
      await page.getByRole('button', { name: 'Delete for good' }).click();
      await page.getByRole('heading', { name: 'Boards' }).waitFor();
      assert.deepEqual(await boardsOf(server), []);
    }),
  );

  it(
    'lose no concurrent change, and revert a rejected one',
    onPages(
      async (open) => {
        const server = await fresh();
        const panels = ['one', 'two', 'three'].map((title) => ({ title, metric: 'cpu.load' }));
        await ask(server, 'boards/write', { name: 'First', range: '1h', panels });
        const page = await open(`${server.url}/#/boards/1?t=7d`);
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.route('**/boards/update', async (route) => {
          await setTimeout(300);
          await route.continue();
        });
        await page.getByRole('button', { name: 'Save time range' }).click();
        await page.getByRole('button', { name: 'Remove two' }).click();
        await page.getByRole('button', { name: 'Move three forward' }).click();
        await page.getByText('Saved the time range and the refresh').first().waitFor();
        const isMoved = (board: Stored) => board.panels[0]?.title === 'three';
        const stored = await boardWith(server, isMoved);
        const titles = stored.panels.map(({ title }) => title);
        assert.deepEqual([stored.range, ...titles], ['7d', 'three', 'one']);
        await page.unroute('**/boards/update');
        await page.route('**/boards/update', (route) => route.abort());
        await page.getByRole('button', { name: 'Remove one' }).click();
        await page.getByRole('alert').first().waitFor();
        await page.getByLabel('Title of one').waitFor();
        assert.deepEqual(await boardsOf(server), [stored]);
      },
      { console: /ERR_FAILED/ },
    ),
  );

  it(
    'run nothing that changes data, and show errors in the panel',
    onPages(
      async (open) => {
        const server = await fresh();
        const panels = [
          { title: 'gone', statement: 'delete from cpu.load where time >= 0' },
          { title: 'broken', statement: 'selct 1' },
          { title: 'none', metric: 'no.such' },
          { title: '<img src=x onerror=alert(1)>', metric: 'cpu.load' },
        ];
        await ask(server, 'boards/write', { name: 'Odd', panels });
        const page = await open(`${server.url}/#/boards/1?${window}`);
        const region = (name: string) => page.getByRole('region', { name, exact: true });
        await region('gone').getByText('A board runs statements that read only').waitFor();
        await region('broken').getByText('selct').first().waitFor();
        await region('none').getByText('There is no metric named “no.such”.').waitFor();
        await region('<img src=x onerror=alert(1)>').locator('canvas').waitFor();
        assert.strictEqual(await page.locator('main img').count(), 0);
        const wanted = { metric: 'cpu.load', labels: { host: 'a' }, start: 0, end: 2 * start };
        assert.lengthOf((await ask(server, 'query/range', wanted)) as unknown[], 20);
      },
      { console: /status of 400/ },
    ),
  );

  it(
    'are exported and imported as a file, and an invalid file is rejected',
    onPages(async (open) => {
      const server = await fresh();
      const board = { name: 'Hosts', range: '6h', panels: [{ title: 't', metric: 'cpu.load' }] };
      await ask(server, 'boards/write', board);
      const page = await open(`${server.url}/#/boards/1`);
      const waited = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const file = await (await waited).path();
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { seriesdb_board: 1, ...board });
      await page.goto(`${server.url}/#/boards`);
      const input = page.getByLabel('Board file');
      await input.setInputFiles(file);
      await page.getByRole('heading', { name: 'Hosts' }).waitFor();
      assert.deepEqual(
        (await boardsOf(server)).map(({ id }) => id),
        [1, 2],
      );
      await page.goto(`${server.url}/#/boards`);
      await input.setInputFiles({
        ...{ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{}') },
      });
      await page.getByText('This file is not a board').waitFor();
      await page.getByRole('link', { name: 'This server' }).click();
      await page.getByText('No figures yet. The panels appear when a scraper').waitFor();
      assert.strictEqual(await page.locator('.panel-card').count(), 0);
      const body = `{"metric":"seriesdb_series","ts":${Date.now()},"value":1}`;
      await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body });
      await page.reload();
      await page.getByRole('region', { name: 'Resident memory' }).waitFor();
      assert.strictEqual(await page.getByRole('button', { name: 'Edit' }).count(), 0);
    }),
  );
});
