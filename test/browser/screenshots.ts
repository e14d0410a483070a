/** Started by `npm run ui:shots`: the page in its states, each in light, dark and narrow. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { openBrowser } from '../support/browser.js';
import { rootFolder } from '../support/page-session.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

import { hourlyLines, listShots, writeNotes } from './list-shots.js';

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
  return [...lines, ...hourlyLines(nowMs)].map((line) => JSON.stringify(line)).join('\n');
}

const wave = (at: number, series: number): number =>
  45 + (series % 13) * 2 + 18 * Math.sin(at / 70 + series * 0.7) + 6 * Math.sin(at / 4.5 + series);

/** Series with curves: a thousand, eight counters, one with a gap, one of many samples. */
function* curves(nowMs: number): Generator<string> {
  const about = { kind: 'gauge', unit: 'percent', description: 'CPU time in user mode' };
  for (let series = 0; series < 1_000; series += 1) {
    const labels = { hostname: `host_${series}`, region: ['eu', 'us', 'ap'][series % 3] };
    for (let at = 0; at < 180; at += 1) {
      const ts = nowMs - (180 - at) * 120_000;
      const value = Number(wave(at, series).toFixed(2));
      yield JSON.stringify({ metric: 'host.cpu', ts, value, labels, ...about });
    }
  }
  for (let series = 0; series < 8; series += 1) {
    let value = 0;
    for (let at = 0; at < 2_160; at += 1) {
      value += Math.round(20_000 * (wave(at / 8, series) + 10));
      const labels = { host: `web-${series}`, dc: series % 2 === 0 ? 'ams' : 'fra' };
      const ts = nowMs - (2_160 - at) * 10_000;
      yield JSON.stringify({
        metric: 'host.sent',
        ts,
        value,
        labels,
        kind: 'counter',
        unit: 'bytes',
      });
    }
  }
  for (let at = 0; at < 2_160; at += 1) {
    if (at > 900 && at < 1_260) continue;
    const value = 21 + 3 * Math.sin(at / 200) + ((at * 7) % 10) / 25;
    const labels = { room: 'server' };
    const ts = nowMs - (2_160 - at) * 10_000;
    yield JSON.stringify({
      metric: 'room.warmth',
      ts,
      value,
      labels,
      kind: 'gauge',
      unit: 'celsius',
    });
  }
  const many = 1_000_000;
  for (let at = 0; at < many; at += 1) {
    const value = at === 654_321 ? 480 : 50 + 20 * Math.sin(at / 30_000) + ((at * 7_919) % 16);
    const ts = nowMs - (many - at) * 1_000;
    yield `{"metric":"host.load","ts":${ts},"value":${value.toFixed(2)}}`;
  }
}

async function write(url: string, lines: Iterable<string>): Promise<void> {
  let body: string[] = [];
  const send = async (): Promise<void> => {
    const request = { method: 'POST', body: body.join('\n') };
    const { status } = await fetch(`${url}/api/v1/ingest`, request);
    if (status !== 200) throw new Error(`the samples were answered by ${status}`);
    body = [];
  };
  for (const line of lines) if (body.push(line) === 100_000) await send();
  await send();
}

async function filled(): Promise<string> {
  const { url } = await startServer({ dataDir: temporaryDirectory() });
  await write(url, [fixedLines(Date.now())]);
  await write(url, curves(Date.now()));
  await writeNotes(url, Date.now());
  return url;
}

const drawn = (page: Page): Promise<void> => page.locator('.chart canvas').waitFor();

/** The pointer over the plot, so that its values are shown. */
async function point(page: Page): Promise<void> {
  await drawn(page);
  const box = await page.locator('.chart .over').boundingBox();
  if (box !== null) await page.mouse.move(box.x + box.width * 0.62, box.y + box.height * 0.4);
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
    { name: 'look-1', url: `${url}/#/look?m=room.warmth`, reach: point },
    { name: 'look-8', url: `${url}/#/look?m=host.sent`, reach: point },
    { name: 'look-1000', url: `${url}/#/look?m=host.cpu`, reach: point },
    { name: 'look-spike', url: `${url}/#/look?m=host.load&t=all`, reach: point },
    { name: 'look-split', url: `${url}/#/look?m=host.cpu&by=region&y=0`, reach: drawn },
    { name: 'look-filter', url: `${url}/#/look?m=host.cpu`, reach: press(/^Filter by region/) },
    { name: 'look-data', url: `${url}/#/look?m=room.warmth&show=data`, reach: drawn },
    { name: 'look-statements', url: `${url}/#/look?m=host.cpu&show=statements`, reach: drawn },
    { name: 'look-empty', url: `${url}/#/look?m=room.warmth&t=2026-01-01..2026-01-02` },
    { name: 'bad-address', url: `${url}/#/?t=soon` },
    ...askShots(url),
    ...listShots(url, empty.url),
  ];
}

const grouped =
  'select tag.hostname, count(*) as n, min(value) as least, max(value) as most\n' +
  'from cpu.usage_user\nwhere time >= now() - 7d\n' +
  'group by tag.hostname order by most desc -- the busiest ones';

const curved =
  'select time_bucket(2m, time) as t, tag.region, avg(value), max(value)\n' +
  'from host.cpu where time >= now() - 6h\ngroup by t, tag.region';

async function typed(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SeriesQL statement' }).click();
  await page.keyboard.type(text);
  await page.getByRole('option').or(page.getByRole('alert')).first().waitFor();
}

function askShots(url: string): readonly Shot[] {
  const of = (text: string): string => `${url}/#/ask?q=${encodeURIComponent(text)}`;
  const grid = (page: Page) => page.getByRole('grid').waitFor();
  return [
    { name: 'ask', url: `${url}/#/ask`, reach: (page) => page.getByText('Every metric').waitFor() },
    { name: 'ask-result', url: of(grouped), reach: grid },
    { name: 'ask-values', url: of("select 9007199254740993, null, '', now()"), reach: grid },
    {
      name: 'ask-chart',
      url: of(curved),
      reach: async (page) => {
        await grid(page);
        await page.getByRole('tab', { name: 'Chart' }).click();
        await point(page);
      },
    },
    {
      name: 'ask-words',
      url: `${url}/#/ask`,
      reach: (page) => typed(page, 'select value from cpu.'),
    },
    { name: 'ask-functions', url: `${url}/#/ask`, reach: (page) => typed(page, 'select p') },
    {
      name: 'ask-fault',
      url: of('select tim, avg(valu)\nfrom cpu.usage_user where time >= now() - 7d'),
      reach: (page) => page.getByRole('alert').first().waitFor(),
    },
    {
      name: 'ask-plan',
      url: of(`explain analyze ${grouped}`),
      reach: (page) => page.getByRole('tree').waitFor(),
    },
    {
      name: 'ask-delete',
      url: of('delete from cpu.usage_user where time between now() - 7d and now()'),
      reach: async (page) => {
        await press(/^Run/)(page);
        await page.getByText(/samples? in .* series/).waitFor();
      },
    },
    {
      name: 'ask-history',
      url: of(grouped),
      reach: async (page) => {
        await grid(page);
        await press('History')(page);
      },
    },
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

/** Only states with one of these words in their names, where words are given. */
const wanted = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
for (const shot of await shots()) {
  if (wanted.length > 0 && !wanted.some((word) => shot.name.includes(word))) continue;
  for (const look of Object.keys(looks)) await take(browser, look, shot);
}
await browser.close();
await killServers();
console.log(`pictures are in ${folder}`);
