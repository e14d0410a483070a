/**
 * Measures the built-in page against its time budgets, in the tests' browser. It covers first
 * paint, lists, ten million points, a thousand series, and frames while zooming. Each figure is a
 * median. A figure that misses its budget by more than noise fails the run.
 */

import { openBrowser } from '../test/support/browser.js';
import { write, writeLong } from '../test/support/chart-samples.js';
import { countAnew, counted, probe, turnWheel, untilDrawn } from '../test/support/page-probe.js';
import { killServers, startServer, temporaryDirectory } from '../test/support/server.js';

import type { Browser, Page } from '../test/support/browser-types.js';
import type { Server } from '../test/support/server.js';

const points = 10_000_000;
const hosts = 1_000;
const samplesOfHost = 3_600;
const metrics = 200;
const rounds = 5;

/** The factor by which other load on the machine may raise a figure. */
const noise = 2;

const startMs = Date.parse('2026-07-01T00:00:00Z');

interface Figure {
  readonly name: string;
  readonly budgetMs: number;
  readonly measure: (page: Page) => Promise<number>;
}

/** Writes the hosts in turn, as an agent would. */
async function writeHosts(server: Server): Promise<void> {
  const atOnce = 100;
  for (let from = 0; from < samplesOfHost; from += atOnce) {
    const lines = Array.from({ length: hosts * atOnce }, (_, at) => {
      const host = at % hosts;
      const ts = startMs + (from + Math.floor(at / hosts)) * 10_000;
      const value = (host * 97 + (from + at) * 13) % 1_000;
      return `{"metric":"cpu.usage","ts":${ts},"value":${value / 10},"labels":{"host":"host_${host}","region":"r${host % 4}"}}`;
    });
    await write(server, lines.join('\n'));
  }
}

async function filled(): Promise<Server> {
  const server = await startServer({ dataDir: temporaryDirectory() });
  await writeLong(server, { metric: 'big.load', startMs, count: points, outlier: 1_234_567 });
  await writeHosts(server);
  const lines = Array.from(
    { length: metrics },
    (_, at) => `{"metric":"m.number_${at}","ts":${startMs},"value":1}`,
  );
  await write(server, lines.join('\n'));
  return server;
}

const go = (fragment: string): string => `location.hash = '#/look?${fragment}'`;

const opened = (fragment: string, name: RegExp) => async (page: Page) => {
  await page.getByRole('row', { name: /m\.number_1\b/ }).waitFor();
  return untilDrawn(page, go(fragment), name);
};

/** The slowest frame while zooming in and out. */
const zoomed = (fragment: string) => async (page: Page) => {
  await untilDrawn(page, go(fragment), /^Chart of/);
  await countAnew(page);
  await turnWheel(page, [...Array<number>(20).fill(-60), ...Array<number>(20).fill(60)]);
  await untilDrawn(page, '', /^Chart of/);
  return (await counted(page)).worstFrameMs;
};

const figures: readonly Figure[] = [
  {
    name: 'first paint',
    budgetMs: 300,
    measure: async (page) =>
      Number(
        await page.evaluate(
          `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
        ),
      ),
  },
  {
    name: `a list of ${metrics} metrics`,
    budgetMs: 500,
    measure: async (page) => {
      await page.getByRole('row', { name: /m\.number_1\b/ }).waitFor();
      return Number(await page.evaluate('window.listedAt'));
    },
  },
  {
    name: `${points / 1e6} million points`,
    budgetMs: 500,
    measure: opened('m=big.load&t=all', /to 480/),
  },
  {
    name: `${hosts} series`,
    budgetMs: 500,
    measure: opened('m=cpu.usage&t=all', /20 of 1,000/),
  },
  { name: 'worst frame, zooming in the points', budgetMs: 50, measure: zoomed('m=big.load&t=all') },
  { name: 'worst frame, zooming in 20 lines', budgetMs: 50, measure: zoomed('m=cpu.usage&t=all') },
];

/** Records when the first row of a table appears, observed inside the page. */
const listing = `new MutationObserver((_, observer) => {
  if (document.querySelector('main [role=row], main tbody tr') === null) return;
  observer.disconnect();
  requestAnimationFrame((now) => { window.listedAt = now; });
}).observe(document, { childList: true, subtree: true });`;

async function once(browser: Browser, url: string, { measure }: Figure): Promise<number> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' });
  try {
    await context.addInitScript({ content: probe + listing });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return await measure(page);
  } finally {
    await context.close();
  }
}

async function medianOf(browser: Browser, url: string, figure: Figure): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await once(browser, url, figure));
  return all.sort((one, two) => one - two)[rounds >> 1] ?? NaN;
}

const server = await filled();
const browser = await openBrowser();
let missed = 0;
for (const figure of figures) {
  const { name, budgetMs } = figure;
  const ms = await medianOf(browser, server.url, figure);
  const isMissed = !(ms <= budgetMs * noise);
  const said = ms <= budgetMs ? '' : isMissed ? '  MISSED' : '  above it, within noise';
  console.log(`${name.padEnd(36)} ${ms.toFixed(0).padStart(5)} ms of ${budgetMs}${said}`);
  missed += isMissed ? 1 : 0;
}
await browser.close();
await killServers();
process.exitCode = missed === 0 ? 0 : 1;
