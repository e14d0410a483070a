/** The pages of docs/ as the server serves them. */

import { assert } from 'chai';

import { onPages } from '../support/browser.js';
import { barriers, widthBeyond } from '../support/page-barriers.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

const kFirst = 'docs.README.html';

describe('the documentation in a browser', () => {
  let url: string;
  before(async () => {
    ({ url } = await startServer({ dataDir: temporaryDirectory() }));
  });
  after(killServers);

  const read = async (name: string): Promise<string> => {
    const response = await fetch(`${url}/ui/${name}`);
    assert.strictEqual(response.status, 200, name);
    assert.strictEqual(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.strictEqual(response.headers.get('cache-control'), 'no-cache');
    assert.include(response.headers.get('content-security-policy') ?? '', "default-src 'none'");
    return response.text();
  };

  it('has no broken link, and every page is reachable from the first', async () => {
    const pages = new Map<string, string>();
    const waiting = [kFirst];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (pages.has(name)) continue;
      const html = await read(name);
      pages.set(name, html);
      for (const [, other = ''] of html.matchAll(/href="(docs\.[\w.-]+\.html)/g))
        waiting.push(other);
    }
    assert.isAbove(pages.size, 15);
    assert.isTrue(pages.has('docs.protocols.influx.html'));
    for (const [name, html] of pages) {
      for (const [, other = '', id = ''] of html.matchAll(/href="([^"#:]*)#([^"]*)"/g)) {
        const target = other === '' ? html : pages.get(other);
        assert.include(target ?? '', `id="${id}"`, `${name} links to ${other}#${id}`);
      }
      // Removes Markdown's own characters.
      const text = html.replace(/<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '');
      assert.notMatch(text, /\]\(|```|\*\*|^\| /m, name);
    }
  });

  it(
    'opens from Ask at the language reference, and navigates from page to page',
    onPages(async (open) => {
      const page = await open(`${url}/#/ask`);
      const link = page.getByRole('link', { name: 'SeriesQL reference' });
      const href = await link.getAttribute('href');
      const docs = await open(`${url}/${href ?? ''}`);
      await docs.getByRole('heading', { name: 'SeriesQL', level: 1 }).waitFor();
      await docs.getByRole('link', { name: 'PromQL', exact: true }).first().click();
      await docs.getByRole('heading', { level: 1, name: /PromQL/ }).waitFor();
      await docs.getByRole('link', { name: 'seriesdb', exact: true }).click();
      await docs.getByRole('heading', { name: 'No metrics yet' }).waitFor();
    }),
  );

  for (const colorScheme of ['light', 'dark'] as const) {
    it(
      `has no accessibility faults in ${colorScheme}, wide and narrow`,
      onPages(async (open) => {
        const page = await open(`${url}/ui/docs.seriesql.html`, { colorScheme });
        await page.getByRole('heading', { name: 'SeriesQL', level: 1 }).waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.setViewportSize({ width: 360, height: 740 });
        assert.strictEqual(await widthBeyond(page), 0);
        assert.deepEqual(await barriers(page), []);
      }),
    );
  }
});
