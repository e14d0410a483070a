/** The page Ask as a person uses it: writing, running, cancelling, explaining, deleting. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { barriers, widthBeyond } from '../support/page-barriers.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Locator, Page } from '../support/browser-types.js';

/** 21 November 2026, 03:12 in Berlin. */
const ts = 1_795_227_120_000;
const lines = ["it's", 'b', 'c'].flatMap((host, series) =>
  Array.from({ length: 5 }, (_, at) => ({
    ...{ metric: 'cpu.load', kind: 'gauge', unit: 'percent', ts: ts + at * 1000 },
    ...{ value: series * 10 + at, labels: { host, region: series === 2 ? 'us' : 'eu' } },
  })),
);

/** A refused statement is an answer of 400; a pending one is aborted. */
const refusals = { console: /status of 400|ERR_FAILED|ERR_ABORTED/ };

const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'SeriesQL statement' });

async function openAsk(page: Page, text = ''): Promise<Locator> {
  const editor = editorOf(page);
  await editor.click();
  await page.keyboard.press('Control+a');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
  return editor;
}

/** The text in the editor. */
const written = (page: Page): Promise<string> => editorOf(page).inputValue();

/** Accepts a suggestion once it is visible. */
async function take(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('option', { name }).first().waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 60))');
  await page.keyboard.press('Tab');
}

const linkTo = (server: Server, text: string): string =>
  `${server.url}/#/ask?q=${encodeURIComponent(text)}`;

const countOf = async (server: Server): Promise<unknown> => {
  const response = await fetch(`${server.url}/api/v1/seriesql`, {
    method: 'POST',
    body: 'select count(*) from cpu.load where time > 0',
  });
  const { rows } = (await response.json()) as { rows: unknown[][] };
  return rows[0]?.[0];
};

