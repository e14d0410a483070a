/** The page Ask confirms the deletion of a whole metric, whose name is typed key by key. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { ask, expectAccess, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Locator, Page } from '../support/browser-types.js';

const ts = 1_795_227_120_000;
const lines = ['disk.used', 'disk.free'].flatMap((metric) =>
  [0, 1, 2, 3].map((at) => ({
    ...{ metric, ts: ts + (at >> 1), value: at, labels: { host: at % 2 === 0 ? 'a' : 'b' } },
  })),
);

async function metricsOf(server: Server): Promise<readonly string[]> {
  const found = (await ask(server, 'metrics/find', {})) as readonly { readonly metric: string }[];
  return found.map(({ metric }) => metric);
}

const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Delete samples?' });

async function write(page: Page, statement: string): Promise<void> {
  await typeInto(page.getByRole('textbox', { name: 'SeriesQL statement' }), statement);
  // The first Esc closes the list of suggestions.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
}

describe('deleting a metric in Ask', () => {
  after(killServers);

  for (const statement of ['delete from disk.used', 'drop metric disk.used']) {
    it(
      `asks with the name and the counts before "${statement}" runs`,
      onPages(async (open) => {
        const server = await startServer({ dataDir: temporaryDirectory() });
        await writeLines(server, lines);
        const page = await open(`${server.url}/#/ask`);
        await write(page, statement);
        const dialog = dialogOf(page);
        await dialog.getByText('disk.used', { exact: true }).waitFor();
        await dialog.getByText('all times').waitFor();
        await dialog.getByText('4 samples in 2 series').waitFor();
        await expectAccess(page);
        // The harmless button has the focus.
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'hidden' });
        assert.sameMembers([...(await metricsOf(server))], ['disk.used', 'disk.free']);
        await page.keyboard.press('Control+Enter');
        await dialog.getByText('4 samples in 2 series').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'hidden' });
        assert.sameMembers([...(await metricsOf(server))], ['disk.used', 'disk.free']);
        await page.keyboard.press('Control+Enter');
        await dialog.waitFor();
        // Asked again before the page is told that the dialog closed.
        await page.evaluate(`
          document.querySelector('dialog').close();
          document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }),
          );`);
        await dialog.getByText('4 samples in 2 series').waitFor();
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.getByRole('gridcell').first().waitFor();
        assert.deepEqual(await metricsOf(server), ['disk.free']);
      }),
    );
  }
});
