// Who may import whom, in TypeScript and in C++, and what may stand in one file only. The table
// below and that of native-rooms.mjs are the rule; ARCHITECTURE.md tells the same in words.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import ts from 'typescript';

import { nativeRooms, nativeRowOf, nativeWings } from './native-rooms.mjs';
import { filesBelow, main, readText, report, sourceOf } from '../project.mjs';

// A row may import itself, outside packages, and the rooms or single files named. A room may have
// sub-rooms, which are rows of their own: `room` is then what stands beside them, `room/**` all.
const typescriptRooms = {
  errors: [],
  model: ['errors'],
  // Texts that queries make and hold: their limits, in both languages.
  texts: ['errors', 'model'],
  config: ['errors', 'model'],
  telemetry: ['errors', 'model'],
  native: ['errors', 'model'],
  auth: ['errors', 'model', 'config/toml-file.ts'],
  storage: ['errors', 'model', 'native'],
  // The language, from text to rows: each floor knows those before it.
  'seriesql/language': ['errors', 'model', 'texts/text-work.ts'],
  'seriesql/functions': ['errors', 'model', 'texts', 'storage/storage.ts', 'seriesql/language'],
  'seriesql/plan': [
    ...['errors', 'model', 'texts/text-work.ts', 'storage/storage.ts'],
    ...['seriesql/language', 'seriesql/functions'],
  ],
  'seriesql/execute': [
    ...['errors', 'model', 'texts', 'storage/storage.ts'],
    ...['seriesql/language', 'seriesql/functions', 'seriesql/plan'],
  ],
  // The two engines know nothing of one another.
  'seriesql/interpret': [
    ...['errors', 'model', 'storage/storage.ts'],
    ...['seriesql/language', 'seriesql/functions', 'seriesql/plan', 'seriesql/execute'],
  ],
  'seriesql/compiled': [
    ...['errors', 'model', 'texts/text-work.ts', 'storage/storage.ts'],
    ...['seriesql/language', 'seriesql/functions', 'seriesql/plan', 'seriesql/execute'],
  ],
  'seriesql/explain': ['seriesql/functions', 'seriesql/plan', 'seriesql/execute'],
  'seriesql/result': ['model', 'seriesql/language', 'seriesql/plan', 'seriesql/execute'],
  // What stands beside the sub-rooms puts them together; it is given the compiled engine.
  seriesql: [
    ...['errors', 'model', 'seriesql/language', 'seriesql/plan', 'seriesql/execute'],
    ...['seriesql/interpret', 'seriesql/explain', 'seriesql/result'],
  ],
  // PromQL, from text to tree: what is written, whether it means something, and text again.
  'promql/syntax': ['errors', 'model', 'promql/functions/signatures.ts'],
  'promql/check': [
    ...['errors', 'model', 'seriesql/functions/pattern.ts'],
    ...['promql/syntax', 'promql/functions/signatures.ts'],
  ],
  'promql/print': ['model', 'promql/syntax'],
  // From tree to answer: labels in columns, rows and what reads them, functions, the rest.
  'promql/labels': [
    ...['model', 'texts', 'storage/storage.ts', 'seriesql/language/value.ts'],
    ...['seriesql/execute/turns.ts', 'seriesql/execute/text-packer.ts', 'promql/syntax/quote.ts'],
  ],
  'promql/vectors': [
    ...['errors', 'model', 'storage/storage.ts', 'seriesql/execute/guard.ts'],
    ...['promql/syntax', 'promql/print/number-texts.ts', 'promql/labels'],
  ],
  'promql/functions': [
    ...['errors', 'model', 'texts', 'storage/storage.ts', 'seriesql/language/value.ts'],
    ...['seriesql/functions/pattern.ts', 'seriesql/execute/turns.ts'],
    ...['promql/syntax', 'promql/labels', 'promql/vectors'],
  ],
  'promql/evaluate': [
    ...['errors', 'model', 'texts', 'storage/storage.ts', 'seriesql/execute/turns.ts'],
    ...['promql/syntax', 'promql/print/number-texts.ts'],
    ...['promql/labels', 'promql/vectors', 'promql/functions'],
  ],
  'promql/result': [
    ...['storage/storage.ts', 'seriesql/execute/guard.ts', 'promql'],
    ...['promql/print/number-texts.ts'],
    ...['promql/labels', 'promql/vectors'],
  ],
  promql: [
    ...['errors', 'seriesql/execute/guard.ts', 'promql/syntax', 'promql/check', 'promql/labels'],
    ...['promql/vectors', 'promql/evaluate'],
  ],
  // How many queries run at a time, for how long, and which do.
  'operations/places': ['errors', 'storage/storage.ts', 'seriesql/execute/guard.ts'],
  // What was meant by a name that nothing stored has.
  'operations/names': [
    ...['model', 'storage/storage.ts', 'seriesql', 'seriesql/language', 'seriesql/plan'],
    ...['seriesql/execute/json-texts.ts'],
    ...['operations/discovery.ts', 'operations/byte-streams.ts'],
  ],
  operations: [
    'operations/places',
    'operations/names',
    ...[
      'errors',
      'model',
      'texts',
      'storage/storage.ts',
      'storage/bound-store.ts',
      'seriesql/**',
      'telemetry',
    ],
    ...['promql', 'promql/syntax', 'promql/print', 'promql/vectors', 'promql/result'],
    ...['promql/evaluate/whole-leaf.ts', 'promql/functions/signatures.ts'],
  ],
  // From the socket up: bytes, bodies, what is declared, who may ask, the wrapper; and the routes,
  // of which the wrapper knows none.
  'http/transport': ['errors', 'model'],
  'http/intake': ['errors', 'model', 'http/transport'],
  'http/fields': ['errors', 'model'],
  // The files of the built-in page, of which routes are told.
  'http/page': ['http/transport'],
  'http/route': ['errors', 'model', 'auth', 'http/transport', 'http/intake', 'http/fields'],
  'http/guard': ['errors', 'model', 'auth', 'http/transport', 'http/route'],
  'http/service': [
    ...['errors', 'model', 'auth', 'telemetry'],
    ...['http/transport', 'http/intake', 'http/route', 'http/guard'],
  ],
  'http/api': ['errors', 'http/fields', 'http/route'],
  'http/routes': [
    ...['errors', 'model', 'operations', 'auth', 'telemetry'],
    ...['http/page', 'http/fields', 'http/route', 'http/api'],
  ],
  // Foreign protocols, none of which knows another: the words of HTTP and of routes, as admin.
  'protocols/influx': ['errors', 'model', 'operations', 'http/fields', 'http/route'],
  'protocols/csv': ['errors', 'model', 'operations', 'http/fields', 'http/route'],
  'protocols/remote-write': ['errors', 'operations', 'http/fields', 'http/route'],
  'protocols/remote-read': ['errors', 'operations', 'http/fields', 'http/route'],
  'protocols/otlp': ['errors', 'model', 'operations', 'http/fields', 'http/route'],
  'protocols/prometheus': [
    ...['errors', 'model', 'operations', 'http/fields', 'http/route'],
    'promql/syntax/number-text.ts',
  ],
  http: [
    ...['http/route', 'http/routes', 'protocols/influx', 'protocols/csv'],
    ...['protocols/remote-write', 'protocols/remote-read', 'protocols/otlp'],
    'protocols/prometheus',
  ],
  // The words of HTTP and of routes, not the public routes.
  admin: [
    ...['errors', 'model', 'operations', 'operations/places', 'auth'],
    ...['http/fields', 'http/route', 'http/guard/guard.ts'],
  ],
  // The threads that serve: each puts the rooms of the public API together for itself.
  serving: [
    ...['errors', 'model', 'auth', 'config', 'telemetry', 'storage', 'operations'],
    ...['http', 'http/transport', 'http/intake', 'http/page', 'http/guard', 'http/service'],
    ...['http/routes', 'operations/places'],
  ],
  // Tables of text: what their columns are, and their rows as lines.
  tables: ['model'],
  // The client knows the API, and nothing of the server.
  client: [],
  // The built-in page, in the browser: what it knows of the server is the client. What stands
  // beside the sub-rooms is shared by all of them.
  ui: ['model/zone.ts', 'seriesql/language', 'ui/data', 'ui/pages', 'ui/widgets'],
  'ui/data': ['client', 'ui', 'ui/chart'],
  // Lines over time, which know no server.
  'ui/chart': ['ui', 'ui/data/csv-columns.ts'],
  // What the page of one metric is made of.
  'ui/look': ['client', 'ui', 'ui/chart', 'ui/data', 'ui/widgets'],
  // The editor of SeriesQL has the language's own lexer, parser and list of functions.
  'ui/editor': [
    ...['errors', 'client', 'seriesql/language', 'seriesql/functions/function-list.ts'],
    ...['ui', 'ui/data'],
  ],
  'ui/ask': [
    ...['errors', 'client', 'seriesql/language'],
    ...['ui', 'ui/data', 'ui/widgets', 'ui/editor', 'ui/chart', 'ui/look'],
  ],
  // The PromQL of Ask, with the lexer, the parser and the signatures of that language.
  'ui/promql': [
    ...['errors', 'model/nearest.ts', 'client', 'promql/syntax'],
    'promql/functions/signatures.ts',
    ...['ui', 'ui/data', 'ui/widgets', 'ui/editor', 'ui/ask'],
  ],
  // What a board is made of: charts of metrics, and what comes of statements.
  'ui/boards': [
    ...['client', 'ui', 'ui/chart', 'ui/data', 'ui/look', 'ui/widgets', 'ui/editor', 'ui/ask'],
    'ui/promql',
  ],
  // A file before it is stored: the server's own guess of columns, and the account of its load.
  'ui/load': ['client', 'tables', 'ui', 'ui/data', 'ui/widgets'],
  'ui/widgets': ['client', 'ui', 'ui/data', 'ui/pages'],
  'ui/pages': [
    ...['client', 'ui', 'ui/chart', 'ui/data', 'ui/look', 'ui/widgets', 'ui/editor', 'ui/ask'],
    ...['ui/promql', 'ui/boards', 'ui/load'],
  ],
  // A database in the process: the storage, and the client's typed points and answers.
  embed: [
    ...['errors', 'model', 'storage/storage.ts', 'client'],
    ...['operations/annotate.ts', 'operations/discovery.ts', 'operations/query.ts'],
    'operations/byte-streams.ts',
  ],
  // What all commands share; the work of some, none of which knows another; the commands.
  'cli/session': ['errors', 'model', 'config', 'operations', 'client'],
  'cli/tabular': ['model'],
  'cli/charting': ['model', 'cli/session'],
  'cli/querying': ['model', 'client', 'seriesql/language', 'cli/session', 'cli/charting'],
  'cli/prompt': [
    ...['model', 'client', 'seriesql/language', 'seriesql/functions'],
    ...['cli/session', 'cli/querying'],
  ],
  'cli/exporting': ['model', 'client', 'tables/double-text.ts', 'cli/session', 'cli/tabular'],
  'cli/loading': ['errors', 'model', 'tables', 'client', 'cli/session', 'cli/tabular'],
  'cli/care': ['model', 'operations', 'operations/places', 'client', 'cli/session'],
  'cli/commands': [
    ...['model', 'config', 'auth', 'client', 'tables'],
    ...['cli/session', 'cli/tabular', 'cli/querying'],
    ...['cli/prompt', 'cli/exporting', 'cli/loading', 'cli/care', 'operations/inspection.ts'],
  ],
  cli: ['errors', 'cli/session', 'cli/commands'],
  // It knows nothing of what it loads.
  starting: [],
};
// They may import everything below, and nothing imports them, but main.ts the composition.
const roots = {
  'src/open-storage.ts': [
    ...['src/compose.ts', 'src/embedded.ts', 'src/start-server.ts'],
    'src/serving/listener-thread.ts',
  ],
  'src/embedded.ts': [],
  'src/start-server.ts': ['src/compose.ts'],
  'src/compose.ts': ['src/main.ts'],
  'src/main.ts': [],
};

