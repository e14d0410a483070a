/** The page of one metric, as a user sees it. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { kOutlierValue, write, writeLong } from '../support/chart-samples.js';
import { barriers, widthBeyond } from '../support/page-barriers.js';
import { ask, expectAccess } from '../support/page-checks.js';
import { countAnew, counted, probe, turnWheel } from '../support/page-probe.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

import type { Page } from '../support/browser-types.js';

const kMinute = 60_000;
/** 21 November 2026, 10:00 in Berlin. */
const start = 1_795_251_600_000;

/** Six hours of 1,000 hosts; the highest ones are known. */
function hosts(): readonly string[] {
  const about = { kind: 'gauge', unit: 'percent', description: 'CPU time in user mode' };
  return Array.from({ length: 1_000 }, (_, host) =>
    Array.from({ length: 13 }, (_, at) =>
      JSON.stringify({
        ...{ metric: 'cpu.usage_user', ts: start + at * 30 * kMinute },
        ...{ value: 18.8 + (host * 61.4) / 999 + (at === 6 ? 0 : -0.5) },
        labels: { hostname: `host_${host}`, region: ['eu', 'us'][host % 2], service: 'web' },
        ...(host + at === 0 ? about : {}),
      }),
    ),
  ).flat();
}

/** A sample a minute, except for one hour. */
function room(): readonly string[] {
  const minutes = Array.from({ length: 360 }, (_, at) => at);
  return minutes
    .filter((at) => at < 120 || at >= 180)
    .map((at) =>
      JSON.stringify({
        ...{ metric: 'room.temperature', ts: start + at * kMinute, value: 20 + (at % 7) / 10 },
        ...{ kind: 'gauge', unit: 'celsius', labels: { room: 'a' } },
      }),
    );
}

/** The night in which clocks in Berlin are put forward. */
function night(): readonly string[] {
  const midnight = Date.parse('2026-03-28T23:00:00Z');
  return Array.from({ length: 23 * 60 }, (_, at) =>
    JSON.stringify({ metric: 'night.load', ts: midnight + at * kMinute, value: at % 60 }),
  );
}

/** From 1 to near the largest double. */
function huge(): readonly string[] {
  return [1, 1e300, 1.65e308, 1.7e308].map((value, at) =>
    JSON.stringify({ metric: 'huge.value', ts: start + at * 60 * kMinute, value }),
  );
}

const kBig = 2_000_000;
const kOutlier = 1_234_567;

interface Noted {
  readonly title: string;
  readonly metric: string;
  readonly start: number;
  readonly end: number;
}

const chart = (page: Page) => page.getByRole('figure', { name: /^Chart of / });

const window = (page: Page): string => /[?&]t=([^&]*)/.exec(page.url())?.[1] ?? '';

