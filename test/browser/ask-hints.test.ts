/** The page Ask shows the server's hints about names that match nothing stored. */

import { setTimeout as pause } from 'node:timers/promises';

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { typeInto } from '../support/typed.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

/** A refused expression is an answer of 400. */
const refusals = { console: /status of 400/ };

describe('name hints on the page Ask', () => {
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    const line = { metric: 'host.cpu', labels: { host: 'a' }, ts: Date.now(), value: 1 };
    await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body: JSON.stringify(line) });
  });
  after(killServers);

  const linkTo = (text: string, language = ''): string =>
    `${server.url}/#/ask?q=${encodeURIComponent(text)}${language}`;

  it(
    'says above the rows which label is unknown',
    onPages(async (open) => {
      const page = await open(linkTo('select tag.hots, last(value) from host.cpu group by 1'));
      const told = 'no series of host.cpu has the label hots; did you mean host?';
      await page.getByText(told).waitFor();
    }),
  );

  it(
    'says below the expression how a name with a dot is written',
    onPages(async (open) => {
      const page = await open(linkTo('host.cpu', '&lang=promql'));
      const told = page.getByText('write {"host.cpu"}');
      await told.first().waitFor();
    }, refusals),
  );

  it(
    'keeps a finished statement on Enter: no suggestion opens behind a text',
    onPages(async (open) => {
      const page = await open(`${server.url}/#/ask`);
      const text = "select avg(value) from host.cpu where tag.host='a'";
      const editor = page.getByRole('textbox').first();
      await typeInto(editor, text);
      // Suggestions come 150 ms after the last letter.
      await pause(600);
      assert.strictEqual(await page.getByRole('listbox').count(), 0);
      await page.keyboard.press('Enter');
      assert.strictEqual(await editor.inputValue(), `${text}\n`);
      // Typed slowly, a metric that is not yet whole is looked up.
    }, refusals),
  );
});
