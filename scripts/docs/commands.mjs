// Checks the documents. All npm scripts, files, paths and routes that they mention exist. No
// relative link is broken. docs/README.md, or the README of the folder, lists every page.
// ARCHITECTURE.md has a row for every room.
import { existsSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, inRoot, main, readText, report } from '../project.mjs';
import { deadPaths, knownPaths } from './paths.mjs';

const npmBuiltIn = new Set(['ci', 'install', 'i']);

function* commandLines(text) {
  for (const [, block] of text.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)) {
    for (const line of block.replace(/\\\n/g, ' ').split('\n')) {
      yield line.replace(/^\$\s+/, '').trim();
    }
  }
}

/** True for a route; one segment may be the value of a parameter. */
function isRoute(route, routes) {
  const parts = route.split('/');
  const forms = parts.map((_, at) => parts.map((part, i) => (i === at ? '{}' : part)).join('/'));
  const known = routes.replace(/\{\w+\}/g, '{}');
  return [route, ...forms].some((form) => known.includes(`'${form}'`));
}

function* checkCommand(line, scripts, routes) {
  const npm = /^(?:\w+=\S+ )*npm (?:run )?([\w:-]+)/.exec(line)?.[1];
  if (npm !== undefined && !npmBuiltIn.has(npm) && !(npm in scripts)) {
    yield `"npm ${npm}" is not a script`;
  }
  for (const [, file] of line.matchAll(/\b((?:scripts|test|bench|docs|\.ci)\/[\w./-]+)/g)) {
    if (!existsSync(inRoot(file))) yield `${file} does not exist`;
  }
  for (const [, route] of line.matchAll(/\bcurl\b.*?[:/]\d{2,5}(\/[\w/.]*)/g)) {
    if (routes !== null && !isRoute(route, routes)) yield `no route is called ${route}`;
  }
}

function* checkLinks(file, text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, target] of prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (/^\w+:/.test(target)) continue;
    if (!existsSync(inRoot(path.posix.join(path.posix.dirname(file), target)))) {
      yield `the link to ${target} is broken`;
    }
  }
}

function* unlistedPages(pages) {
  for (const page of pages) {
    const lists = [path.posix.join(path.posix.dirname(page), 'README.md'), 'docs/README.md'];
    const isListed = lists.some((list) => {
      const links = existsSync(inRoot(list)) ? readText(list).matchAll(/\]\(([^)#\s]+)/g) : [];
      const from = path.posix.dirname(list);
      return [...links].some(([, target]) => path.posix.join(from, target) === page);
    });
    if (!isListed && page !== 'docs/README.md') yield `${page} is not listed in ${lists.at(-1)}`;
  }
}

/** How many levels of folders are rooms. */
const depths = { native: 2, src: 3 };

function* roomsWithoutRow() {
  const architecture = readText('ARCHITECTURE.md');
  for (const [top, depth] of Object.entries(depths)) {
    const [, table = ''] = architecture.split(`| room of ${top}/ |`);
    const rows = table.split('\n\n')[0];
    const files = filesBelow(top, ['.cc', '.h', '.ts', '.tsx']).map((file) => file.split('/'));
    const rooms = new Set(
      files.map((parts) => parts.slice(1, Math.min(depth + 1, parts.length - 1)).join('/')),
    );
    for (const room of rooms) {
      if (room === '' || rows.includes(`| \`${room}\` |`)) continue;
      yield `ARCHITECTURE.md has no row for ${top}/${room}`;
    }
  }
}

await main(() => {
  const { scripts } = JSON.parse(readText('package.json'));
  const routeFiles = filesBelow('src/http', ['.ts']);
  const routes = routeFiles.length === 0 ? null : routeFiles.map(readText).join('\n');
  const top = ['README.md', 'ARCHITECTURE.md', 'STYLE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const pages = filesBelow('docs', ['.md']);
  const folders = ['native', 'src', 'test', 'scripts', 'bench', 'docs', 'examples', 'contrib'];
  const paths = knownPaths(folders.flatMap((folder) => filesBelow(folder, [''])));
  const problems = [...unlistedPages(pages), ...roomsWithoutRow()];
  const readmes = ['src', 'native'].flatMap((folder) => filesBelow(folder, ['.md']));
  for (const file of [...top, ...pages, ...readmes]) {
    const text = readText(file);
    const found = [...checkLinks(file, text), ...deadPaths(text, paths)];
    for (const line of commandLines(text)) found.push(...checkCommand(line, scripts, routes));
    problems.push(...found.map((problem) => `${file}: ${problem}`));
  }
  return report('commands and links in the documents', problems);
});
