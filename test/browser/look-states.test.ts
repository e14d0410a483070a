/** The page of a metric while it waits, with many series, and at the width of a phone. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { ask, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { ContextOptions, Page } from '../support/browser-types.js';

const kMinute = 60_000;
/** 21 November 2026, 10:00 in Berlin. */
const start = 1_795_251_600_000;
const sixHours = 't=2026-11-21T09:00:00Z..2026-11-21T15:00:00Z';
const phone: ContextOptions = { hasTouch: true, viewport: { width: 390, height: 844 } };

/** Six hours of 60 hosts, a sample each half hour: more rarely than the buckets of a chart. */
const hosts = Array.from({ length: 60 * 13 }, (_, at) => ({
  ...{ metric: 'cpu.usage', kind: 'gauge', unit: 'percent', value: 20 + (at % 60) },
  ...{ ts: start + Math.floor(at / 60) * 30 * kMinute },
  labels: { hostname: `host-${at % 60}.eu-central-1.compute.internal`, region: 'eu' },
}));

/** Ten seconds apart, so that a bucket has many samples. */
const rooms = Array.from({ length: 6 * 360 }, (_, at) => ({
  ...{ metric: 'room.temperature', kind: 'gauge', unit: 'celsius', ts: start + at * 10_000 },
  ...{ value: 20 + Math.sin(at) / 3, labels: { room: 'a' } },
}));

interface Box {
  readonly top: number;
  readonly height: number;
}

const boxOf = (page: Page, selector: string): Promise<Box> =>
  page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const { top, height } = element.getBoundingClientRect();
    return { top, height };
  })()`) as Promise<Box>;

const textsOf = (page: Page, selector: string): Promise<readonly string[]> =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`,
  ) as Promise<readonly string[]>;

describe('the page of a metric', () => {
  let server: Server;
  const at = (fragment: string): string => `${server.url}/#/look?${fragment}&${sixHours}`;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    await writeLines(server, [...hosts, ...rooms]);
  });
  after(killServers);

  it(
    'reserves the place of a chart that is awaited',
    onPages(async (open) => {
      const page = await open(server.url);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/api/v1/seriesql', async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(at('m=room.temperature'));
      await page.getByText('Waiting for the server').waitFor();
      const frame = await boxOf(page, '.chart-frame');
      const words = await boxOf(page, '.waiting p');
      assert.isAbove(words.top, frame.top);
      assert.isBelow(words.top + words.height, frame.top + frame.height);
      release();
      await page.locator('.chart canvas').waitFor();
      const plot = await boxOf(page, '.chart .plot');
      assert.strictEqual(frame.height, plot.height);
      assert.isBelow(Math.abs(frame.top - plot.top), 40);
      assert.strictEqual(await page.locator('.chart-frame').count(), 0);
    }),
  );

  it(
    'draws the band of all series where samples come more rarely than buckets',
    onPages(async (open) => {
      const page = await open(at('m=cpu.usage&n=5'), { colorScheme: 'light' });
      await page.locator('.chart canvas').waitFor();
      const share = await page.evaluate(`(() => {
        const canvas = document.querySelector('.chart canvas');
        const { width, height } = canvas;
        const row = canvas.getContext('2d').getImageData(0, Math.round(height / 2) - 4, width, 9);
        let banded = 0;
        for (let at = 0; at < row.data.length; at += 4) {
          const [red, green, blue] = row.data.subarray(at, at + 3);
          if (red === 0xe4 && green === 0xe8 && blue === 0xef) banded += 1;
        }
        return banded / (width * 9);
      })()`);
      assert.isAbove(Number(share), 0.6);
    }),
  );

  it(
    'gives all values of a tooltip the same decimal places',
    onPages(async (open) => {
      const page = await open(at('m=room.temperature'));
      await page.locator('.chart canvas').waitFor();
      await page.locator('.chart .over').click();
      const cells = await textsOf(page, '.tip tbody td');
      const values = cells.filter((text) => text !== '');
      assert.lengthOf(values, 3);
      for (const value of values) assert.match(value, /^\d\d\.\d\d °C$/);
    }),
  );

  it(
    'shows every control and figure at the width of a phone',
    onPages(async (open) => {
      const page = await open(at('m=cpu.usage'), phone);
      await page.locator('.chart canvas').waitFor();
      const beyond = await page.evaluate(`({
        picks: [...document.querySelectorAll('.picks .tool')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth).length,
        legend: (() => {
          const { scrollWidth, clientWidth } = document.querySelector('.legend .scrolling');
          return scrollWidth - clientWidth;
        })(),
      })`);
      assert.deepEqual(beyond, { picks: 0, legend: 0 });
      await page.goto(at('m=room.temperature'));
      await page.getByRole('heading', { name: 'room.temperature', level: 1 }).waitFor();
      await page.locator('.chart canvas').waitFor();
      await page.locator('.chart .over').click();
      const right = await page.evaluate(`Math.max(
        ...[...document.querySelectorAll('.tip td')].map(
          (one) => one.getBoundingClientRect().right,
        ),
      )`);
      assert.isAtMost(Number(right), 390);
    }),
  );

  it(
    'shows the title of a note in the lane only where words have room',
    onPages(async (open) => {
      const note = { kind: 'incident', title: 'disks are full', metric: 'room.temperature' };
      const minutes = (from: number, length: number): object => ({
        ...{ start: start + from * kMinute, end: start + (from + length) * kMinute },
      });
      await ask(server, 'annotations/write', { ...note, ...minutes(60, 10) });
      await ask(server, 'annotations/write', { ...note, ...minutes(120, 90) });
      const page = await open(at('m=room.temperature'));
      const lane = page.getByRole('group', { name: 'Notes over time' });
      await lane.getByRole('button').first().waitFor();
      assert.deepEqual(await textsOf(page, '.stretch > .title'), ['disks are full']);
      assert.strictEqual(await lane.getByRole('button', { name: /^disks/ }).count(), 2);
    }),
  );
});