const emptyNames = /(^|\/)(utils?|helpers?|common|misc|lib|types|managers?)(\/|\.tsx?$|\.h$|\.cc$)/;
// The lowest wing of native/ is what all others have in common, and the types of the domain in it.
const foundation = /^native\/common\/(types\/)?/;

// What may stand in one file of src/ only: a name, and the test of a syntax node.
const inOneFile = [
  ['the import of uWebSockets.js', (node) => isText(node, /^(@uwsjs\/|uWebSockets\.js$)/)],
  ['the loading of a .node file', (node) => isText(node, /\.node$/)],
  ['process.env', (node) => isMember(node, 'process', 'env')],
  ['process.exit', (node) => isMember(node, 'process', 'exit')],
];

function isText(node, pattern) {
  if (ts.isTemplateExpression(node)) {
    return [node.head, ...node.templateSpans.map((span) => span.literal)].some((part) =>
      pattern.test(part.text),
    );
  }
  return ts.isStringLiteralLike(node) && pattern.test(node.text);
}

function isMember(node, object, member) {
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === object &&
    node.name.text === member
  );
}

/** Project paths of the files of ours that a TypeScript file imports, `import type` included. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readText(file), true, true);
  return importedFiles
    .map((one) => one.fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => sourceOf(path.posix.join(path.posix.dirname(file), name)));
}

const roomOf = (file) => file.split('/')[1];

/** The row of a file in src/: that of its sub-room where there is one. */
export function rowOf(file) {
  const [, room, part] = file.split('/');
  return `${room}/${part}` in typescriptRooms ? `${room}/${part}` : room;
}