describe('the page Ask', () => {
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const { status } = await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body });
    assert.strictEqual(status, 200);
  });
  after(killServers);

  it(
    'offers keywords, metrics, labels and values where each belongs, and quotes them',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await openAsk(page, 'sel');
      await take(page, /^select/);
      await page.keyboard.type('value from cp');
      await take(page, /^cpu\.load/);
      await page.keyboard.type('{ho');
      await take(page, /^host/);
      await page.keyboard.type("='it");
      await take(page, /^it's/);
      assert.strictEqual(await written(page), "select value from cpu.load{host='it''s'");
    }, refusals),
  );

  it(
    'offers values that fit the other labels; without an offer Tab moves the focus',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await openAsk(page, "select 1 from cpu.load{region='us', host='");
      await page.getByRole('option', { name: /^c/ }).waitFor();
      assert.strictEqual(await page.getByRole('option').count(), 1);
      await page.keyboard.press('Escape');
      await page.getByRole('option').first().waitFor({ state: 'hidden' });
      await page.keyboard.press('Tab');
      assert.strictEqual(
        await page.evaluate('document.activeElement.textContent'),
        'RunCtrl+Enter',
      );
    }, refusals),
  );

  it(
    'underlines an error, gives its position, and fixes it by a click',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await openAsk(page, 'select tim from cpu.load where time > 0');
      const alert = page.getByRole('alert');
      // While a slow machine types, the unfinished statement may have another fault.
      await alert.getByText('line 1, column 8: unknown column tim').waitFor();
      const underlined = page.locator('.fault-text');
      assert.strictEqual(await underlined.textContent(), 'tim');
      assert.strictEqual(await editorOf(page).getAttribute('aria-invalid'), 'true');
      await page.getByRole('button', { name: 'time', exact: true }).click();
      await alert.waitFor({ state: 'hidden' });
      assert.strictEqual(await written(page), 'select time from cpu.load where time > 0');
      await openAsk(page, 'selekt 1');
      await page.getByRole('button', { name: 'select', exact: true }).click();
      await alert.waitFor({ state: 'hidden' });
    }, refusals),
  );

  it(
    'undoes its insertions like typing, and indents like the line before',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await openAsk(page, 'select ma');
      await take(page, /^max/);
      assert.strictEqual(await written(page), 'select max(');
      await page.keyboard.press('Control+z');
      assert.strictEqual(await written(page), 'select ma');
      await page.keyboard.type('x(value)');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await page.keyboard.type('  from');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await page.keyboard.type('m');
      assert.strictEqual(await written(page), 'select max(value)\n  from\n  m');
    }, refusals),
  );

  it(
    'aligns the highlighted text with the typed one, also in long and wrapped text',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      const editor = await openAsk(page);
      const line = (at: number) =>
        `select ${'x'.repeat(at)} 'a ${'b '.repeat(at)}',\t1 -- ä 😀 日本`;
      await editor.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(Array.from({ length: 60 }, (_, at) => line(at)).join('\n'));
      const heights = await page.evaluate(`(() => {
        const field = document.querySelector('.code-sheet textarea');
        const shown = document.querySelector('.code-lines').offsetHeight;
        field.style.height = 0;
        return [field.scrollHeight, shown];
      })()`);
      const [field, shown] = heights as readonly number[];
      assert.strictEqual(field, shown);
    }, refusals),
  );

  it(
    'gives examples that run unchanged, and run when chosen',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await page.getByText('Every metric').waitFor();
      const texts = (await page.evaluate(
        "[...document.querySelectorAll('.examples code')].map((one) => one.textContent)",
      )) as readonly string[];
      assert.strictEqual(texts.length, 8);
      for (const text of texts) {
        const body = text.replace(':width', '1h').replace(':from', '0').replace(':to', '1');
        const options = { method: 'POST', body };
        const response = await fetch(`${server.url}/api/v1/seriesql`, options);
        assert.strictEqual(response.status, 200, `${text}: ${await response.text()}`);
      }
      await page.getByRole('button', { name: /^Every metric/ }).click();
      await page.getByRole('button', { name: /^Run/ }).click();
      await page.getByRole('gridcell', { name: 'cpu.load' }).waitFor();
    }),
  );

  it(
    'resumes a statement once the token is entered',
    onPages(
      async (open) => {
        const env = { SERIESDB_AUTH_TOKEN: 'a-token-nobody-knows' };
        const guarded = await startServer({ dataDir: temporaryDirectory(), env });
        const page = await open(linkTo(guarded, 'select 55'));
        await typeInto(page.getByLabel('Access token'), 'a-token-nobody-knows');
        await page.keyboard.press('Enter');
        await page.getByRole('gridcell', { name: '55' }).waitFor();
      },
      { console: /status of 401/ },
    ),
  );

  it(
    'shows integers to the last digit, and distinguishes null from an empty text',
    onPages(async (open) => {
      const page = await open(linkTo(server, "select 9007199254740993, null, ''"));
      const cells = page.getByRole('gridcell');
      await cells.first().waitFor();
      assert.strictEqual(await cells.first().textContent(), '9007199254740993');
      await page.getByRole('gridcell', { name: 'null' }).waitFor();
      await page.getByText('empty').waitFor();
    }),
  );

  it(
    'shows times in the zone of the page, sorts, filters, and copies the selection',
    onPages(async (open) => {
      const text = 'select time, value, tag.host from cpu.load where time > 0';
      const page = await open(linkTo(server, text));
      await page.getByText('2026-11-21 03:12:04 +01:00').first().waitFor();
      await page.getByText(/^15 rows · .* run · 15 samples in 3 series · compiled$/).waitFor();
      await page.getByRole('button', { name: /^value/ }).click();
      await page.getByRole('button', { name: /^value/ }).click();
      const second = page.getByRole('row').getByRole('gridcell', { name: '24', exact: true });
      await second.waitFor();
      await typeInto(page.getByLabel('Filter rows'), "it's");
      await page.getByText('5 of 15 rows').waitFor();
      await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text) => { window.copiedText = text; } } })`);
      await page.getByRole('gridcell', { name: '4', exact: true }).click();
      await page.getByRole('grid').press('Shift+ArrowRight');
      await page.getByRole('grid').press('Shift+ArrowDown');
      await page.getByRole('grid').press('Control+c');
      assert.strictEqual(await page.evaluate('window.copiedText'), "4\tit's\n3\tit's");
      await page.locator('.toast').getByText('Copied 4 cells').waitFor();
      await page.getByRole('status').getByText('Copied 4 cells').waitFor();
    }),
  );

  it(
    'has the focus when it opens, and shows numbers shortened or exact',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await page.getByRole('textbox', { name: 'SeriesQL statement' }).waitFor();
      await page.keyboard.type('select 2 / 3 as a, 1.5 as b, abs(-1)');
      await page.keyboard.press('Control+Enter');
      const third = page.getByRole('gridcell').first();
      await third.getByText(/^0\.666667$/).waitFor();
      await page.getByRole('columnheader', { name: /^abs\(-1\)/ }).waitFor();
      assert.strictEqual(await third.getAttribute('title'), String(2 / 3));
      await page.getByRole('button', { name: 'Exact' }).click();
      await third.getByText(String(2 / 3)).waitFor();
    }, refusals),
  );

  it(
    'draws lines, which the legend hides, and keeps the chart for the next answer',
    onPages(async (open) => {
      const text = 'select time, value, tag.host from cpu.load where time > 0';
      const page = await open(linkTo(server, text));
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('Alt+2');
      const chart = page.getByRole('figure', { name: /^Chart of the answer, 3 series/ });
      await chart.waitFor();
      assert.match(
        (await chart.getAttribute('aria-label')) ?? '',
        /2026-11-21 03:12:00–03:12:04 \+01:00, 0 to 24$/,
      );
      await page.locator('.chart canvas').waitFor();
      await chart.press('End');
      await page.getByText(/2026-11-21 03:12:04 \+01:00: c 24, b 14, it's 4$/).waitFor();
      const legend = page.getByRole('table', { name: 'Legend' });
      await legend.getByRole('button', { name: 'b', exact: true }).click();
      await page.getByRole('figure', { name: /1 of 3 series.*, 10 to 14$/ }).waitFor();
      await openAsk(page, `${text} and value < 14`);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('figure', { name: /1 of 2 series.*, 10 to 13$/ }).waitFor();
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('figure', { name: /03:12:01–03:12:03/ }).waitFor();
      await page.getByRole('figure', { name: /Chart/ }).press('0');
      await page.getByRole('figure', { name: /03:12:00–03:12:04/ }).waitFor();
    }, refusals),
  );

  it(
    'says what a chart needs if an answer cannot be drawn',
    onPages(async (open) => {
      const page = await open(
        linkTo(server, 'select tag.host, value from cpu.load where time > 0'),
      );
      await page.getByRole('grid').waitFor();
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.getByText(/^A chart needs a column of times: select time/).waitFor();
    }),
  );

  it(
    'saves all rows as a file',
    onPages(async (open) => {
      const page = await open(linkTo(server, 'select count(*) as n from cpu.load where time > 0'));
      await page.getByRole('gridcell', { name: '15' }).waitFor();
      await page.evaluate(`(() => {
        const real = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.text().then((text) => { window.savedText = text; });
          return real(blob);
        };
      })()`);
      await page.getByRole('button', { name: /^Save all rows/ }).click();
      await page.getByRole('button', { name: /^CSV/ }).click();
      await page.evaluate(
        `new Promise((resolve) => {
          const look = () => window.savedText === undefined ? setTimeout(look, 20) : resolve();
          look();
        })`,
      );
      assert.strictEqual(await page.evaluate('window.savedText'), 'n\r\n15\r\n');
    }),
  );

  it(
    'explains a statement as a tree, and its program as a table',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      await openAsk(page, 'select tag.host, max(value) from cpu.load where time > 0 group by 1');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Explain' }).click();
      const tree = page.getByRole('tree', { name: 'Plan' });
      await tree.waitFor();
      assert.isAtLeast(await tree.getByRole('treeitem').count(), 3);
      assert.match(await tree.getByRole('treeitem').first().innerText(), /[\d.]+ ms/);
      await page.getByRole('tab', { name: 'Bytecode' }).click();
      await page.getByText('SELECT_SERIES').waitFor();
      await page.getByRole('tab', { name: 'Tables used' }).click();
      await page.getByRole('gridcell', { name: 'cpu.load' }).first().waitFor();
    }, refusals),
  );

  it(
    'cancels a long statement, and keeps the last answer',
    onPages(async (open) => {
      const page = await open(linkTo(server, 'select 41'));
      await page.getByRole('gridcell', { name: '41' }).waitFor();
      await page.evaluate(`(() => {
        const real = window.fetch;
        window.fetch = (input, init) => String(init?.body).startsWith('select 42')
          ? new Promise((resolve, reject) => {
              init.signal.addEventListener('abort', () => {
                window.wasEnded = true;
                reject(init.signal.reason);
              });
            })
          : real(input, init);
      })()`);
      await openAsk(page, 'select 42');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
      assert.isTrue(await page.evaluate('window.wasEnded'));
      assert.isTrue(await page.getByRole('gridcell', { name: '41' }).isVisible());
      await openAsk(page, 'select 43');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('gridcell', { name: '43' }).waitFor();
    }, refusals),
  );

  it(
    'reads 10,000 rows, keeps few in the page, and says that there are more',
    onPages(async (open) => {
      const large = await startServer({ dataDir: temporaryDirectory() });
      const many = Array.from({ length: 30_000 }, (_, at) => ({
        metric: 'm',
        ts: ts + at,
        value: at,
      }));
      const body = many.map((line) => JSON.stringify(line)).join('\n');
      await fetch(`${large.url}/api/v1/ingest`, { method: 'POST', body });
      const page = await open(linkTo(large, 'select time, value from m where time > 0'));
      await page.getByText('These are the first 10,000 rows').waitFor();
      await page.getByRole('button', { name: 'All as CSV' }).waitFor();
      const grid = page.getByRole('grid', { name: 'Rows' });
      assert.strictEqual(await grid.getAttribute('aria-rowcount'), '10001');
      assert.isBelow(await grid.getByRole('row').count(), 100);
      await grid.press('ArrowDown');
      await grid.press('Control+ArrowDown');
      await page.getByRole('gridcell', { name: '9999', exact: true }).waitFor();
    }),
  );

  it(
    'runs no DELETE from a link, and asks before it runs one',
    onPages(async (open) => {
      const text = `delete from cpu.load{host='b'} where time between 0 and ${ts + 1000}`;
      const page = await open(linkTo(server, text));
      await editorOf(page).waitFor();
      await page.getByRole('button', { name: /^Run/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete samples?' });
      await dialog.getByText("cpu.load{host='b'}").waitFor();
      await dialog.getByText(`time between 0 and ${ts + 1000}`).waitFor();
      await dialog.getByText('2 samples in 1 series').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
      // Saving all rows to a file would run the statement too.
      await page.getByRole('button', { name: /^Save all rows/ }).click();
      await page.getByRole('button', { name: /^CSV/ }).click();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      assert.strictEqual(await countOf(server), 15);
      await page.keyboard.press('Control+Enter');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('gridcell').first().waitFor();
      assert.strictEqual(await countOf(server), 13);
    }),
  );

  it(
    'remembers the history without INSERT, and the draft',
    onPages(async (open) => {
      const page = await open(linkTo(server, 'select 77'));
      await page.getByRole('gridcell', { name: '77' }).waitFor();
      await openAsk(page, "insert into other{a='b'} values (1, 12345)");
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByText('inserted').waitFor();
      const kept = String(await page.evaluate('JSON.stringify({ ...localStorage })'));
      assert.include(kept, 'select 77');
      assert.notInclude(kept, '12345');
      await openAsk(page, 'select 78 +');
      await page.reload();
      await editorOf(page).waitFor();
      assert.strictEqual(await written(page), 'select 78 +');
      await page.getByRole('button', { name: 'History' }).click();
      const history = page.getByRole('dialog', { name: 'History' });
      await typeInto(history.getByRole('searchbox', { name: 'Find statements' }), '77');
      await history.getByRole('button', { name: /^select 77/ }).click();
      await page.getByText('select 77').first().waitFor();
      assert.strictEqual(await written(page), 'select 77');
    }, refusals),
  );

  it(
    "inserts the page's time range into a statement, and shows the text sent",
    onPages(async (open) => {
      const text = 'select count(*) from cpu.load where time between :from and :to';
      const times = 't=2026-11-21T02:00:00Z..2026-11-21T03:00:00Z';
      const page = await open(`${server.url}/#/ask?${times}&q=${encodeURIComponent(text)}`);
      await page.getByRole('gridcell', { name: '13' }).waitFor();
      await page.getByText('As sent').click();
      await page.getByText("between '2026-11-21T02:00:00Z' and '2026-11-21T03:00:00Z'").waitFor();
    }),
  );

  it(
    'names the limit that ended a statement, with its setting',
    onPages(
      async (open) => {
        const args = ['--max-query-rows', '2'];
        const small = await startServer({ dataDir: temporaryDirectory(), args });
        const body = lines.map((line) => JSON.stringify(line)).join('\n');
        await fetch(`${small.url}/api/v1/ingest`, { method: 'POST', body });
        const text = 'select time, series_id from cpu.load where time > 0 order by value';
        const page = await open(linkTo(small, text));
        const alert = page.getByRole('alert');
        await alert.getByText('max_query_rows').first().waitFor();
        assert.include(await alert.innerText(), 'query_limit_exceeded');
      },
      { console: /status of 4/ },
    ),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(`${server.url}/#/ask`, { colorScheme });
        await page.getByText('Every metric').waitFor();
        assert.deepEqual(await barriers(page), []);
        await openAsk(page, 'select time, value, tag.host from cpu.load where time > 0');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('grid').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.getByRole('tab', { name: 'Chart' }).click();
        await page.locator('.chart canvas').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.setViewportSize({ width: 360, height: 740 });
        assert.strictEqual(await widthBeyond(page), 0);
        assert.deepEqual(await barriers(page), []);
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByRole('tree').waitFor();
        assert.deepEqual(await barriers(page), []);
        await openAsk(page, 'selekt 1');
        await page.getByRole('alert').waitFor();
        assert.deepEqual(await barriers(page), []);
        assert.strictEqual(await widthBeyond(page), 0);
      }, refusals),
    );
  }
});
