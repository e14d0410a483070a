/** Parts of one metric: of its values, of its series, of the calendar. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { expectAccess, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { Page } from '../support/browser-types.js';

const kMinute = 60_000;
/** 21 November 2026, 10:00 in Berlin. */
const start = 1_795_251_600_000;
const sixHours = 't=2026-11-21T09:00:00Z..2026-11-21T15:00:00Z';

/** Forty hosts, each with a value of its own: 0 to 39. */
const hosts = Array.from({ length: 40 }, (_, host) =>
  Array.from({ length: 13 }, (_, at) => ({
    ...{ metric: 'cpu.usage', ts: start + at * 30 * kMinute, value: host },
    labels: { hostname: `host_${host}`, region: ['eu', 'us'][host % 2] },
  })),
).flat();

/** Three years; the clocks change on the second day. */
function days(): readonly object[] {
  const midnight = Date.parse('2024-03-29T23:00:00Z');
  return Array.from({ length: 3 * 365 * 4 }, (_, at) => ({
    ...{ metric: 'days.load', ts: midnight + at * 360 * kMinute, value: at % 4 },
    labels: { host: 'a' },
  }));
}

describe('parts of a metric', () => {
  let server: Server;
  const at = (keys: string): string => `${server.url}/#/look?${keys}`;
  const chart = (page: Page) => page.getByRole('figure', { name: /^Chart of/ });

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    await writeLines(server, [...hosts, ...days()]);
  });
  after(killServers);

  it(
    "names the series without samples in the window, and their last sample's time",
    onPages(async (open) => {
      const written = [
        ...[0, 1, 2].map((n) => ({ labels: { host: `h${n}` }, ts: start + n * kMinute })),
        { labels: { host: 'gone', region: 'eu' }, ts: start - 24 * 60 * kMinute },
        { labels: { host: 'other', region: 'us' }, ts: start - 24 * 60 * kMinute },
      ];
      await writeLines(
        server,
        written.map((one) => ({ metric: 'disk.free', value: 1, ...one })),
      );
      const page = await open(at(`m=disk.free&${sixHours}`));
      await page.getByText(/^3 of 5 series$/).waitFor();
      await page.getByText('2 without samples here').press('Enter');
      const silent = page.getByRole('listitem').getByText(/host='(gone|other)'/);
      await silent.first().waitFor();
      assert.strictEqual(await silent.count(), 2);
      await page
        .getByText(/last one 2026-11-20 10:00:00/)
        .first()
        .waitFor();
      await expectAccess(page);
      const eu = await open(at(`m=disk.free&${sixHours}&w={host!='other'}`));
      await eu.getByText('1 without samples here').click();
      await eu.getByRole('link', { name: "{host='gone', region='eu'}" }).waitFor();
      assert.strictEqual(await eu.getByText(/host='other'/).count(), 0);
    }),
  );

  it(
    'zooms into a value range by dragging down with Shift, which Back undoes',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage&${sixHours}`));
      await page.locator('.chart canvas').waitFor();
      const box = await page.locator('.chart .over').boundingBox();
      if (box === null) throw new Error('there is no plot');
      await page.keyboard.down('Shift');
      await page.mouse.move(box.x + 200, box.y + box.height * 0.25);
      await page.mouse.down();
      await page.mouse.move(box.x + 203, box.y + box.height * 0.5);
      await page.mouse.move(box.x + 205, box.y + box.height * 0.75);
      await page.mouse.up();
      await page.keyboard.up('Shift');
      const [low = 0, high = 0] = (/y=([\d.]+)$/.exec(page.url())?.[1] ?? '')
        .split('..')
        .map(Number);
      assert.approximately(low, 10.3, 1);
      assert.approximately(high, 31, 1);
      await page.getByRole('button', { name: /^Axis: \d+\.?\d* to \d+\.?\d*$/ }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Axis: auto' }).waitFor();
    }),
  );

  it(
    'draws all lines, and saves every sample of the visible ones',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage&${sixHours}`));
      await chart(page).waitFor();
      await page.getByRole('button', { name: /^Most lines/ }).click();
      await page.getByRole('button', { name: 'all', exact: true }).click();
      await page.getByRole('figure', { name: /, 40 series,/ }).waitFor();
      await page.goto(at(`m=cpu.usage&${sixHours}&n=5`));
      await page.getByRole('figure', { name: /, 5 of 40 series,/ }).waitFor();
      await page.evaluate(`(() => {
        const real = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.text().then((text) => { window.savedText = text; });
          return real(blob);
        };
      })()`);
      await page.getByRole('button', { name: 'CSV' }).click();
      await page.getByRole('button', { name: 'All samples' }).click();
      await page.evaluate(`new Promise((resolve) => {
        const look = () => window.savedText === undefined ? setTimeout(look, 20) : resolve();
        look();
      })`);
      const rows = String(await page.evaluate('window.savedText'))
        .trim()
        .split(/\r?\n/);
      assert.strictEqual(rows.length, 1 + 5 * 13);
      assert.strictEqual(rows[0], 'time,series_id,tag.hostname,tag.region,value');
      assert.isTrue(rows.slice(1).every((row) => /^\d+,\d+,host_3\d,(eu|us),/.test(row)));
    }),
  );

  it(
    'starts days at midnight in the zone of the page, summer and winter',
    onPages(async (open) => {
      const page = await open(
        at('m=days.load&by=host&t=2024-03-20T00:00:00Z..2025-03-20T00:00:00Z&show=data'),
      );
      const table = page.getByRole('table', { name: 'Data' });
      await table.getByText('2024-03-30 00:00:00 +01:00').waitFor();
      await table.getByText('2024-04-01 00:00:00 +02:00').waitFor();
      await page.getByRole('button', { name: 'as SeriesQL' }).click();
      await page.getByText("time_bucket(1d, time, 'Europe/Berlin')").first().waitFor();
    }),
  );
});
