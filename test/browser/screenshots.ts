/** Started by `npm run ui:shots`: the page in its states, each in light, dark and narrow. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { openBrowser } from '../support/browser.js';
import { rootFolder } from '../support/page-session.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

import type { Browser, ContextOptions, Page } from '../support/browser-types.js';

const folder = path.join(rootFolder, 'build/screenshots');

const looks: Readonly<Record<string, ContextOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
};

interface Shot {
  readonly name: string;
  readonly url: string;
  /** Brings the page into the state. */
  readonly reach?: (page: Page) => Promise<void>;
}

const words = ['cpu', 'disk', 'mem', 'net', 'http', 'queue'];
const facts = [
  ['usage_user', 'gauge', 'percent', 'CPU time in user mode'],
  ['bytes', 'counter', 'bytes', 'Bytes since the start'],
  ['latency', 'gauge', 'ms', ''],
  ['temperature', 'gauge', 'celsius', 'Of the hottest core'],
  ['requests', 'counter', 'requests', 'Requests that were answered'],
] as const;

function fixedLines(nowMs: number): string {
  const lines = words.flatMap((word, at) =>
    facts.flatMap(([name, kind, unit, description], place) =>
      Array.from({ length: 1 + ((at * 7 + place * 3) % 40) }, (_, series) => ({
        ...{ metric: `${word}.${name}`, kind, unit, ts: nowMs - at * place * 3_700_000 - series },
        ...(description === '' ? {} : { description }),
        ...{ value: series, labels: { hostname: `host_${series}` } },
      })),
    ),
  );
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

async function filled(): Promise<string> {
  const { url } = await startServer({ dataDir: temporaryDirectory() });
  const body = fixedLines(Date.now());
  const { status } = await fetch(`${url}/api/v1/ingest`, { method: 'POST', body });
  if (status !== 200) throw new Error(`the samples were answered by ${status}`);
  return url;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).click();

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
    { name: 'help', url: `${url}/`, reach: press('Help') },
    { name: 'token', url: guarded.url },
    { name: 'server', url: `${url}/#/server` },
    { name: 'own-time', url: `${url}/#/?t=2026-11-20T09:00:00Z..2026-11-21T11:00:00Z` },
    { name: 'bad-address', url: `${url}/#/?t=soon` },
  ];
}

async function take(browser: Browser, look: string, { name, url, reach }: Shot): Promise<void> {
  const context = await browser.newContext({ ...looks[look], timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await reach?.(page);
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' });
  await page.screenshot({ path: path.join(folder, `${name}-${look}.png`) });
  await context.close();
}

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
for (const shot of await shots()) {
  for (const look of Object.keys(looks)) await take(browser, look, shot);
}
await browser.close();
await killServers();
console.log(`pictures are in ${folder}`);
