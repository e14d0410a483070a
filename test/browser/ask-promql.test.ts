/** PromQL on the page Ask: completion, runs, charts, and history. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { barriers, widthBeyond } from '../support/page-barriers.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Locator, Page } from '../support/browser-types.js';

/** 21 November 2026, 03:12 in Berlin. */
const ts = 1_795_227_120_000;
const series = [
  ...['a', 'b'].map((host) => ({ metric: 'requests_total', host, region: 'eu' })),
  { metric: 'requests_total', host: 'c', region: 'us' },
  { metric: 'room.warmth', host: 'd', region: 'us' },
];
const lines = series.flatMap(({ metric, host, region }, at) =>
  Array.from({ length: 60 }, (_, minute) => ({
    ...{ metric, kind: metric === 'requests_total' ? 'counter' : 'gauge' },
    ...{ ts: ts + minute * 60_000, value: minute * 60 * (at + 1), labels: { host, region } },
  })),
);
const times = 't=2026-11-21T02:12:00Z..2026-11-21T03:11:00Z';

/** A refused expression is an answer of 400 or 422; a pending one is aborted. */
const refusals = { console: /status of 4\d\d|ERR_FAILED|ERR_ABORTED/ };

const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'PromQL expression' });
const written = (page: Page): Promise<string> => editorOf(page).inputValue();

async function type(page: Page, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Accepts a suggestion once it is visible. */
async function take(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('option', { name }).first().waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 60))');
  await page.keyboard.press('Tab');
}

