/** A file that a user drops on the page, or chooses. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { printEntry } from '../../src/http/auth/token-file.js';
import { digestOf } from '../../src/http/auth/token.js';
import { onPages } from '../support/browser.js';
import { ask, expectAccess } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Page } from '../support/browser-types.js';

const rooms =
  'Datum;Raum;Grad\n28.11.2026 01:00;Küche;20,5\n28.11.2026 02:00;Bad;kaputt\n28.11.2026 03:00;Bad;19,5\n';

const fileOf = (name: string, text: string) => ({
  ...{ name, mimeType: 'text/csv', buffer: Buffer.from(text) },
});

/** Drops a file; the keyboard has no such gesture. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    const fire = (type) => document.querySelector('main').dispatchEvent(
      new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    fire('dragover');
    fire('drop');
  }`);
}

describe('loading a file in the page', () => {
  after(killServers);

  it(
    'previews the file before it is stored, and reports the result',
    onPages(async (open) => {
      const server = await startServer({ dataDir: temporaryDirectory() });
      const page = await open(`${server.url}/#/`);
      await page.getByRole('link', { name: 'Load a file' }).click();
      await page.getByRole('heading', { name: 'Load a file' }).waitFor();
      await expectAccess(page);
      await page.locator('input[type=file]').setInputFiles(fileOf('rooms.csv', rooms));
      await page.getByRole('cell', { name: 'rooms.Grad=20.5' }).waitFor();
      await page.getByText('Line 3: "kaputt" in column "Grad" is not a number').waitFor();
      await expectAccess(page);
      assert.deepEqual(await ask(server, 'metrics/find', {}), []);
      await typeInto(page.getByLabel('Metric'), 'warmth');
      await typeInto(page.getByLabel('Time zone', { exact: true }), 'Europe/Berlin');
      await page.getByRole('cell', { name: '2026-11-28T00:00:00.000Z' }).waitFor();
      await page.getByRole('cell', { name: 'warmth=20.5' }).waitFor();
      await page.getByRole('button', { name: 'Load rooms.csv' }).click();
      await page.getByText('Loaded rooms.csv: 2 samples, 1 cell skipped.').first().waitFor();
      await expectAccess(page);
      const found = (await ask(server, 'metrics/find', {})) as readonly { metric: string }[];
      assert.deepEqual(
        found.map(({ metric }) => metric),
        ['warmth'],
      );
      await page.getByRole('link', { name: 'Look at warmth' }).click();
      await page.getByRole('heading', { name: /warmth/ }).waitFor();
      await page.locator('canvas').first().waitFor();
    }),
  );

  it(
    'accepts a drop on any page, and lets the user set the columns',
    onPages(async (open) => {
      const server = await startServer({ dataDir: temporaryDirectory() });
      const page = await open(`${server.url}/#/ask`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await drop(page, 'm.csv', 'ts,id,value\n1795827600000,7,1\n');
      await page
        .getByRole('alert')
        .getByText(/“value”, “label” or “left out”/)
        .waitFor();
      await page.getByLabel('Role of id').selectOption('label');
      await page.getByRole('cell', { name: '{id="7"}' }).waitFor();
      await page.getByRole('button', { name: 'Load m.csv' }).press('Enter');
      await page.getByText('Loaded m.csv: 1 sample.').first().waitFor();
      await drop(page, 'lines', '{"metric":"n","value":1}\n{"metric":"n"}\n');
      await page.getByRole('button', { name: 'Load lines' }).click();
      await page.getByText('Loaded lines: 1 sample, 1 line refused.').first().waitFor();
      await page.getByText(/^Line 2: /).waitFor();
    }),
  );

  it(
    'is refused to a token without the write scope',
    onPages(
      async (open) => {
        const dataDir = temporaryDirectory();
        const file = path.join(dataDir, 'tokens.toml');
        const digest = digestOf('only-reading-please');
        writeFileSync(file, printEntry({ name: 'reader', scopes: ['read'], digest }));
        const server = await startServer({ dataDir, args: ['--tokens-file', file] });
        const page = await open(`${server.url}/#/`);
        await typeInto(page.getByLabel('Access token'), 'only-reading-please');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'Load a file' }).click();
        await page.locator('input[type=file]').setInputFiles(fileOf('rooms.csv', rooms));
        await page.getByRole('button', { name: 'Load rooms.csv' }).click();
        await page.getByRole('alert').getByText(/scope/).waitFor();
        await page.getByText('Stopped loading rooms.csv: 0 samples.').first().waitFor();
      },
      { console: /401|403/ },
    ),
  );
});