/** Waits until the address has another time range, or the given one. */
async function untilWindow(page: Page, wanted: (text: string) => boolean): Promise<void> {
  for (let tries = 0; !wanted(window(page)); tries += 1) {
    assert.isBelow(tries, 100, `the window is ${window(page)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator('.chart .over').boundingBox();
  if (box === null) throw new Error('the plot is not in sight');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

const sixHours = 't=2026-11-21T09:00:00Z..2026-11-21T15:00:00Z';

describe('a metric in the built-in page', () => {
  let server: Server;
  const at = (fragment: string): string => `${server.url}/#/look?${fragment}`;

  before(async function () {
    this.timeout(120_000);
    server = await startServer({ dataDir: temporaryDirectory() });
    await write(server, [...hosts(), ...room(), ...night(), ...huge()].join('\n'));
    await writeLong(server, { metric: 'big.load', startMs: start, count: kBig, outlier: kOutlier });
  });
  after(killServers);

  it(
    'is found by a word in its name, opened by Enter, and shown with its metadata',
    onPages(async (open) => {
      const page = await open(server.url);
      await typeInto(page.getByRole('searchbox', { name: 'Find metrics' }), 'usage');
      await page.getByRole('row', { name: /cpu\.usage_user/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'cpu.usage_user', level: 1 }).waitFor();
      assert.include(page.url(), 'm=cpu.usage_user');
      await chart(page).waitFor();
      const main = await page.locator('main').innerText();
      for (const text of ['gauge', '%', 'CPU time in user mode']) assert.include(main, text);
      await page.goBack();
      // Keys apply to visible content.
      await page.getByRole('row', { name: /cpu\.usage_user/ }).waitFor();
      await page.getByRole('searchbox', { name: 'Find metrics' }).press('ArrowDown');
      await page.keyboard.press('Enter');
      await chart(page).waitFor();
    }),
  );

  it(
    'shows values above 1.6e308 with a logarithmic axis',
    onPages(async (open) => {
      const page = await open(at(`m=huge.value&y=log&${sixHours}`));
      await page.locator('.chart canvas').waitFor();
      await chart(page).focus();
      await page.keyboard.press('End');
      await page
        .getByText(/1\.7(00)?e\+308/)
        .first()
        .waitFor();
    }),
  );

  it(
    'has an accessible name, and announces times and values on key moves',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage_user&${sixHours}`));
      await chart(page).waitFor();
      const name =
        'Chart of cpu.usage_user, 20 of 1,000 series, 2026-11-21 10:00–16:00 +01:00, 78.53 to 80.2 percent';
      assert.strictEqual(await chart(page).getAttribute('aria-label'), name);
      await page.locator('.chart canvas').waitFor();
      await chart(page).focus();
      await page.keyboard.press('ArrowRight');
      const status = page.getByRole('status');
      await page
        .getByText(/^2026-11-21 10:00:00 \+01:00: host_999 79\.70 %/)
        .first()
        .waitFor();
      await page.keyboard.press('End');
      await page
        .getByText(/^2026-11-21 16:00:00 \+01:00: /)
        .first()
        .waitFor();
      await page.keyboard.press('ArrowLeft');
      assert.match((await status.textContent()) ?? '', /^2026-11-21 15:30:00 \+01:00: /);
    }),
  );

  it(
    'keeps one outlier of two million samples visible, at a small cost',
    onPages(async (open) => {
      const page = await open(server.url, { script: probe });
      const sizes: number[] = [];
      page.on('response', (response) => {
        if (!response.url().includes('/api/v1/seriesql')) return;
        const at = sizes.push(0) - 1;
        void response.body().then((body) => {
          sizes[at] = body.length;
        });
      });
      await page.goto(at('m=big.load&t=all&show=data'));
      await chart(page).waitFor();
      const label = (await chart(page).getAttribute('aria-label')) ?? '';
      assert.include(label, `50 to ${kOutlierValue}`);
      const { points, paints } = await counted(page);
      // Four points for each pixel of the line, and two for the area around it.
      assert.isAtMost(points, paints * 6 * 1280);
      assert.isAtMost(paints, 4);
      const data = page.getByRole('table', { name: 'Data' });
      await page.getByRole('button', { name: 'day' }).click();
      await data.getByRole('row', { name: new RegExp(String(kOutlierValue)) }).waitFor();
      assert.isBelow(
        sizes.reduce((sum, one) => sum + one, 0),
        200_000,
      );
      assert.isAtMost(sizes.length, 3);
    }),
  );

  it(
    'makes one request for many zoom steps, and draws once per step',
    onPages(async (open) => {
      const page = await open(server.url, { script: probe });
      const statements: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/v1/seriesql')) statements.push(request.postData() ?? '');
      });
      await page.goto(at('m=big.load&t=all'));
      await page.locator('.chart canvas').waitFor();
      const before = statements.length;
      await countAnew(page);
      const steps = 20;
      await turnWheel(page, Array<number>(steps).fill(-60));
      await untilWindow(page, (text) => text !== 'all');
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' });
      assert.isAtMost(statements.length - before, 2, statements.join('\n'));
      assert.isAtMost((await counted(page)).paints, steps + 4);
    }),
  );

  it(
    'ranks a thousand series, draws twenty, and keeps hidden ones in the URL',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage_user&${sixHours}`));
      const legend = page.getByRole('table', { name: 'Legend' });
      await page.getByText('20 of 1,000 series by max').first().waitFor();
      assert.strictEqual(await legend.getAttribute('aria-rowcount'), '1000');
      assert.isBelow(await legend.getByRole('row').count(), 100);
      assert.include(await page.locator('main').innerText(), 'service = web');
      assert.include(await legend.getByRole('row').nth(1).innerText(), '80.20 %');
      for (let at = 1; at <= 10; at += 1) {
        const row = await legend.getByRole('row').nth(at).innerText();
        assert.match(row, /\t\d+\.\d\d %\t\d+\.\d\d %\t/);
      }
      await page.getByRole('checkbox', { name: 'Show host_999', exact: true }).click();
      await page.getByText('19 of 1,000 series by max').first().waitFor();
      assert.match(page.url(), /hide=\d+/);
      await page.reload();
      await page.getByText('19 of 1,000 series by max').first().waitFor();
      await page.getByRole('button', { name: 'host_998', exact: true }).click();
      await page.getByText('1 of 1,000 series by max').first().waitFor();
      assert.match(page.url(), /only=\d+/);
      await page.goBack();
      await page.getByText('19 of 1,000 series by max').first().waitFor();
    }),
  );

  it(
    'filters by a chosen value, and groups by a label',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage_user&${sixHours}`));
      await page.getByRole('button', { name: 'Filter by region: region' }).click();
      await page.getByRole('button', { name: 'eu 500' }).click();
      await page.getByText('20 of 500 series by max').first().waitFor();
      assert.include(decodeURIComponent(page.url()), "w={region='eu'}");
      await page.getByRole('button', { name: 'Without region = eu' }).click();
      await page.getByRole('button', { name: /^Group by/ }).click();
      const labels = page.getByRole('group', { name: 'Group by' });
      await labels.getByRole('button', { name: 'region', exact: true }).click();
      await page.getByText('2 values of region').first().waitFor();
      const bad = await open(at(`m=cpu.usage_user&${sixHours}&w={region eu}`));
      await bad.getByText('The filter in the URL is not valid SeriesQL').waitFor();
      await bad.getByText('20 of 1,000 series by max').first().waitFor();
    }),
  );

  it(
    'draws no line across an hour without samples, and the table says so',
    onPages(async (open) => {
      const page = await open(at(`m=room.temperature&${sixHours}&show=data`));
      await chart(page).waitFor();
      await page.evaluate(`document.querySelector('.scrolling').scrollTop = 110 * 34`);
      await page.getByText('no samples for 1h 1m').waitFor();
      await page.locator('.chart canvas').waitFor();
      const inked = await page.evaluate(`(() => {
        const canvas = document.querySelector('.chart canvas');
        const over = document.querySelector('.chart .over').getBoundingClientRect();
        const left = canvas.getBoundingClientRect().left;
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
        const isInked = (part) => {
          const x = Math.round((over.left - left + over.width * part) * devicePixelRatio);
          for (let y = 15; y < height - 70; y += 1) {
            const at = (y * width + x) * 4;
            // Grid is nearly grey.
            if (data[at + 3] > 0 && Math.abs(data[at] - data[at + 1]) > 40) return true;
          }
          return false;
        };
        return [0.2, 0.3, 0.38, 0.46, 0.6].map(isInked);
      })()`);
      assert.deepEqual(inked, [true, true, false, false, true]);
    }),
  );

  it(
    'is zoomed by dragging, which Back undoes, and moved by keys alone',
    onPages(async (open) => {
      const page = await open(at(`m=room.temperature&${sixHours}`));
      await page.locator('.chart canvas').waitFor();
      const before = window(page);
      await drag(page, 0.25, 0.75);
      await untilWindow(page, (text) => text !== before);
      const [from = '', to = ''] = window(page).split('..');
      assert.approximately(Date.parse(from), start + 90 * kMinute, 3 * kMinute);
      assert.approximately(Date.parse(to), start + 270 * kMinute, 3 * kMinute);
      await page.goBack();
      await untilWindow(page, (text) => text === before);
      for (const name of ['Zoom out', 'Earlier', 'Later', 'Zoom in']) {
        const last = window(page);
        await page.getByRole('button', { name, exact: true }).focus();
        await page.keyboard.press('Enter');
        await untilWindow(page, (text) => text !== last);
      }
      await chart(page).focus();
      for (const key of ['w', 's', 'a', 'd', '0']) {
        const last = window(page);
        await page.keyboard.press(key);
        await untilWindow(page, (text) => text !== last);
      }
      assert.strictEqual(window(page), 'all');
    }),
  );

  it(
    'creates an annotation by dragging with Ctrl, and shows it below the chart',
    onPages(async (open) => {
      const page = await open(at(`m=room.temperature&${sixHours}`));
      await page.locator('.chart canvas').waitFor();
      await page.keyboard.down('Control');
      await drag(page, 0.25, 0.5);
      await page.keyboard.up('Control');
      const dialog = page.getByRole('dialog', { name: 'New note' });
      await dialog.waitFor();
      await typeInto(page.getByLabel('Title'), 'too warm');
      await page.keyboard.press('Control+Enter');
      await dialog.waitFor({ state: 'hidden' });
      await chart(page)
        .getByRole('button', { name: /^too warm/ })
        .waitFor();
      const notes = (await ask(server, 'annotations/query', {})) as readonly Noted[];
      const [note] = notes.filter(({ title }) => title === 'too warm');
      if (note === undefined) throw new Error('there is no such note');
      assert.strictEqual(note.metric, 'room.temperature');
      assert.approximately(note.start, start + 90 * kMinute, 3 * kMinute);
      assert.approximately(note.end, start + 180 * kMinute, 3 * kMinute);
      await page.goto(`${server.url}/#/notes?${sixHours}`);
      await page
        .getByRole('group', { name: 'Notes over time' })
        .getByRole('button', { name: /^too warm/ })
        .waitFor();
    }),
  );

  it(
    'shows the same through its link, and says where samples are if none are visible',
    onPages(async (open) => {
      const page = await open(at(`m=cpu.usage_user&${sixHours}&w={region='us'}&n=5&y=0`));
      await chart(page).waitFor();
      const other = await open(page.url());
      await chart(other).waitFor();
      const told = async (one: Page) => [
        await chart(one).getAttribute('aria-label'),
        await one.getByRole('table', { name: 'Legend' }).innerText(),
        await one.getByRole('button', { name: /^Time: / }).innerText(),
        await one.getByRole('button', { name: 'Without region = us' }).count(),
      ];
      assert.deepEqual(await told(other), await told(page));
      await page.goto(at('m=room.temperature&t=2026-11-21T20:00:00Z..2026-11-21T21:00:00Z'));
      await page.getByText('the last one is 5h 1m older').waitFor();
      await page.getByRole('link', { name: 'Go there' }).click();
      await chart(page).waitFor();
    }),
  );

  it(
    'copies a link with absolute times',
    onPages(async (open) => {
      const page = await open(at('m=room.temperature&t=all&live=5s'));
      await chart(page).waitFor();
      await page.evaluate(
        `Object.defineProperty(navigator, 'clipboard', {
          value: { writeText: (text) => { window.copiedText = text; return Promise.resolve(); } },
        })`,
      );
      await page.getByRole('button', { name: 'Copy link with fixed times' }).click();
      await page.getByText('Copied: a link with fixed times').first().waitFor();
      const text = String(await page.evaluate('window.copiedText'));
      assert.include(text, 't=2026-11-21T09:00:00Z..2026-11-21T14:59:00Z');
      assert.notInclude(text, 'live');
    }),
  );

  it(
    'shows one zone everywhere, and 23 hours on the day when clocks go forward',
    onPages(async (open) => {
      const note = { kind: 'deploy', title: 'clocks', start: Date.parse('2026-03-29T01:30:00Z') };
      await ask(server, 'annotations/write', { ...note, metric: 'night.load' });
      const window = 't=2026-03-28T23:00:00Z..2026-03-29T22:00:00Z';
      const page = await open(at(`m=night.load&${window}&show=data`));
      const data = page.getByRole('table', { name: 'Data' });
      await page.getByRole('button', { name: 'hour' }).click();
      await data.getByRole('row', { name: /03:00:00 \+02:00/ }).waitFor();
      assert.strictEqual(await data.getAttribute('aria-rowcount'), '23');
      assert.strictEqual(await data.getByRole('row', { name: /02:00:00/ }).count(), 0);
      // A click pins the tooltip: it stays open when another element is clicked.
      await page.locator('.chart .over').click();
      const told = async (): Promise<readonly string[]> => {
        const picker = page.getByRole('button', { name: /^Time: / });
        const lane = chart(page).getByRole('button', { name: /^clocks/ });
        const names = [picker, lane].map(
          async (one) => (await one.getAttribute('aria-label')) ?? '',
        );
        const tip = await page.getByRole('tooltip').innerText();
        return [...(await Promise.all(names)), tip.split('\n')[0] ?? ''];
      };
      await page.getByRole('tooltip').waitFor();
      const berlin = await told();
      await page.getByRole('button', { name: /^Time zone/ }).click();
      await page.getByRole('button', { name: 'UTC', exact: true }).click();
      await data.getByRole('row', { name: /2026-03-29 01:00:00 \+00:00/ }).waitFor();
      assert.include((await chart(page).getAttribute('aria-label')) ?? '', '+00:00');
      assert.deepEqual(berlin, [
        'Time: 2026-03-29 00:00 +01:00 – 2026-03-30 00:00 +02:00',
        'clocks, deploy, 2026-03-29 03:30:00 +02:00',
        '2026-03-29 12:30:00 +02:00',
      ]);
      assert.deepEqual(await told(), [
        'Time: 2026-03-28 23:00 – 2026-03-29 22:00 +00:00',
        'clocks, deploy, 2026-03-29 01:30:00 +00:00',
        '2026-03-29 10:30:00 +00:00',
      ]);
    }),
  );

  it(
    'shows its query for use elsewhere',
    onPages(async (open) => {
      const page = await open(at(`m=room.temperature&${sixHours}&show=statements`));
      const first = page.getByLabel('Statement 1 as SeriesQL');
      assert.include((await first.textContent()) ?? '', 'from room.temperature');
      await page.getByRole('button', { name: 'curl' }).click();
      const { runInShell } = await import('../support/page-session.js');
      const command = (await page.getByLabel('Statement 1 as curl').textContent()) ?? 'false';
      const { code, out } = await runInShell(command, server.port);
      assert.strictEqual(code, 0, out);
      assert.include(out, '"selected_series_count":1');
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(at(`m=cpu.usage_user&${sixHours}`), { colorScheme });
        await page.locator('.chart canvas').waitFor();
        await expectAccess(page);
        for (const name of ['Data', 'as SeriesQL']) {
          await page.getByRole('button', { name, exact: true }).click();
          // Content that scrolled below the head is not a violation.
          await page.evaluate('scrollTo(0, 0)');
          assert.deepEqual(await barriers(page), []);
          assert.strictEqual(await widthBeyond(page), 0);
        }
      }),
    );
  }

  it(
    'requests only the newest part of its lines while live',
    onPages(async (open) => {
      const now = Date.now();
      const line = (ts: number): string => JSON.stringify({ metric: 'live.load', ts, value: 1 });
      await write(
        server,
        Array.from({ length: 600 }, (_, ago) => line(now - ago * 1000)).join('\n'),
      );
      const page = await open(server.url, { hasClock: true });
      const statements: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/v1/seriesql')) statements.push(request.postData() ?? '');
      });
      await page.goto(at('m=live.load&t=15m&live=2s'));
      await chart(page).waitFor();
      await write(server, line(Date.now()));
      for (let tries = 0; statements.length < 4; tries += 1) {
        assert.isBelow(tries, 200, 'it does not ask again');
        await page.clock.fastForward(500);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const [ranking = '', lines = '', ...tails] = statements;
      assert.include(ranking, 'order by');
      for (const tail of tails) {
        const began = Number(/between (\d+)/.exec(tail)?.[1]);
        assert.isAbove(began, Number(/between (\d+)/.exec(lines)?.[1]) + 200_000);
      }
    }),
  );
});