describe('PromQL on the page Ask', () => {
  let url: string;
  const linkTo = (text: string, more = ''): string =>
    `${url}/#/ask?lang=promql&${times}${more}&q=${encodeURIComponent(text)}`;

  before(async () => {
    ({ url } = await startServer({ dataDir: temporaryDirectory() }));
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const { status } = await fetch(`${url}/api/v1/ingest`, { method: 'POST', body });
    assert.strictEqual(status, 200);
  });
  after(killServers);

  it(
    'is selected by a switch, which the URL keeps, and has its own draft',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask`);
      await page.getByRole('textbox', { name: 'SeriesQL statement' }).click();
      await page.keyboard.type('select 1');
      const languages = page.getByRole('group', { name: 'Language' });
      await languages.getByRole('button', { name: 'PromQL' }).click();
      await type(page, '1 + 1');
      assert.include(String(await page.evaluate('location.hash')), 'lang=promql');
      await page.reload();
      await editorOf(page).waitFor();
      assert.strictEqual(await written(page), '1 + 1');
      await languages.getByRole('button', { name: 'SeriesQL' }).click();
      const other = page.getByRole('textbox', { name: 'SeriesQL statement' });
      await other.waitFor();
      assert.strictEqual(await other.inputValue(), 'select 1');
    }, refusals),
  );

  it(
    'offers functions, metrics, labels and values where each belongs',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask?lang=promql`);
      await type(page, 'sum by (ho');
      await take(page, /^host/);
      await page.keyboard.type(') (rat');
      await take(page, /^rate/);
      await page.keyboard.type('req');
      await take(page, /^requests_total/);
      await page.keyboard.type('{reg');
      await take(page, /^region/);
      await page.keyboard.type('="us", host="');
      await page.getByRole('option', { name: /^c/ }).waitFor();
      assert.strictEqual(await page.getByRole('option').count(), 1);
      await take(page, /^c/);
      await page.keyboard.type('}[5');
      await take(page, /^5m|^5s/);
      const text = 'sum by (host) (rate(requests_total{region="us", host="c"[5s';
      assert.strictEqual(await written(page), text.replace('[', '}['));
    }, refusals),
  );

  it(
    'writes a metric with a dot in its name in quotes',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask?lang=promql`);
      await type(page, 'room.w');
      await take(page, /^room\.warmth/);
      assert.strictEqual(await written(page), '{"room.warmth"}');
    }, refusals),
  );

  it(
    'underlines a syntax error, fixes a name, and asks the server about types',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask?lang=promql`);
      await type(page, 'rte(requests_total[5m])');
      await page.keyboard.press('Escape');
      const alert = page.getByRole('alert');
      await alert.getByText('line 1, column 1: unknown function').waitFor();
      assert.strictEqual(await page.locator('.fault-text').textContent(), 'rte');
      await page.getByRole('button', { name: 'rate', exact: true }).click();
      await alert.waitFor({ state: 'hidden' });
      await type(page, '{a="ä"} or rate(requests_total)');
      await page.keyboard.press('Escape');
      await alert.getByText(/line 1, column 17: expected type range vector/).waitFor();
      assert.strictEqual(await page.locator('.fault-text').textContent(), 'requests_total');
    }, refusals),
  );

  it(
    'opens no suggestions for the text of a link, and names a single value',
    onPages(async (open) => {
      const page = await open(linkTo('"a"'));
      await page.getByText(/^a text · at /).waitFor();
      // Suggestions appear after a pause in typing.
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.strictEqual(await page.getByRole('listbox').count(), 0);
      assert.strictEqual(await page.evaluate('document.activeElement.selectionEnd'), 3);
      await page.keyboard.press('Control+z');
      assert.strictEqual(await written(page), '"a"');
      await type(page, '1 + 1');
      await page.keyboard.press('Control+Enter');
      await page.getByText(/^a number · at /).waitFor();
    }, refusals),
  );

  it(
    'runs at the end of the chosen time, and shows labels and values',
    onPages(async (open) => {
      const page = await open(linkTo('sum by (region) (requests_total)'));
      await page.getByText(/^2 series · at 2026-11-21 04:11:00 \+01:00/).waitFor();
      await page.getByRole('gridcell', { name: '10620', exact: true }).first().waitFor();
      await page.getByRole('columnheader', { name: /^region/ }).waitFor();
      await page.getByRole('tab', { name: 'Table' }).press('ArrowRight');
      await page.getByText(/^A chart needs a range/).waitFor();
      assert.strictEqual(await page.evaluate('document.activeElement.textContent'), 'Chart');
    }, refusals),
  );

  it(
    'without a value says when the last sample was, and shows that time',
    onPages(async (open) => {
      const late = 't=2026-11-21T03:00:00Z..2026-11-21T05:11:00Z';
      const asked = encodeURIComponent('sum by (region) (requests_total)');
      const page = await open(`${url}/#/ask?lang=promql&${late}&q=${asked}`);
      await page.getByText('No series has a value at this time.').waitFor();
      const told = /^The last sample of requests_total is 2h older: 2026-11-21 04:11:00 \+01:00/;
      await page.getByText(told).waitFor();
      await page.getByRole('button', { name: 'Show that time' }).click();
      await page.getByText(/^2 series · at 2026-11-21 04:11:00 \+01:00/).waitFor();
      await page.getByText(told).waitFor({ state: 'hidden' });
    }, refusals),
  );

  it(
    'says nothing of the last expression without a value once another is asked',
    onPages(async (open) => {
      const late = 't=2026-11-21T03:00:00Z..2026-11-21T05:11:00Z';
      const asked = encodeURIComponent('requests_total{host="nobody"}');
      const page = await open(`${url}/#/ask?lang=promql&${late}&q=${asked}`);
      const told = page.getByText(/^The last sample of/);
      await told.waitFor();
      const whole = /^The last sample of any series of requests_total is 2h older: /;
      assert.match(String(await told.textContent()), whole);
      await type(page, 'absent_total');
      await page.keyboard.press('Control+Enter');
      await told.waitFor({ state: 'hidden' });
      await page.getByText('No series has a value at this time.').waitFor();
    }, refusals),
  );

  it(
    'runs over the chosen range in steps, as a list of series and as a chart',
    onPages(async (open) => {
      const page = await open(linkTo('rate(requests_total[5m])'));
      await page.getByRole('grid').waitFor();
      await page.getByRole('button', { name: 'Range' }).click();
      await page.getByText(/^3 series · .* points · every 15s, /).waitFor();
      assert.include(String(await page.evaluate('location.hash')), 'over=range');
      await page.getByRole('figure', { name: /^Chart of the answer, 3 series/ }).waitFor();
      await page.locator('.chart canvas').waitFor();
      await page.getByRole('table', { name: 'Legend' }).waitFor();
      // The chosen view applies to ranges only, not to a single time.
      await page.keyboard.press('Alt+1');
      await page.getByRole('button', { name: 'Instant' }).click();
      await page.getByText(/^3 series · at /).waitFor();
      await page.keyboard.press('Alt+2');
      await page.getByText(/^A chart needs a range/).waitFor();
      await page.getByRole('button', { name: 'Range' }).click();
      await page.getByText(/^3 series · .* points · /).waitFor();
      await page.getByRole('figure', { name: /^Chart of the answer/ }).waitFor();
    }, refusals),
  );

  it(
    'accepts another step, which the URL keeps, and says which steps are too many',
    onPages(async (open) => {
      const page = await open(linkTo('rate(requests_total[5m])', '&over=range'));
      const steps = page.getByRole('button', { name: 'Step: ' });
      await page.getByText(/ points · every 15s, /).waitFor();
      await steps.click();
      await page.getByRole('button', { name: '5m', exact: true }).click();
      await page.getByText(/^3 series · 36 points · every 5m, /).waitFor();
      await page.reload();
      await page.getByText(/^3 series · 36 points · every 5m, /).waitFor();
      await steps.click();
      await typeInto(page.getByRole('textbox', { name: 'Custom step' }), 'soon');
      await page.keyboard.press('Enter');
      await page.getByText('Write it as 90s, 5m or 2h30m.').waitFor();
      await typeInto(page.getByRole('textbox', { name: 'Custom step' }), '2h30m');
      await page.keyboard.press('Enter');
      await page.getByText(/^3 series · 3 points · every 2h30m, /).waitFor();
      const long = `${url}/#/ask?lang=promql&over=range&step=1s&t=7d&q=1`;
      const other = await open(long);
      await other
        .getByRole('alert')
        .getByText(/maximum resolution of 11,000 points/)
        .waitFor();
    }, refusals),
  );

  it(
    'has the focus when it opens, and saves every value as a file',
    onPages(
      async (open) => {
        const page = await open(`${url}/#/ask?lang=promql&over=range&step=15m&${times}`);
        await editorOf(page).waitFor();
        await page.keyboard.type('rate(requests_total{region="us"}[5m])');
        await page.keyboard.press('Escape');
        const saved = async (form: RegExp): Promise<string> => {
          await page.getByRole('button', { name: 'Save all values' }).click();
          await page.evaluate(`void (window.savedText = new Promise((resolve) => {
          URL.createObjectURL = (blob) => { resolve(blob.text()); return 'blob:none'; };
        }))`);
          await page.getByRole('button', { name: form }).click();
          return String(await page.evaluate('window.savedText'));
        };
        const text = await saved(/^CSV/);
        assert.match(text, /^host,region,time,value\r\nc,us,2026-11-21T02:26:00Z,3\r\n/);
        assert.lengthOf(text.split('\r\n'), 6);
        assert.deepInclude(JSON.parse(await saved(/^JSON/)), { status: 'success' });
      },
      { console: /ERR_FILE_NOT_FOUND|status of 4|blob:none/ },
    ),
  );

  it(
    "shows the server's warnings and limits",
    onPages(async (open) => {
      const page = await open(linkTo('rate({"room.warmth"}[5m]) > quantile(2, requests_total)'));
      await page.getByText(/quantile value should be between 0 and 1/).waitFor();
      await type(page, 'rate(requests_total[5m])[10m:1s]');
      await page.getByRole('button', { name: 'Range' }).click();
      await page
        .getByRole('alert')
        .getByText(/invalid expression type "range vector"/)
        .waitFor();
    }, refusals),
  );

  it(
    'cancels a long query, and keeps the last answer',
    onPages(async (open) => {
      const page = await open(linkTo('40 + 1'));
      await page.getByRole('gridcell', { name: '41' }).waitFor();
      await page.evaluate(`(() => {
        const real = window.fetch;
        window.fetch = (input, init) => String(input).endsWith('/query')
          ? new Promise((resolve, reject) => {
              init.signal.addEventListener('abort', () => {
                window.wasEnded = true;
                reject(init.signal.reason);
              });
            })
          : real(input, init);
      })()`);
      await type(page, '42');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Cancel' }).click();
      assert.isTrue(await page.evaluate('window.wasEnded'));
      assert.isTrue(await page.getByRole('gridcell', { name: '41' }).isVisible());
    }, refusals),
  );

  it(
    'keeps its own history, and formats an expression',
    onPages(async (open) => {
      const page = await open(linkTo('70 + 7'));
      await page.getByRole('gridcell', { name: '77' }).waitFor();
      await page.getByRole('button', { name: 'History' }).click();
      const history = page.getByRole('dialog', { name: 'History' });
      await history.getByRole('button', { name: /^70 \+ 7/ }).waitFor();
      await page.keyboard.press('Escape');
      await type(page, 'sum(requests_total)by(host)');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Format' }).click();
      await page.getByText('sum by (host) (requests_total)').first().waitFor();
      const languages = page.getByRole('group', { name: 'Language' });
      await languages.getByRole('button', { name: 'SeriesQL' }).click();
      await page.getByRole('button', { name: 'History' }).click();
      await history.getByText('No statements yet.').waitFor();
    }, refusals),
  );

  it(
    'gives examples that run as they stand',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask?lang=promql`);
      await page.getByText('Newest values').waitFor();
      const texts = (await page.evaluate(
        "[...document.querySelectorAll('.examples code')].map((one) => one.textContent)",
      )) as readonly string[];
      assert.strictEqual(texts.length, 6);
      for (const query of texts) {
        const options = { method: 'POST', body: new URLSearchParams({ query }) };
        const { status } = await fetch(`${url}/api/v1/query`, options);
        assert.strictEqual(status, 200, query);
      }
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(`${url}/#/ask?lang=promql`, { colorScheme });
        await page.getByText('Newest values').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.goto(linkTo('rate(requests_total[5m])', '&over=range'));
        await page.locator('.chart canvas').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.getByRole('tab', { name: 'Table' }).click();
        await page.getByRole('grid').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.getByRole('tab', { name: 'Chart' }).click();
        await page.locator('.chart canvas').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.setViewportSize({ width: 360, height: 740 });
        assert.strictEqual(await widthBeyond(page), 0);
        assert.deepEqual(await barriers(page), []);
        await type(page, 'rte(1');
        await page.getByRole('alert').waitFor();
        assert.deepEqual(await barriers(page), []);
        assert.strictEqual(await widthBeyond(page), 0);
      }, refusals),
    );
  }
});
