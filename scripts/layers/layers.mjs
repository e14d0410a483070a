// The import rules of TypeScript and C++ rooms, and the names allowed in one file only. The table
// below and the one in native-rooms.mjs are the rule. ARCHITECTURE.md explains them.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import ts from 'typescript';

import { doorProblems, doorsOf } from './native-doors.mjs';
import { nativeRooms } from './native-rooms.mjs';
import { rowsBelow } from './rows-below.mjs';
import { filesBelow, main, readText, report, sourceOf } from '../project.mjs';

// A room may import itself, packages, and the rooms or files in its row. Sub-rooms have rows of
// their own. Then `room` means only the files directly in it, and `room/**` means all of it.
const typescriptRooms = {
  'common/errors': [],
  'common/model': ['common/errors'],
  // Limits and memory of texts in queries, for both languages.
  'query/limits': ['common/errors', 'common/model'],
  // Value types and their semantics, for both languages.
  'query/values': ['common/errors', 'common/model', 'query/limits', 'storage/storage.ts'],
  config: ['common/errors', 'common/model'],
  // Clients of object stores, and the test whether a store is fit for a database.
  bucket: [
    ...['common/errors', 'common/model', 'storage/native/store-contract.ts'],
    ...['storage/native/names.ts', 'storage/native/load.ts'],
  ],
  telemetry: ['common/errors', 'common/model'],
  'storage/native': ['common/errors', 'common/model'],
  'http/auth': ['common/errors', 'common/model', 'config/toml-file.ts'],
  storage: ['common/errors', 'common/model', 'storage/native'],
  // SeriesQL from text to rows. Each layer may import the ones before it.
  'query/seriesql/language': [...['common/errors', 'common/model', 'query/limits', 'query/values']],
  'query/seriesql/functions': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values', 'storage/storage.ts'],
    'query/seriesql/language',
  ],
  'query/seriesql/plan': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values', 'storage/storage.ts'],
    ...['query/seriesql/language', 'query/seriesql/functions'],
  ],
  'query/seriesql/execute': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values', 'storage/storage.ts'],
    ...['query/seriesql/language', 'query/seriesql/functions', 'query/seriesql/plan'],
  ],
  // The two engines do not import each other.
  'query/seriesql/interpret': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values', 'storage/storage.ts'],
    ...['query/seriesql/language', 'query/seriesql/functions', 'query/seriesql/plan'],
    'query/seriesql/execute',
  ],
  'query/seriesql/compiled': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values', 'storage/storage.ts'],
    ...['query/seriesql/language', 'query/seriesql/functions', 'query/seriesql/plan'],
    'query/seriesql/execute',
  ],
  'query/seriesql/explain': [
    ...['query/limits', 'query/values', 'query/seriesql/functions', 'query/seriesql/plan'],
    'query/seriesql/execute',
  ],
  'query/seriesql/result': [
    ...['common/model', 'query/limits', 'query/values', 'query/seriesql/language'],
    ...['query/seriesql/plan', 'query/seriesql/execute'],
  ],
  // The files directly in the room connect the sub-rooms. Their caller supplies the compiled
  // engine.
  'query/seriesql': [
    ...['common/errors', 'common/model', 'query/limits', 'query/values'],
    ...['query/seriesql/language', 'query/seriesql/functions/function-names.ts'],
    ...['query/seriesql/plan', 'query/seriesql/execute'],
    ...['query/seriesql/interpret', 'query/seriesql/explain', 'query/seriesql/result'],
  ],
  // PromQL from text to tree: parser, type checks, printer.
  'query/promql/syntax': ['common/errors', 'common/model'],
  'query/promql/check': ['common/errors', 'common/model', 'query/values', 'query/promql/syntax'],
  'query/promql/print': ['common/model', 'query/promql/syntax'],
  // PromQL from tree to answer: label columns, rows and their readers, functions, the rest.
  'query/promql/labels': [
    ...['common/model', 'query/limits', 'storage/storage.ts', 'query/values'],
    'query/promql/syntax/quote.ts',
  ],
  'query/promql/vectors': [
    ...['common/errors', 'common/model', 'storage/storage.ts', 'query/limits'],
    ...['query/promql/syntax', 'query/promql/print/number-texts.ts', 'query/promql/labels'],
  ],
  'query/promql/functions': [
    ...['common/errors', 'common/model', 'query/limits', 'storage/storage.ts', 'query/values'],
    ...['query/promql/syntax', 'query/promql/labels', 'query/promql/vectors'],
  ],
  'query/promql/evaluate': [
    ...['common/errors', 'common/model', 'query/limits', 'storage/storage.ts'],
    ...['query/promql/syntax', 'query/promql/print/number-texts.ts', 'query/promql/labels'],
    ...['query/promql/vectors', 'query/promql/functions'],
  ],
  'query/promql/result': [
    ...['common/model/timestamp-unit.ts', 'storage/storage.ts', 'query/limits', 'query/promql'],
    ...['query/promql/print/number-texts.ts', 'query/promql/labels', 'query/promql/vectors'],
  ],
  'query/promql': [
    ...['common/errors', 'common/model/timestamp-unit.ts', 'query/limits', 'query/promql/syntax'],
    ...['query/promql/check', 'query/promql/labels', 'query/promql/vectors'],
    ...['query/promql/functions', 'query/promql/evaluate'],
  ],
  // Concurrency limits of queries, and the list of running ones.
  'operations/slots': [
    ...['common/errors', 'common/model/visible-text.ts', 'storage/storage.ts', 'query/limits'],
  ],
  // Suggestions for names that match nothing stored.
  'operations/names': [
    ...['common/model', 'storage/storage.ts', 'query/seriesql', 'query/seriesql/language'],
    ...['query/seriesql/plan', 'query/seriesql/execute/json-texts.ts', 'operations/discovery.ts'],
    ...['operations/byte-streams.ts', 'query/promql/syntax/quote.ts'],
  ],
  operations: [
    ...['operations/slots', 'operations/names', 'common/errors', 'common/model', 'query/limits'],
    ...['query/values', 'storage/storage.ts', 'storage/bound-store.ts', 'query/seriesql/**'],
    ...['telemetry', 'query/promql', 'query/promql/syntax', 'query/promql/print'],
    ...['query/promql/vectors', 'query/promql/result', 'query/promql/evaluate/whole-leaf.ts'],
    ...['query/promql/functions/function-table.ts', 'config/settings.ts'],
  ],
  // HTTP from the socket up: bytes, bodies, declarations, access, the wrapper, the routes. The
  // wrapper does not import any route.
  'http/transport': ['common/errors', 'common/model'],
  'http/intake': ['common/errors', 'common/model', 'http/transport'],
  'http/fields': ['common/errors', 'common/model'],
  // The files of the built-in page, for the routes.
  'http/page': ['http/transport'],
  'http/route': [
    ...['common/errors', 'common/model', 'http/auth', 'http/transport', 'http/intake'],
    'http/fields',
  ],
  'http/guard': [...['common/errors', 'common/model', 'http/auth', 'http/transport', 'http/route']],
  'http/service': [
    ...['common/errors', 'common/model', 'http/auth', 'telemetry', 'http/transport'],
    ...['http/intake', 'http/route', 'http/guard'],
  ],
  'http/api': ['common/errors', 'http/fields', 'http/route'],
  'http/routes': [
    ...['common/errors', 'common/model', 'operations', 'http/auth', 'telemetry', 'http/page'],
    ...['http/fields', 'http/route', 'http/api'],
  ],
  // Foreign protocols do not import each other. Like admin, they use the building blocks of HTTP
  // and of routes.
  ...rowsBelow('src', 'http/protocols', [
    ...['common/errors', 'common/model', 'common/tables', 'operations', 'http/fields'],
    ...['http/route', 'query/promql/syntax/number-text.ts'],
  ]),
  http: [...['http/route', 'http/routes', 'http/protocols/**']],
  // Uses the building blocks of HTTP and of routes, not the public routes.
  'http/admin': [
    ...['common/errors', 'common/model', 'operations', 'operations/slots', 'http/auth'],
    ...['http/fields', 'http/route', 'http/guard/guard.ts', 'bucket/sent-store.ts'],
  ],
  // Backups of a running server: to an object store, and by schedule.
  backup: [
    ...['common/errors', 'common/model', 'bucket', 'operations/maintenance.ts', 'telemetry'],
    'storage/storage.ts',
  ],
  // The server threads. Each builds the public API for itself.
  server: [
    ...['common/errors', 'common/model', 'http/auth', 'config', 'telemetry', 'storage'],
    ...['operations', 'http', 'http/transport', 'http/intake', 'http/page', 'http/guard'],
    ...['http/service', 'http/routes', 'operations/slots'],
  ],
  // Text tables: column roles, and rows as lines.
  'common/tables': ['common/model'],
  // The client knows the API and nothing of the server.
  client: [],
  // The built-in page. It reaches the server only through the client. The files directly in the
  // room are shared by its sub-rooms.
  ui: [
    ...['common/model/zone.ts', 'common/model/visible-text.ts', 'query/seriesql/language'],
    ...['ui/data', 'ui/pages', 'ui/widgets'],
  ],
  'ui/data': ['client', 'common/model/visible-text.ts', 'ui', 'ui/chart'],
  // Line charts; they do not know the server.
  'ui/chart': ['common/model/visible-text.ts', 'ui', 'ui/data/csv-columns.ts'],
  // The parts of a metric's page.
  'ui/look': ['client', 'common/model/visible-text.ts', 'ui', 'ui/chart', 'ui/data', 'ui/widgets'],
  // The editor of SeriesQL shares the language's lexer, parser and list of functions.
  'ui/editor': [
    ...['common/errors', 'client', 'query/seriesql/language'],
    ...['query/seriesql/functions/function-list.ts', 'ui', 'ui/data'],
  ],
  'ui/ask': [
    ...['common/errors', 'client', 'query/seriesql/language', 'ui', 'ui/data', 'ui/widgets'],
    ...['ui/editor', 'ui/chart', 'ui/look'],
  ],
  // PromQL in Ask, with the language's lexer, parser and list of functions.
  'ui/promql': [
    ...['common/errors', 'common/model/nearest.ts', 'client', 'query/promql/syntax'],
    ...['query/promql/functions/promql-list.ts', 'ui', 'ui/data', 'ui/widgets', 'ui/editor'],
    'ui/ask',
  ],
  // The parts of a board: charts of metrics, and results of statements.
  'ui/boards': [
    ...['client', 'ui', 'ui/chart', 'ui/data', 'ui/look', 'ui/widgets', 'ui/editor', 'ui/ask'],
    'ui/promql',
  ],
  // Preview of a file before it is stored: the server's column guess, and the report of the load.
  'ui/load': ['client', 'common/tables', 'ui', 'ui/data', 'ui/widgets'],
  'ui/widgets': ['client', 'ui', 'ui/data', 'ui/pages'],
  'ui/pages': [
    ...['client', 'ui', 'ui/chart', 'ui/data', 'ui/look', 'ui/widgets', 'ui/editor', 'ui/ask'],
    ...['ui/promql', 'ui/boards', 'ui/load'],
  ],
  // A database in the process: the storage, and the client's types of points and answers.
  embed: [
    ...['common/errors', 'common/model', 'storage/storage.ts', 'client'],
    ...['operations/annotate.ts', 'operations/discovery.ts', 'operations/query.ts'],
    'operations/byte-streams.ts',
  ],
  // Parts shared by all commands; parts of some commands, which do not import each other; the
  // commands.
  'cli/session': ['bucket', 'common/errors', 'common/model', 'config', 'operations', 'client'],
  'cli/tabular': ['common/model'],
  'cli/charting': ['common/model', 'cli/session'],
  'cli/querying': [
    ...['config/settings.ts', 'operations/names/meant-labels.ts'],
    ...['common/model', 'client', 'query/seriesql/language', 'cli/session', 'cli/charting'],
  ],
  'cli/prompt': [
    ...['common/model', 'client', 'query/seriesql/language', 'query/seriesql/functions'],
    ...['cli/session', 'cli/querying'],
  ],
  'cli/exporting': [
    ...['common/model', 'client', 'common/tables/double-text.ts', 'cli/session', 'cli/tabular'],
  ],
  'cli/loading': [
    ...['common/errors', 'common/model', 'common/tables', 'client', 'cli/session', 'cli/tabular'],
  ],
  'cli/maintenance': [
    ...[
      'bucket',
      'common/errors',
      'common/model',
      'telemetry',
      'operations',
      'operations/slots',
      'client',
      'cli/session',
    ],
  ],
  'cli/commands': [
    ...['common/model', 'config', 'http/auth', 'client', 'common/tables', 'cli/session'],
    ...[
      'cli/tabular',
      'cli/querying',
      'cli/prompt',
      'cli/exporting',
      'cli/loading',
      'cli/maintenance',
    ],
    'operations/inspection.ts',
  ],
  cli: ['common/errors', 'cli/session', 'cli/commands'],
  // Composition roots. They may import everything below. Only the files in their rows import them.
  'server/starting': [],
};
// Composition roots. They may import everything below. Only main.ts and the listed files import
// them.
const roots = {
  'src/open-storage.ts': [
    ...['src/compose.ts', 'src/embedded.ts', 'src/start-server.ts'],
    'src/server/listener-thread.ts',
  ],
  'src/open-bucket.ts': ['src/compose.ts', 'src/start-server.ts'],
  'src/open-backups.ts': ['src/compose.ts', 'src/start-server.ts'],
  'src/store-of.ts': ['src/compose.ts', 'src/open-bucket.ts', 'src/open-backups.ts'],
  'src/embedded.ts': [],
  'src/start-server.ts': ['src/compose.ts'],
  'src/compose.ts': ['src/main.ts'],
  'src/main.ts': [],
};

