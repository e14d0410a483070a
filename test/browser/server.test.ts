/** The page that shows the state of the server. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask as askAdmin } from '../support/admin-server.js';
import { onPages } from '../support/browser.js';
import { ask, expectAccess, untilLater, writeLines } from '../support/page-checks.js';
import { objectFiles } from '../support/segment-files.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

const lines = Array.from({ length: 100 }, (_, at) => ({ metric: 'm', ts: at, value: at / 8 }));

/** A directory with a flipped bit in one segment. */
async function damaged(): Promise<string> {
  const dataDir = temporaryDirectory();
  const args = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
  const server = await startServer({ dataDir, args });
  await writeLines(server, lines);
  const flushed = await askAdmin(server.adminPort, '/__admin/flush', { method: 'POST' });
  assert.strictEqual(flushed.status, 200, flushed.body);
  await server.kill();
  for (const file of objectFiles(dataDir).map((name) => path.join(dataDir, name))) {
    const bytes = readFileSync(file);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    rmSync(file);
    writeFileSync(file, bytes);
  }
  return dataDir;
}

describe('the server page', () => {
  after(killServers);

  it(
    'shows storage, writes and queries, and charts their course',
    onPages(async (open) => {
      const server = await startServer({ dataDir: temporaryDirectory() });
      await writeLines(server, lines);
      await ask(server, 'metrics/find', {});
      const page = await open(`${server.url}/#/server`, { hasClock: true });
      const writes = page.getByRole('region', { name: 'Writes' });
      await writes.getByText('100').first().waitFor();
      await page.getByRole('region', { name: 'Queries' }).getByText('metrics/find').waitFor();
      await page.getByText('Nothing is left to migrate.').waitFor();
      await page.getByText(/the server keeps no history of itself/).waitFor();
      const memory = page.getByRole('region', { name: 'Storage memory' });
      await memory.getByText('Series index').waitFor();
      // On a slow machine other cards may show warnings.
      for (const name of ['Stored', 'Storage memory', 'Queries']) {
        const card = page.getByRole('region', { name });
        assert.strictEqual(await card.getByText('▲ watch').count(), 0, name);
      }
      await untilLater(
        page,
        writes.getByRole('img', { name: 'Samples per second, since this tab opened' }),
      );
    }),
  );

  it(
    'warns where the API is open to the network without a token',
    onPages(async (open) => {
      const args = ['--listen', '0.0.0.0:0'];
      const server = await startServer({ dataDir: temporaryDirectory(), args });
      const page = await open(`${server.url}/#/server`);
      await page.getByText(/the API is open to the network: auth_token is not set/).waitFor();
      await page.getByRole('region', { name: 'Settings' }).getByText('no').first().waitFor();
    }),
  );

  it(
    'reports a damaged segment as degraded, and names the file',
    onPages(async (open) => {
      const dataDir = await damaged();
      const server = await startServer({ dataDir });
      const page = await open(`${server.url}/#/server`);
      await page.getByText('▲ degraded').waitFor();
      const reason = (await page.getByRole('alert').first().innerText()).trim();
      const [file = 'none'] = objectFiles(dataDir).map((name) => path.basename(name));
      assert.include(reason, file);
      const stored = page.getByRole('region', { name: 'Stored' });
      await stored.getByText('Some files are damaged: run seriesdb repair.').waitFor();
      await expectAccess(page);
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const server = await startServer({ dataDir: temporaryDirectory() });
        await writeLines(server, lines);
        const page = await open(`${server.url}/#/server`, { colorScheme });
        await page.getByText('seriesdb 0.1.0').waitFor();
        await expectAccess(page);
      }),
    );
  }
});
