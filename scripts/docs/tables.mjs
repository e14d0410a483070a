// Generates documents from the tables in src/: docs/errors.md, docs/configuration.md,
// docs/metrics.md, docs/http-api.md, the functions in docs/seriesql.md,
// contrib/seriesdb.example.toml and the client's types. Also generates the index of docs/decisions
// from its pages. With `--check` it only compares.
import { existsSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { clientTypes } from './client-types.mjs';
import { decisionsPage } from './decisions.mjs';
import { exampleSettings } from './example-settings.mjs';
import { routesPage } from './routes.mjs';
import { ScriptError, inRoot, main, readText, report } from '../project.mjs';

async function tableOf(module, name) {
  const file = inRoot('dist', module);
  if (!existsSync(file)) throw new ScriptError(`dist/${module} is missing; run "npm run build"`);
  const table = (await import(pathToFileURL(file).href))[name];
  if (table === undefined) throw new ScriptError(`dist/${module} exports no ${name}`);
  return table;
}

const note = (source) => `<!-- Made from ${source} by "npm run docs"; do not edit. -->`;
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells) => `| ${cells.map(cell).join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

async function errorsPage() {
  const catalog = await tableOf('src/common/errors/catalog.js', 'catalog');
  const rows = Object.entries(catalog)
    .map(([code, { status, retry, meaning }]) => [
      ...[`\`${code}\``, status, retry ? 'yes' : '', meaning],
    ])
    .sort((left, right) => left[1] - right[1] || (left[0] < right[0] ? -1 : 1));
  const introduction = [
    'Every error is a JSON object of exactly three fields: `{"error", "code", "status"}`.',
    '`error` is a sentence for people and may change. `code` is for programs and never changes its',
    'meaning. `status` repeats the HTTP status. Codes with `retry` are temporary: the answer has',
    '`Retry-After`, and the same request may succeed later. All other codes need a change of the',
    'request or of the server.',
  ];
  return [
    note('src/common/errors/catalog.ts'),
    '# Errors',
    introduction.join('\n'),
    table(['code', 'status', 'retry', 'meaning'], rows),
  ].join('\n\n');
}

function allowed(type) {
  if (type.kind === 'choice') return type.choices.map((choice) => `\`${choice}\``).join(', ');
  if ('min' in type) return `${type.kind}, ${type.min} to ${type.max}`;
  if (type.kind === 'list') return `list of ${type.of}s`;
  if (type.kind === 'retention') return 'list of tables';
  return type.isSecret === true ? `${type.kind}, secret` : type.kind;
}

async function configurationPage() {
  const settings = await tableOf('src/config/settings.js', 'settingRows');
  const rows = Object.entries(settings).map(([key, one]) => [
    `\`${key}\``,
    one.fallback === null ? 'not set' : `\`${JSON.stringify(one.fallback)}\``,
    allowed(one.type),
    one.isLive === true ? 'reload' : 'restart',
    one.isPending === true ? `${one.purpose} **Has no effect yet.**` : one.purpose,
  ]);
  const introduction = [
    'A value comes from a flag, else from the environment, else from the settings file, else it is',
    'the default.',
    '',
    '- **File**: TOML. `--config` names it; otherwise the server reads the first that exists of',
    `  ${(await searchedFiles()).map((file) => `\`${file}\``).join(', ')}.`,
    '  Without `XDG_CONFIG_HOME` that is `~/.config`. The start prints which file it reads. Settings of',
    '  two files are never mixed. `contrib/seriesdb.example.toml` has every key with its default. A key',
    '  with a dot stands in a table (`[admin]`, `token`).',
    '- **Environment**: `SERIESDB_` and the key in capitals, with `_` for a dot (`SERIESDB_DATA_DIR`,',
    '  `SERIESDB_ADMIN_TOKEN`). `ADMIN_ENABLED`, `ADMIN_LISTEN`, `ADMIN_TOKEN` and `ADMIN_ALLOW` work',
    '  too.',
    '  too. `SERIESDB_AUTH_TOKEN_FILE` names a file with the secret `auth_token`; other secrets likewise.',
    '- **Flag**: the key with dashes (`--data-dir`); `--bucket` is `bucket.url`. Secrets have no flag.',
    '',
    'An unknown key or an invalid value stops the start with an error that names the key. Sizes may be',
    'written like `64MiB`, durations like `10s`. In environment and flags a list is separated by commas,',
    'and `retention` is the TOML text of a list.',
    '',
    '`seriesdb config check --config FILE` prints every value with its source, or the errors. The column',
    '*change* says whether a reload ([operations.md](operations.md)) is enough.',
  ];
  return [
    note('src/config/settings.ts'),
    '# Configuration',
    introduction.join('\n'),
    table(['key', 'default', 'value', 'change', 'purpose'], rows),
  ].join('\n\n');
}

async function exampleFile() {
  const rows = await tableOf('src/config/settings.js', 'settingRows');
  return exampleSettings({ rows, allowed, places: await searchedFiles() });
}

const searchedFiles = () => tableOf('src/config/find-file.js', 'searchedFiles');

// /metrics would not show a figure that the engine has and the table lacks.
function unnamedFigures(known) {
  const text = readText('native/storage/engine/engine_stats.cc');
  const figures = [...text.matchAll(/^\s*\{"([a-z_]+)",/gm)].map((match) => match[1]);
  return figures
    .filter((name) => !known.has(name))
    .map((name) => `src/telemetry/metric-names.ts has no row for the engine's figure ${name}`);
}

