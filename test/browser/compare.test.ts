/** The page that compares a metric with itself some time earlier. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { ask, expectAccess, writeLines } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

/** 28 October 2026, 12:00 in Berlin, three days after clocks went back. */
const end = Date.parse('2026-10-28T11:00:00Z');
/** 21 October 2026, 12:00 there: 169 hours earlier. */
const endBefore = Date.parse('2026-10-21T10:00:00Z');
const kMinuteMs = 60_000;

interface Told {
  readonly series: Readonly<Record<string, string>>;
  readonly end: number;
  readonly value: number;
  readonly count?: number;
}

const linesOf = ({ series, end: last, value, count = 60 }: Told) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ metric: 'cpu.usage', kind: 'gauge', unit: 'percent', labels: series },
    ...{ ts: last - at * kMinuteMs, value: value + (at % 2) },
  }));

const hostile = '<b>x</b>';
const lines = [
  ...linesOf({ series: { host: 'a', region: 'eu' }, end, value: 49 }),
  ...linesOf({ series: { host: 'a', region: 'eu' }, end: endBefore, value: 44 }),
  ...linesOf({ series: { host: 'b', region: 'us' }, end, value: 30 }),
  ...linesOf({ series: { host: 'b', region: 'us' }, end: endBefore, value: 60 }),
  ...linesOf({ series: { host: hostile }, end, value: 10.25 }),
  ...linesOf({ series: { host: 'gone' }, end: endBefore, value: 10 }),
  ...linesOf({ series: { host: 'few' }, end, value: 10, count: 2 }),
  ...linesOf({ series: { host: 'few' }, end: endBefore, value: 90 }),
];

/** One more each minute, from 1,000 on. */
const counted = Array.from({ length: 60 }, (_, at) => ({
  ...{ metric: 'sent_total', kind: 'counter', labels: {} },
  ...{ ts: end - (59 - at) * kMinuteMs, value: 1000 + at },
}));

const lastHour = '2026-10-28T10:00:00Z..2026-10-28T11:00:00Z';

interface Result {
  readonly current: { readonly value: number };
  readonly change_pct: number;
}

