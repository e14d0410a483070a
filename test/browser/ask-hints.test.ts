/** The page Ask tells what the server says of names that nothing stored has. */

import { onPages } from '../support/browser.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

/** An expression that was refused is an answer of 400. */
const refusals = { console: /status of 400/ };

describe('names in the page Ask', () => {
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
    'says above the rows which label no series has',
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
});
