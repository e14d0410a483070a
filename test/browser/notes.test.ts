/** Notes as a user reads and writes them. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { runInShell } from '../support/page-session.js';
import { ask, expectAccess } from '../support/page-checks.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';
import { typeInto } from '../support/typed.js';

interface Stored {
  readonly title: string;
  readonly start: number;
  readonly end: number;
  readonly metric?: string;
}

const notesOf = async (server: Server): Promise<readonly Stored[]> =>
  (await ask(server, 'annotations/query', {})) as readonly Stored[];

/** 21 November 2026, 03:12 in Berlin. */
const ts = 1_795_227_120_000;
const hostile = '<img src=x onerror=alert(1)>';
const fresh = (): Promise<Server> => startServer({ dataDir: temporaryDirectory() });

describe('the notes page', () => {
  let server: Server;

  before(async () => {
    server = await fresh();
    const write = (note: object) => ask(server, 'annotations/write', note);
    await write({ kind: 'deploy', title: 'version 2', start: ts });
    await write({
      ...{ kind: 'incident', title: hostile, start: ts, end: ts + 2_520_000, metric: 'cpu.load' },
      ...{ labels: { region: 'eu' }, message: `${hostile} javascript:alert(1) https://a.test/x` },
    });
  });
  after(killServers);

  it(
    'shows annotations by day and in the lane, and hostile ones as text',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/notes`);
      await page.getByRole('row', { name: 'Saturday, 2026-11-21' }).waitFor();
      const row = page.getByRole('row', { name: /incident/ });
      const text = await row.innerText();
      for (const part of [hostile, '03:12:00 – 03:54:00 +01:00', "cpu.load\n{region='eu'}"]) {
        assert.include(text.replace(/\n+/g, '\n'), part.replace(/\n/, ''), text);
      }
      assert.strictEqual(await page.locator('main img').count(), 0);
      assert.strictEqual(await row.getByRole('link', { name: /javascript/ }).count(), 0);
      assert.strictEqual(await row.getByRole('link', { name: 'https://a.test/x' }).count(), 1);
      const lane = page.getByRole('group', { name: 'Notes over time' });
      await lane.getByRole('button', { name: /^version 2/ }).waitFor();
      assert.strictEqual(await lane.getByRole('button').count(), 2);
      await page.setViewportSize({ width: 700, height: 500 });
      await lane.getByRole('button', { name: /^version 2/ }).focus();
      const [tip = 0, links = 0] = (await page.evaluate(`[
        document.querySelector('.lane button:focus-visible .tip').getBoundingClientRect().bottom,
        document.querySelector('nav.pages').getBoundingClientRect().top,
      ]`)) as readonly number[];
      assert.isAbove(tip, links - 40);
      assert.isAtMost(tip, links);
      const look = await row.getByRole('link', { name: 'Look' }).getAttribute('href');
      assert.include(look, '#/look?m=cpu.load&w={region=%27eu%27}'.slice(0, 22));
      assert.include(look, '2026-11-21T02:07:47');
    }),
  );

  it(
    'filters by kind, metric and text, all kept in the URL',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/notes`);
      await page.getByText('2 notes.').waitFor();
      await page.getByLabel('kind').selectOption('deploy');
      await page.getByText('1 note.').waitFor();
      assert.include(page.url(), 'kind=deploy');
      await page.goBack();
      await page.getByText('2 notes.').waitFor();
      await typeInto(page.getByRole('searchbox', { name: 'Filter by text' }), 'VERSION');
      await page.getByText('1 note.').waitFor();
      assert.include(page.url(), 'x=VERSION');
    }),
  );

  it(
    'has a dialog that stores an annotation once, with the times entered',
    onPages(async (open) => {
      const own = await fresh();
      const page = await open(`${own.url}/#/notes?m=cpu.load`);
      await page.getByRole('button', { name: 'New note' }).click();
      const dialog = page.getByRole('dialog', { name: 'New note' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'New note' }).click();
      await page.keyboard.type('disk full');
      await typeInto(page.getByLabel('Kind', { exact: true }), 'incident');
      await typeInto(page.getByLabel('Start'), '2026-11-21 03:12');
      await typeInto(page.getByLabel('End'), '+42m');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: /^disk full, incident/ }).waitFor();
      const [note, ...others] = await notesOf(own);
      assert.lengthOf(others, 0);
      const { title, start, end, metric } = note ?? { title: '', start: 0, end: 0 };
      assert.deepEqual([title, start, end, metric], ['disk full', ts, ts + 2_520_000, 'cpu.load']);
    }),
  );

  it(
    'keeps the input when it cannot be stored, and does not retry unasked',
    onPages(
      async (open) => {
        const own = await fresh();
        const page = await open(`${own.url}/#/notes`);
        await page.getByRole('button', { name: 'New note' }).click();
        await typeInto(page.getByLabel('Title'), 'kept');
        await typeInto(page.getByLabel('End'), 'sometime');
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByRole('alert')
          .getByText(/The end is not a time/)
          .waitFor();
        await typeInto(page.getByLabel('End'), '');
        await typeInto(page.getByLabel('Kind', { exact: true }), 'k'.repeat(300));
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByRole('alert')
          .getByText(/Not saved: kind must be/)
          .waitFor();
        assert.lengthOf(await notesOf(own), 0);
        await typeInto(page.getByLabel('Kind', { exact: true }), 'deploy');
        const twice = `const save = document.querySelector('dialog [type=submit]');
          save.click(); save.click();`;
        await page.evaluate(twice);
        await page.getByRole('button', { name: /^kept, deploy/ }).waitFor();
        assert.lengthOf(await notesOf(own), 1);
      },
      { console: /status of 400/ },
    ),
  );

  it(
    'updates an annotation, and deletes one after confirmation',
    onPages(async (open) => {
      const own = await fresh();
      await ask(own, 'annotations/write', { kind: 'deploy', title: 'version 2', start: ts });
      const page = await open(`${own.url}/#/notes`);
      await page.getByRole('button', { name: 'Change “version 2”' }).click();
      await typeInto(page.getByLabel('Title'), 'version 3');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Change “version 3”' }).click();
      const [note] = await notesOf(own);
      assert.deepEqual([note?.title, note?.start, note?.end], ['version 3', ts, ts]);
      await page.getByRole('button', { name: 'Delete' }).click();
      assert.lengthOf(await notesOf(own), 1);
      await page.getByRole('button', { name: 'Delete it for good' }).click();
      await page.getByText('There are no notes yet.').waitFor();
      assert.lengthOf(await notesOf(own), 0);
    }),
  );

  it(
    'shows a command that writes an annotation from a script',
    onPages(async (open) => {
      const own = await fresh();
      const page = await open(`${own.url}/#/notes`);
      const command = await page.getByLabel('Command that writes a note').textContent();
      const { code, out } = await runInShell(command ?? 'false', own.port);
      assert.strictEqual(code, 0, out);
      await page.reload();
      await page.getByRole('button', { name: /^version 2, deploy/ }).waitFor();
    }),
  );

  it(
    'counts more than a thousand in columns, and opens one of them',
    onPages(async (open) => {
      const own = await fresh();
      const notes = Array.from({ length: 1_050 }, (_, at) => ({
        ...{ kind: 'deploy', title: `n ${at}`, start: ts + at * 60_000 },
      }));
      while (notes.length > 0) {
        const some = notes.splice(0, 25).map((note) => ask(own, 'annotations/write', note));
        await Promise.all(some);
      }
      const page = await open(`${own.url}/#/notes`);
      const lane = page.getByRole('group', { name: 'Notes over time' });
      await lane.getByRole('button', { name: /notes from 2026-11-21 03:12:00/ }).click();
      await lane.getByRole('button', { name: /^n 0, deploy/ }).waitFor();
      assert.include(page.url(), 't=2026-11-21T02:12:00Z..');
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(`${server.url}/#/notes`, { colorScheme });
        await page.getByText('2 notes.').waitFor();
        await expectAccess(page);
        await page.getByRole('button', { name: 'New note' }).click();
        await page.getByRole('dialog', { name: 'New note' }).waitFor();
        await expectAccess(page);
      }),
    );
  }
});
