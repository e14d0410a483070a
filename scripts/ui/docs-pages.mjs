// The pages of docs/ for users, which the server serves next to the built-in page.
import path from 'node:path';

import { filesBelow, readText } from '../project.mjs';
import { htmlOfMarkdown } from './markdown.mjs';

const isServed = (file) => /^docs\/(protocols\/)?[\w-]+\.md$/.test(file);

const docsSources = () => filesBelow('docs', ['.md']).filter(isServed);

/**
 * The served name, such as `docs.protocols.influx.html`. It never looks like a name with a hash.
 */
const docsName = (file) => `${file.replace(/\.md$/, '').replaceAll('/', '.')}.html`;

/** The target of a link on a page; null if it is not served. */
function linkFrom(file, served) {
  return (target) => {
    if (/^https?:/.test(target)) return target;
    const [place, anchor] = target.split('#');
    const behind = anchor === undefined ? '' : `#${anchor}`;
    if (place === '') return behind;
    const other = path.posix.join(path.posix.dirname(file), place);
    return served.has(other) ? docsName(other) + behind : null;
  };
}

const titleOf = (markdown) => /^# (.*)$/m.exec(markdown)?.[1].replace(/[`*]/g, '') ?? 'seriesdb';

/** The main pages, in reading order. */
const listed = [
  ...['docs/README.md', 'docs/quickstart.md', 'docs/seriesql.md', 'docs/promql.md', 'docs/ui.md'],
  ...['docs/http-api.md', 'docs/clients.md', 'docs/operations.md', 'docs/configuration.md'],
];

/** Links to the main pages, which lead to all others. */
function navigation(file, titles) {
  const links = listed
    .filter((one) => titles.has(one))
    .map((one) => {
      const current = one === file ? ' aria-current="page"' : '';
      const name = one === 'docs/README.md' ? 'All pages' : titles.get(one).split(':')[0];
      return `<a href="${docsName(one)}"${current}>${name}</a>`;
    });
  return links.join('\n');
}

/** Styles of both themes. Without a script, the browser's preference decides. */
export function docsStyle() {
  const tokens = readText('src/ui/style/1-tokens.css');
  const dark = /:root\[data-theme='dark'\] \{([^}]*)\}/.exec(tokens)?.[1] ?? '';
  const [light] = tokens.split(":root[data-theme='dark']");
  const inDark = `@media (prefers-color-scheme: dark) {:root {${dark}}}`;
  return [light, inDark, readText('src/ui/docs.css')].join('\n');
}

/** The pages by name. `css` and `icon` are names of files in the same folder. */
export function docsPages({ css, icon }) {
  const sources = docsSources();
  const served = new Set(sources);
  const texts = new Map(sources.map((file) => [file, readText(file)]));
  const titles = new Map(sources.map((file) => [file, titleOf(texts.get(file))]));
  return sources.map((file) => {
    const body = htmlOfMarkdown(texts.get(file), linkFrom(file, served));
    return [
      docsName(file),
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${titles.get(file).replaceAll('<', '&lt;')} · seriesdb</title>
<link rel="icon" href="${icon}" type="image/svg+xml" />
<link rel="stylesheet" href="${css}" />
</head>
<body>
<header><a href="../">seriesdb</a><nav aria-label="Documentation">
${navigation(file, titles)}
</nav></header>
<main>
${body}
</main>
</body>
</html>
`,
    ];
  });
}