const hasSubRooms = (room) =>
  Object.keys(typescriptRooms).some((row) => row.startsWith(`${room}/`));

function checkImport(file, target) {
  if (!target.startsWith('src/')) return `${file} imports ${target}, which is outside src/`;
  if (target in roots) {
    return roots[target].includes(file) ? null : `${file} imports ${target}; nothing may`;
  }
  const [from, to] = [rowOf(file), rowOf(target)];
  if (file in roots || from === to) return null;
  const allowed = typescriptRooms[from] ?? [];
  const names = [to, `${roomOf(target)}/**`, target.slice('src/'.length)];
  if (names.some((name) => allowed.includes(name))) return null;
  return `${file} imports ${target}; ${from} may import ${allowed.join(', ') || 'nothing'}`;
}

function checkTypescript(problems) {
  const files = filesBelow('src', ['.ts', '.tsx']);
  const graph = new Map();
  for (const file of files) {
    if (!(file in roots) && !(rowOf(file) in typescriptRooms)) {
      problems.push(`${file}: the room "${rowOf(file)}" has no row in scripts/layers/layers.mjs`);
    }
    const [, room, part, more] = file.split('/');
    if (more !== undefined && hasSubRooms(room) && rowOf(file) === room) {
      problems.push(`${file}: the room "${room}/${part}" has no row in scripts/layers/layers.mjs`);
    }
    if (/\/index\.tsx?$/.test(file)) problems.push(`${file}: no barrel files`);
    graph.set(file, importsOf(file));
    for (const target of graph.get(file)) {
      const problem = checkImport(file, target);
      if (problem !== null) problems.push(problem);
    }
  }
  findCycles(graph, problems);
  checkSingleFiles(files, problems);
}