describe('the compare page', () => {
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    await writeLines(server, [...lines, ...counted]);
  });
  after(killServers);

  it(
    'shows the increase of a counter unless another aggregate was chosen',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/compare?m=sent_total`);
      const figures = page.getByLabel('Both windows');
      await figures.getByText('59', { exact: true }).waitFor();
      assert.strictEqual(await page.getByLabel('aggregate').inputValue(), 'delta');
      await page.getByLabel('aggregate').selectOption('max');
      await figures.getByText('1,059').first().waitFor();
      await page.goto(`${server.url}/#/compare?m=cpu.usage`);
      await page.getByRole('table', { name: 'Series compared' }).waitFor();
      assert.strictEqual(await page.getByLabel('aggregate').inputValue(), 'avg');
    }),
  );

  it(
    'shows the result of query/compare for one series, a week earlier in local time',
    onPages(async (open) => {
      const w = encodeURIComponent("{host='a'}");
      const page = await open(`${server.url}/#/compare?m=cpu.usage&w=${w}`);
      await page.getByText(/2026-10-21 12:00:00 \+02:00/).waitFor();
      for (const aggregate of ['avg', 'last', 'sum', 'min', 'max', 'count', 'delta']) {
        await page.getByLabel('aggregate').selectOption(aggregate);
        const kDayMs = 86_400_000;
        const windows = { start: end - kDayMs + 1, end, baseline_end: endBefore };
        const result = (await ask(server, 'query/compare', {
          ...{ metric: 'cpu.usage', labels: { host: 'a', region: 'eu' }, aggregate, ...windows },
          baseline_start: endBefore - kDayMs + 1,
        })) as Result;
        const { value } = result.current;
        const rounded = String(Math.round(result.change_pct * 10) / 10).replace('-', '−');
        const figures = page.getByLabel('Both windows');
        const shown =
          aggregate === 'count'
            ? String(value)
            : `${value.toLocaleString('en').replace('-', '−')} %`;
        await figures.getByText(shown).first().waitFor();
        if (aggregate !== 'delta') await figures.getByText(`${rounded} %`).first().waitFor();
      }
      assert.include(page.url(), 'agg=delta');
    }),
  );

  it(
    'lists many series by change, marks new and gone ones, and few samples',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/compare?m=cpu.usage`);
      const table = page.getByRole('table', { name: 'Series compared' });
      await table.waitFor();
      const rows = [];
      for (let at = 1; at <= 5; at += 1)
        rows.push(await table.getByRole('row').nth(at).innerText());
      assert.match(rows[0] ?? '', /host='few'.*2 and 60 samples/s);
      assert.match(rows[1] ?? '', /host='b'.*▼ −49\.6 %/s);
      assert.match(rows[2] ?? '', /host='a'.*▲ \+11\.2 %/s);
      const others = rows.slice(3).join('\n');
      assert.match(rows[1] ?? '', /30\.50 %.*60\.50 %/s);
      assert.match(others, /10\.75 %/);
      assert.match(others, /host='<b>x<\/b>'.*new/s);
      assert.match(others, /host='gone'.*gone/s);
      await page.getByRole('link', { name: "{host='a', region='eu'}" }).click();
      await page.getByText('+5.0 points').waitFor();
      await page.goBack();
      await table.waitFor();
    }),
  );

  it(
    'overlays both ranges, shows both values at the pointer, and pans both',
    onPages(async (open) => {
      const w = encodeURIComponent("{host='a'}");
      const page = await open(`${server.url}/#/compare?m=cpu.usage&w=${w}&t=${lastHour}`);
      const chart = page.getByRole('figure', { name: /^Chart of cpu\.usage, now and 7 days/ });
      await chart.waitFor();
      assert.match((await chart.getAttribute('aria-label')) ?? '', /44 to 50 percent$/);
      await page.locator('.chart canvas').waitFor();
      await chart.press('End');
      const both = '2026-10-28 12:00:00 +01:00 and 2026-10-21 12:00:00 +02:00';
      await page.getByText(`${both}: now 49 %, 7 days earlier 44 %`).waitFor();
      await page.getByRole('button', { name: 'Earlier' }).click();
      await page.getByText('2026-10-21 10:30:00 – 2026-10-21 11:30:00 +02:00').waitFor();
      await page.getByRole('figure', { name: /2026-10-28 10:30–11:30 \+01:00/ }).press('d');
      await page.getByRole('figure', { name: /2026-10-28 11:00–12:00 \+01:00/ }).waitFor();
    }),
  );

  it(
    'switches the shift by keys, and says when there is no earlier data',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/compare?m=cpu.usage`);
      await page.getByRole('table', { name: 'Series compared' }).waitFor();
      await page.keyboard.press(']');
      assert.include(page.url(), 'shift=28d');
      await page.getByText('No samples 28 days earlier; the first is of 2026-10-21.').waitFor();
    }),
  );

  it(
    'opens a metric by name, and reports a faulty filter',
    onPages(
      async (open) => {
        const page = await open(`${server.url}/#/compare`);
        await page.getByText(/^Choose a metric/).waitFor();
        await typeInto(page.getByLabel('Metric'), 'cpu.usage');
        await page.keyboard.press('Enter');
        await page.getByRole('table', { name: 'Series compared' }).waitFor();
        await typeInto(page.getByLabel('Filter of series'), 'region');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').first().waitFor();
        await typeInto(page.getByLabel('Filter of series'), 'region=eu');
        await page.keyboard.press('Enter');
        await page.getByText('+5.0 points').waitFor();
      },
      { console: /status of 400/ },
    ),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(`${server.url}/#/compare?m=cpu.usage`, { colorScheme });
        await page.getByRole('table', { name: 'Series compared' }).waitFor();
        await expectAccess(page);
      }),
    );
  }
});