// No document would mention a field that the parser reads and the table lacks.
async function untoldFields() {
  const text = readText('native/ingest/ndjson/line_parser.cc');
  const read = new Set([...text.matchAll(/key == "([a-z_]+)"/g)].map((match) => match[1]));
  const told = new Set(
    (await tableOf('src/common/model/ingest-line.js', 'lineFields')).map((one) => one.name),
  );
  const differ = [...read, ...told].filter((name) => !read.has(name) || !told.has(name));
  return differ.map(
    (name) => `src/common/model/ingest-line.ts and line_parser.cc differ in ${name}`,
  );
}

async function metricsPage(problems) {
  const source = 'src/telemetry/metric-names.js';
  const [debt, runtime, memory, index, engine, bucket] = await Promise.all(
    ['compatibility', 'runtime', 'memory', 'index', 'engine', 'bucket'].map((name) =>
      tableOf(source, `${name}Metrics`),
    ),
  );
  const server = await tableOf('src/operations/metrics.js', 'serverMetrics');
  const ofProcess = await tableOf('src/telemetry/process-metrics.js', 'processMetrics');
  const prefix = await tableOf(source, 'kMetricPrefix');
  problems.push(
    ...unnamedFigures(
      new Set(Object.keys({ ...debt, ...runtime, ...memory, ...index, ...engine })),
    ),
  );
  const typeOf = (name) => (name.endsWith('_total') ? 'counter' : 'gauge');
  const figures = (entries, before) =>
    table(
      ['metric', 'type', 'meaning'],
      Object.entries(entries).map(([name, help]) => [`\`${before}${name}\``, typeOf(name), help]),
    );
  const helps = Object.entries(ofProcess).map(([name, { help }]) => [name, help]);
  const families = Object.entries(server).map(([name, { type, labels, help }]) => [
    `\`${prefix}${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return [
    note('the tables of metrics in src/telemetry and src/operations'),
    '# Metrics',
    '`GET /metrics` answers in the text format of Prometheus. Counters start at 0 with the process.',
    '## Also in `/status`',
    '`/status` has the same figures without the prefix: the first three in `compatibility_debt`,\n' +
      'memory in `memory`, the index in `index`, the others in `runtime`.',
    figures({ ...debt, ...runtime, ...memory, ...index }, prefix),
    '## More metrics of the engine',
    figures(engine, prefix),
    '## A bucket',
    'Only if the database is [on a bucket](bucket.md#a-server-on-a-bucket).',
    figures(bucket, prefix),
    '## The server',
    table(['metric', 'type', 'labels', 'meaning'], families),
    '## The process',
    figures(Object.fromEntries(helps), ''),
  ].join('\n\n');
}

// The list of functions of a page is between two marks.
const endMark = '<!-- The end of what is made. -->';
const beginMark = (room) =>
  `<!-- Made from ${room} by "npm run docs"; do not edit, down to the next mark. -->`;

function withFunctions(problems, file, { room, tables }) {
  const text = readText(file).trimEnd();
  const mark = beginMark(room);
  const [begin, end] = [text.indexOf(mark), text.indexOf(endMark)];
  if (begin < 0 || end < begin) {
    problems.push(`${file} lacks the marks of its list of functions`);
    return text;
  }
  return [text.slice(0, begin + mark.length), ...tables, text.slice(end)].join('\n\n');
}

const code = (words) => `\`${words}\``;

async function promqlPage(problems, file) {
  const room = 'src/query/promql/functions';
  const all = await tableOf(`${room}/promql-list.js`, 'promqlList');
  const rows = all.map(({ form, sentence, example, answer }) => [
    ...[code(form), sentence, code(example), answer === 'refused' ? answer : code(answer)],
  ]);
  const tables = [table(['function', '', 'example', 'answer'], rows)];
  return withFunctions(problems, file, { room, tables });
}

async function queryPage(problems, file) {
  const room = 'src/query/seriesql/functions';
  const all = await tableOf(`${room}/function-list.js`, 'functionList');
  const tables = ['scalar', 'aggregate', 'window'].map((kind) =>
    table(
      [kind, '', 'example', 'answer'],
      all
        .filter((one) => one.kind === kind)
        .map(({ forms, sentence, example, answer }) => [
          ...[forms.map(code).join(', '), sentence, code(example), code(answer)],
        ]),
    ),
  );
  return withFunctions(problems, file, { room, tables });
}

async function httpApiPage(problems) {
  problems.push(...(await untoldFields()));
  const { routes } = await tableOf('src/http/route-table.js', 'routeTable');
  const admin = await tableOf('src/http/admin/route-table.js', 'adminRoutes');
  return routesPage({
    listeners: [
      { title: 'Public listener', origin: 'http://127.0.0.1:8080', routes },
      { title: 'Admin listener', origin: 'http://127.0.0.1:9090', routes: admin.routes },
    ],
    catalog: await tableOf('src/common/errors/catalog.js', 'catalog'),
    settings: await tableOf('src/config/settings.js', 'settingRows'),
    jsonMax: {
      parts: await tableOf('src/http/fields/json-cost.js', 'kJsonPartsMax'),
      string: await tableOf('src/http/fields/json-cost.js', 'kJsonStringMax'),
    },
    errorsOf: await tableOf('src/http/api/route-errors.js', 'errorsOf'),
    answerSchemas: await tableOf('src/http/api/openapi.js', 'answerSchemas'),
    note: note('the routes in src/http, and src/config/settings.ts'),
    table,
  });
}

const typesFile = 'src/client/api-types.ts';

async function apiTypes() {
  const { routes } = await tableOf('src/http/route-table.js', 'routeTable');
  const unit = await tableOf('src/common/model/timestamp-unit.js', 'timestampUnits');
  const aggregate = await tableOf('src/common/model/aggregate.js', 'aggregates');
  const { enum: op } = (await tableOf('src/http/fields/body-schema.js', 'opField')).schema;
  return clientTypes({
    // Routes for programs, without those of operators and of other databases' clients.
    routes: routes.filter(
      ({ path, scope, protocol }) =>
        protocol === undefined &&
        !path.startsWith('/debug/') &&
        ((scope !== 'public' && scope !== 'status') || path === '/status'),
    ),
    answerSchemas: await tableOf('src/http/api/openapi.js', 'answerSchemas'),
    choices: {
      TimestampUnit: { words: unit, purpose: 'Unit of the timestamps of a database.' },
      Aggregate: {
        words: aggregate,
        purpose: 'Aggregates of the samples of a window.',
        list: 'aggregates',
      },
      LabelOp: {
        words: op,
        purpose: 'How a filter combines several labels. The default is `and`.',
      },
    },
    file: typesFile,
  });
}

await main(async () => {
  const pages = {
    'docs/errors.md': errorsPage,
    'docs/configuration.md': configurationPage,
    'contrib/seriesdb.example.toml': exampleFile,
    'docs/metrics.md': metricsPage,
    'docs/seriesql.md': queryPage,
    'docs/promql.md': promqlPage,
    'docs/http-api.md': httpApiPage,
    [typesFile]: apiTypes,
    'docs/decisions/README.md': (problems) =>
      decisionsPage({ problems, note: note('the pages of docs/decisions'), table }),
  };
  const isCheck = process.argv.includes('--check');
  const problems = [];
  for (const [file, make] of Object.entries(pages)) {
    const text = `${(await make(problems, file)).trimEnd()}\n`;
    if (existsSync(inRoot(file)) && readText(file) === text) continue;
    if (isCheck) {
      problems.push(`${file} is stale; run "npm run docs"`);
    } else {
      writeFileSync(inRoot(file), text);
    }
  }
  return report('generated documents', problems);
});