function checkSingleFiles(files, problems) {
  const users = inOneFile.map(() => new Set());
  for (const file of files) {
    const visit = (node) => {
      inOneFile.forEach(([, matches], at) => {
        if (matches(node)) users[at].add(file);
      });
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest));
  }
  users.forEach((set, at) => {
    if (set.size > 1) problems.push(`${inOneFile[at][0]} stands in ${[...set].join(' and ')}`);
  });
}

const wingAt = (name) => nativeWings.indexOf(name.split('/')[0]);

function checkNative(problems) {
  const files = filesBelow('native', ['.cc', '.h']);
  const known = new Set(files);
  const graph = new Map();
  for (const file of files) {
    const room = nativeRowOf(file);
    if (!(room in nativeRooms)) {
      problems.push(`${file}: "${room}" has no row in scripts/layers/native-rooms.mjs`);
    }
    const text = readText(file);
    const allowed = nativeRooms[room] ?? [];
    const targets = [...text.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)].map((match) => match[1]);
    graph.set(
      file,
      targets.map((target) => `native/${target}`),
    );
    for (const target of targets.filter((name) => known.has(`native/${name}`))) {
      const targetRoom = nativeRowOf(`native/${target}`);
      if (wingAt(target) > wingAt(file.slice('native/'.length))) {
        problems.push(`${file} includes ${target}, which is in a wing above it`);
      }
      const names = [targetRoom, target, `${target.split('/')[0]}/**`];
      if (targetRoom === room || names.some((name) => allowed.includes(name))) continue;
      problems.push(`${file} includes ${target}; ${room} may include ${allowed.join(', ')}`);
    }
    if (room !== 'binding' && /#\s*include\s+[<"](napi|node_api|node|uv|v8)\.h[>"]/.test(text)) {
      problems.push(`${file} includes Node's headers; only binding/ may`);
    }
  }
  findCycles(graph, problems);
}

function findCycles(graph, problems) {
  const done = new Set();
  const walk = (file, trail) => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      problems.push(`cycle: ${[...trail.slice(at), file].join(' -> ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) walk(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
}

function check() {
  const problems = [];
  checkTypescript(problems);
  checkNative(problems);
  const sources = [...filesBelow('src', ['.ts', '.tsx']), ...filesBelow('native', ['.cc', '.h'])];
  for (const file of sources) {
    if (emptyNames.test(file.replace(foundation, '')))
      problems.push(`${file}: a name that says nothing`);
  }
  return report('layers', problems);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(check);
