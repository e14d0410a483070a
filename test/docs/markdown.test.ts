/** Markdown of the documents that the server serves. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { assert } from 'chai';

import { rootFolder } from '../support/page-session.js';

type Render = (markdown: string, linkOf: (target: string) => string | null) => string;

describe('a document as HTML', () => {
  let render: Render;
  before(async () => {
    const script = pathToFileURL(path.join(rootFolder, 'scripts/ui/markdown.mjs')).href;
    ({ htmlOfMarkdown: render } = (await import(script)) as { htmlOfMarkdown: Render });
  });

  it('has HTML of its text as text, and no comments', () => {
    for (const markdown of [
      '<script>alert(1)</script>',
      'a <b onclick="alert(1)">word</b>',
      '<a href="javascript:alert(1)">x</a>',
      '<a id="x" onclick="alert(1)"></a>',
      '<img src=x onerror=alert(1)>',
      '| <script>alert(1)</script> |\n|---|\n| <img src=x> |',
    ]) {
      const html = render(markdown, () => null);
      assert.notMatch(html, /<(?!\/?(?:p|div|table|thead|tbody|tr|th|td)\b[^<]*>)/, markdown);
      assert.notMatch(html, /<[^>]*\son\w+=/, markdown);
      assert.include(html, '&lt;');
    }
    assert.strictEqual(
      render('<!-- made -->\n', () => null),
      '',
    );
  });

  it('keeps anchors, numbers equal headings, and asks where links lead', () => {
    const markdown = '<a id="old-name"></a>\n\n## A `b`\n\n## A b\n\n[x](y.md#z) [gone](no.md)\n';
    const html = render(markdown, (target) => (target === 'y.md#z' ? 'docs.y.html#z' : null));
    assert.include(html, '<a id="old-name"></a>');
    assert.include(html, '<h2 id="a-b">A <code>b</code></h2>');
    assert.include(html, '<h2 id="a-b-1">A b</h2>');
    assert.include(html, '<p><a href="docs.y.html#z">x</a> gone</p>');
  });
});