const emptyNames = /(^|\/)(utils?|helpers?|common|misc|lib|types|managers?)(\/|\.tsx?$|\.h$|\.cc$)/;
// The lowest rooms, which all other rooms share. native/ has the domain's types there, too.
const foundation = /^(native\/common\/types|native\/common|src\/common)\//;

// Names and syntax allowed in one file of src/ only, each with a test of a syntax node.
const inOneFile = [
  ['the import of uWebSockets.js', (node) => isText(node, /^(@uwsjs\/|uWebSockets\.js(\/|$))/)],
  ['process.dlopen', (node) => isMember(node, 'process', 'dlopen')],
  ['the loading of the addon', (node) => isText(node, /seriesdb\.node$/)],
  // src/server/starting/environment.ts runs before src/compose.ts is loaded.
  ['process.env', (node) => isMember(node, 'process', 'env'), 2],
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

/** The project's files that a TypeScript file imports, including `import type`. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readText(file), true, true);
  return importedFiles
    .map((one) => one.fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => sourceOf(path.posix.join(path.posix.dirname(file), name)));
}

/** The row of a file in src/ or native/: the row of the innermost room that has one. */
export function rowOf(file) {
  const [top, ...parts] = file.split('/').slice(0, -1);
  const rooms = top === 'native' ? nativeRooms : typescriptRooms;
  for (let count = parts.length; count > 0; count -= 1) {
    const row = parts.slice(0, count).join('/');
    if (row in rooms) return row;
  }
  return parts[0] ?? path.posix.basename(file);
}

const hasSubRooms = (room) =>
  Object.keys(typescriptRooms).some((row) => row.startsWith(`${room}/`));

/** All names of a room in a row: its own, and `outer/**` of each enclosing room. */
function namesOf(room) {
  const parts = room.split('/');
  return [room, ...parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/**`)];
}

function checkImport(file, target) {
  if (!target.startsWith('src/')) return `${file} imports ${target}, which is outside src/`;
  if (target in roots) {
    return roots[target].includes(file) ? null : `${file} imports ${target}; nothing may`;
  }
  const [from, to] = [rowOf(file), rowOf(target)];
  if (file in roots || from === to) return null;
  const allowed = typescriptRooms[from] ?? [];
  const names = [...namesOf(to), target.slice('src/'.length)];
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
    const row = rowOf(file);
    if (hasSubRooms(row) && path.posix.dirname(file) !== `src/${row}`) {
      problems.push(`${path.posix.dirname(file)} has no row in scripts/layers/layers.mjs`);
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
    const [name, , most = 1] = inOneFile[at];
    if (set.size > most) problems.push(`${name} stands in ${[...set].join(' and ')}`);
  });
}

const wingOf = (name) => name.split('/')[0];
/** Wings from the lowest up, in the order of the rows. */
const nativeWings = [...new Set(Object.keys(nativeRooms).map(wingOf))];
const wingAt = (name) => nativeWings.indexOf(wingOf(name));

function checkNative(problems) {
  const files = filesBelow('native', ['.cc', '.h']);
  const known = new Set(files);
  const graph = new Map();
  for (const file of files) {
    const room = rowOf(file);
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
      const targetRoom = rowOf(`native/${target}`);
      if (wingAt(target) > wingAt(file.slice('native/'.length))) {
        problems.push(`${file} includes ${target}, which is in a wing above it`);
      }
      const names = [...namesOf(targetRoom), target];
      if (targetRoom === room || names.some((name) => allowed.includes(name))) continue;
      problems.push(`${file} includes ${target}; ${room} may include ${allowed.join(', ')}`);
    }
    if (
      wingOf(room) !== 'binding' &&
      /#\s*include\s+[<"](napi|node_api|node|uv|v8)\.h[>"]/.test(text)
    ) {
      problems.push(`${file} includes Node's headers; only binding/ may`);
    }
  }
  findCycles(graph, problems);
  const doors = nativeWings.flatMap((wing) => doorsOf(wing, readText(`native/${wing}/README.md`)));
  problems.push(...doorProblems({ doors, graph }));
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
