/** Started by `npm run ui:shots`: the page in its states, each light and dark, wide and narrow. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { outliveReaders } from '../../src/telemetry/standard-error.js';
import { openBrowser } from '../support/browser.js';
import { rootFolder } from '../support/page-session.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

import { askShots } from './ask-shots.js';
import { listShots, writeBoard, writeNotes } from './list-shots.js';
import { drawn, point, press } from './shot-hands.js';
import { curves, fixedLines, write } from './shot-data.js';

import type { Browser, ContextOptions, Page } from '../support/browser-types.js';
import type { Shot } from './shot-hands.js';

const folder = path.join(rootFolder, 'build/screenshots');

/** States with a picture in docs/ui.md, and the picture's name. */
const documented: Readonly<Record<string, string>> = {
  ...{ 'look-6': 'metric', 'ask-chart': 'ask', notes: 'notes', 'compare-one': 'compare' },
  ...{ 'health-cost': 'health', board: 'board', load: 'load' },
};
const docsFolder = path.join(rootFolder, 'docs/ui');
/** The smallest readable size. */
const docsLook: ContextOptions = { colorScheme: 'light', viewport: { width: 1080, height: 790 } };

const wide = { width: 1280, height: 800 };
const narrow: ContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
const looks: Readonly<Record<string, ContextOptions>> = {
  light: { colorScheme: 'light', viewport: wide },
  dark: { colorScheme: 'dark', viewport: wide },
  narrow: { colorScheme: 'light', ...narrow },
  'narrow-dark': { colorScheme: 'dark', ...narrow },
};

async function filled(): Promise<string> {
  const { url } = await startServer({ dataDir: temporaryDirectory() });
  await write(url, [fixedLines(Date.now())]);
  await write(url, curves(Date.now()));
  await writeNotes(url, Date.now());
  await writeBoard(url);
  return url;
}

async function help(page: Page): Promise<void> {
  await press('Help')(page);
  await page.getByRole('dialog').waitFor();
}
const told = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

async function filterMenu(page: Page): Promise<void> {
  await press(/^Filter by region/)(page);
  await page.getByRole('button', { name: /^eu/ }).first().waitFor();
}

async function shots(): Promise<readonly Shot[]> {
  const url = await filled();
  const empty = await startServer({ dataDir: temporaryDirectory() });
  const env = { SERIESDB_AUTH_TOKEN: 'a-token' };
  const guarded = await startServer({ dataDir: temporaryDirectory(), env });
  return [
    { name: 'metrics', url: `${url}/` },
    { name: 'metrics-found', url: `${url}/#/?q=usage&t=1h&live=5s` },
    { name: 'metrics-none', url: `${url}/#/?q=nothing_such` },
    { name: 'metrics-empty', url: empty.url },
    { name: 'time', url: `${url}/`, reach: press(/^Time: /) },
    { name: 'zone', url: `${url}/`, reach: press(/^Time zone/) },
    { name: 'help', url: `${url}/`, reach: help },
    { name: 'token', url: guarded.url },
    { name: 'server', url: `${url}/#/server`, reach: told('Storage memory') },
    { name: 'own-time', url: `${url}/#/?t=2026-11-20T09:00:00Z..2026-11-21T11:00:00Z` },
    { name: 'look-1', url: `${url}/#/look?m=room.warmth`, reach: point },
    { name: 'look-6', url: `${url}/#/look?m=host.cpu&n=6`, reach: point },
    { name: 'look-8', url: `${url}/#/look?m=host.sent`, reach: point },
    { name: 'look-1000', url: `${url}/#/look?m=host.cpu`, reach: point },
    { name: 'look-spike', url: `${url}/#/look?m=host.load&t=all`, reach: point },
    { name: 'look-split', url: `${url}/#/look?m=host.cpu&by=region&y=0`, reach: drawn },
    { name: 'look-filter', url: `${url}/#/look?m=host.cpu`, reach: filterMenu },
    { name: 'look-data', url: `${url}/#/look?m=room.warmth&show=data`, reach: drawn },
    { name: 'look-statements', url: `${url}/#/look?m=host.cpu&show=statements`, reach: drawn },
    {
      name: 'look-empty',
      url: `${url}/#/look?m=room.warmth&t=2026-01-01..2026-01-02`,
      reach: told('Go there'),
    },
    { name: 'bad-address', url: `${url}/#/?t=soon` },
    ...askShots(url),
    ...listShots(url, empty.url),
  ];
}

interface Wanted {
  readonly look: ContextOptions;
  readonly file: string;
}

async function take(browser: Browser, { url, reach }: Shot, wanted: Wanted): Promise<void> {
  const context = await browser.newContext({ ...wanted.look, timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await reach?.(page);
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' });
  await page.screenshot({ path: wanted.file });
  await context.close();
}

/** Only the pictures of the documents, which the repository contains. */
const isForDocs = process.argv.includes('--docs');
/** If words are given, only states with one of them in their names. */
const words = process.argv.slice(2).filter((word) => word !== '--docs');

function wantedOf({ name }: Shot): readonly Wanted[] {
  if (words.length > 0 && !words.some((word) => name.includes(word))) return [];
  if (!isForDocs) {
    return Object.entries(looks).map(([key, look]) => ({
      ...{ look, file: path.join(folder, `${name}-${key}.png`) },
    }));
  }
  const known = documented[name];
  if (known === undefined) return [];
  return [{ look: docsLook, file: path.join(docsFolder, `${known}.png`) }];
}

outliveReaders();
mkdirSync(isForDocs ? docsFolder : folder, { recursive: true });
const browser = await openBrowser();
for (const shot of await shots()) {
  for (const wanted of wantedOf(shot)) await take(browser, shot, wanted);
}
await browser.close();
await killServers();
console.log(`pictures are in ${isForDocs ? docsFolder : folder}`);
