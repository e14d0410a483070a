// Generates docs/http-api.md from the declarations of routes: requests, answers, errors and
// examples. test/http/route-examples.test.ts runs the examples.

const kJson = 'application/json';

/** The time limit of routes without their own limit. */
const kTimeSetting = 'answer_timeout_ms';
/** Time limits of every request. */
const ofEvery = ['header_timeout_ms', 'body_timeout_ms', 'reader_timeout_ms'];

/**
 * `table` makes a table of a head and rows. `settings` are the rows of all settings. `jsonMax` has
 * the limits of a JSON body: the number of values, and the bytes of a string.
 */
export function routesPage(options) {
  const { listeners, catalog, settings, jsonMax, errorsOf, answerSchemas, note, table } = options;
  const introduction = [
    'This page lists every route of both listeners. Timestamps and series ids are exact 64-bit integers.',
    '',
    '- **Unknown names**: a member of a JSON body that the route does not know is ignored, and the answer',
    '  has a header `Warning` that names it. Where a page says “Others are refused”, an unknown name is 400',
    '  `unknown_field`. Routes of other protocols ignore parameters of clients, and warn of a misspelt one;',
    '  PromQL queries repeat that in `infos`. A refused request has these warnings in its message.',
    '- **Tokens**: if the server has tokens, send `Authorization: Bearer TOKEN`. The admin listener has',
    '  its own token and list of addresses ([operations.md](operations.md)).',
    '- **HEAD** works wherever GET does.',
    '- **Errors** are `{"error", "code", "status"}` ([errors.md](errors.md)). Temporary errors have',
    '  `Retry-After`.',
    '- **Compression**: answers of at least 1 KiB are compressed if `Accept-Encoding` allows `gzip`, `br`',
    '  or, with Node.js from 22.15 on, `zstd`. Errors are never compressed.',
    '- **Examples** run one after the other on a new database. An ellipsis marks omitted parts and',
    '  figures that vary.',
  ];
  const parts = [note, '# The HTTP API', introduction.join('\n')];
  parts.push(...overviewParts({ listeners, settings, jsonMax, table }));
  for (const { title, origin, routes } of listeners) {
    parts.push(`## ${title}`);
    for (const route of routes)
      parts.push(...routeParts(route, { origin, catalog, errorsOf, table }));
    parts.push(`### Answer types of the ${title.toLowerCase()}`);
    const schemas = answerSchemas(routes);
    for (const [name, schema] of Object.entries(schemas))
      parts.push(...formParts(name, schema, table));
  }
  return parts.join('\n\n');
}

/** All routes with access and limits, and the settings behind these limits. */
function overviewParts({ listeners, settings, jsonMax, table }) {
  const routes = listeners.flatMap((one) => one.routes);
  const head = ['route', 'access', 'largest body', 'answered within', 'other limits', 'purpose'];
  const limits = [
    'The limits are fixed, or settings ([configuration.md](configuration.md)) shown with their defaults.',
    'The time runs from the end of the body to the start of the answer, which may take longer. A request',
    'that exceeds it gets 503 `request_timeout`, a query 504 `query_timeout`. A body on a route without',
    'one is discarded. A JSON body has at most',
    `${grouped(jsonMax.parts)} values, and no string of more than ${grouped(jsonMax.string)} bytes.`,
  ];
  const named = new Set([...routes.flatMap(settingsOf), ...ofEvery]);
  const meanings = Object.keys(settings)
    .filter((key) => named.has(key))
    .map((key) => [`\`${key}\``, defaultOf(key, settings), settings[key].purpose]);
  return [
    '## All routes and their limits',
    table(
      head,
      routes.map((route) => overviewRow(route, settings)),
    ),
    limits.join('\n'),
    `Every request is also limited by ${listed(ofEvery)}. The settings:`,
    table(['setting', 'default', 'meaning'], meanings),
  ];
}

const timeSettingOf = (route) => route.timeSetting ?? kTimeSetting;

/** Every setting that limits the route. */
function settingsOf(route) {
  const ofBody = route.body?.kind === 'stream' ? [route.body.sizeSetting] : [];
  return [...ofBody, timeSettingOf(route), ...(route.limits ?? [])];
}

function overviewRow(route, settings) {
  const title = titleOf(route);
  const withDefault = (key) => `${defaultOf(key, settings)} (\`${key}\`)`;
  return [
    `[${title}](#${anchorOf(title)})`,
    whoOf(route),
    bodyMaxOf(route.body, withDefault),
    withDefault(timeSettingOf(route)),
    listed(route.limits ?? []),
    route.summary,
  ];
}

const whoOf = ({ scope }) => {
  if (scope === 'public') return 'anybody';
  if (scope === 'status') return 'anybody; scope `read` with `open_status = false`';
  return scope === 'token' ? 'any token' : `scope \`${scope}\``;
};

function bodyMaxOf(body, withDefault) {
  if (body === null) return 'none';
  return body.kind === 'stream' ? withDefault(body.sizeSetting) : sizeText(body.sizeMax);
}

/** Throws if a route names an unknown setting. */
function defaultOf(key, settings) {
  if (!Object.hasOwn(settings, key)) throw new Error(`a route is limited by ${key}: no setting`);
  const { type, fallback } = settings[key];
  if (fallback === null) return 'not set';
  if (type.kind === 'size') return sizeText(fallback);
  return key.endsWith('_ms') ? `${fallback / 1000} s` : grouped(fallback);
}

function sizeText(bytes) {
  const units = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, bytes: 1 };
  const [unit, size] = Object.entries(units).find(([, one]) => bytes % one === 0);
  return `${grouped(bytes / size)} ${unit}`;
}

const grouped = (count) => count.toLocaleString('en-US');
const listed = (keys) => keys.map((key) => `\`${key}\``).join(', ');

const titleOf = ({ method, path }) => `${method} ${path}`;
const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

function parametersText(query, table) {
  if (query.fields.length === 0) return ['No parameters; others are refused.'];
  const others = query.refusesUnknown ? ['Others are refused.'] : [];
  return ['Parameters:', parameters(query, table), ...others];
}

function routeParts(route, { origin, catalog, errorsOf, table }) {
  const parts = [`### ${titleOf(route)}`, route.summary, limitsText(route)];
  if (route.query !== null) parts.push(...parametersText(route.query, table));
  if (route.body !== null) parts.push(...bodyParts(route.body, table));
  parts.push(answerText(route.answer, 200));
  if (route.refusal !== undefined) parts.push(answerText(route.refusal));
  const statuses = route.protocol?.statuses ?? {};
  const errors = errorsOf(route).map((code) => [
    code,
    { ...catalog[code], ...(code in statuses ? { status: statuses[code] } : {}) },
  ]);
  const rows = errors
    .sort(([, left], [, right]) => left.status - right.status)
    .map(([code, { status, retry }]) => [status, `\`${code}\``, retry ? 'yes' : '']);
  if (route.protocol !== undefined) {
    parts.push(`Errors have the format of the protocol (${route.protocol.errorSchema.name}).`);
  }
  parts.push('Errors:', table(['status', 'code', 'retry'], byStatus(rows)));
  parts.push(...exampleParts(route, origin));
  return parts;
}

function limitsText(route) {
  const others = route.limits === undefined ? '' : ` Other limits: ${listed(route.limits)}.`;
  const within = `answered within \`${timeSettingOf(route)}\``;
  return `Access: ${whoOf(route)}; ${within}.${others}`;
}

/** One row for all codes that share status and retry. */
function byStatus(rows) {
  const joined = new Map();
  for (const [status, code, retry] of rows) {
    const key = `${status} ${retry}`;
    const row = joined.get(key) ?? [status, [], retry];
    row[1].push(code);
    joined.set(key, row);
  }
  return [...joined.values()].map(([status, codes, retry]) => [status, codes.join(', '), retry]);
}

function parameters({ fields }, table) {
  return table(
    ['name', 'type', 'required', 'meaning'],
    fields.map(([name, one]) => [
      ...[`\`${name}\``, typeText(one.schema), one.isRequired ? 'yes' : '', one.purpose],
    ]),
  );
}

function bodyParts(body, table) {
  if (body.kind !== 'json') {
    const limit =
      body.kind === 'text' ? `${body.sizeMax} bytes` : `\`${body.sizeSetting}\`, decompressed`;
    const parts = [`Body (\`${body.mediaType}\`, at most ${limit}): ${lowerFirst(body.purpose)}`];
    if (body.kind === 'stream' && body.lineFields.length > 0)
      parts.push(...lineParts(body.lineFields, table));
    return parts;
  }
  const said = body.isOptional ? '; a missing body means `{}`' : '';
  const parts = [`Body (\`${kJson}\`, at most ${body.sizeMax} bytes${said}):`];
  parts.push(parameters(body, table));
  if (body.refusesUnknown) parts.push('Other members are refused.');
  return parts;
}

function lineParts(fields, table) {
  const rows = fields.map(({ name, type, required, meaning }) => [
    ...[`\`${name}\``, type, required, meaning],
  ]);
  return [
    'A line has these fields; others are ignored:',
    table(['field', 'type', 'required', 'meaning'], rows),
  ];
}

const lowerFirst = (text) => text.charAt(0).toLowerCase() + text.slice(1);

function answerText(answer, usual) {
  const status = answer.status ?? usual;
  if (status === 204 || status === 304) {
    return `Answers ${status} without a body: ${lowerFirst(answer.purpose)}`;
  }
  const types = [answer.mediaType ?? kJson, ...(answer.otherMediaTypes ?? [])];
  const { schema } = answer;
  const isLines = types[0].includes('ndjson');
  const form = schema === undefined ? '' : `[${schema.name}](#${schema.name.toLowerCase()})`;
  const many = answer.isArray ? 'a list of ' : isLines ? 'lines of ' : '';
  const what = form === '' ? '' : `, ${many}${form}`;
  return `Answers ${status}, \`${types.join('`, `')}\`${what}: ${lowerFirst(answer.purpose)}`;
}

function exampleParts(route, origin) {
  const { query = {}, body, answer, isSketch } = route.example;
  const target = `${origin}${targetOf(route.path, query)}`;
  const isUsual = route.method === (body === undefined ? 'GET' : 'POST');
  const method = isUsual ? '' : ` -X ${route.method}`;
  const sent = body === undefined ? '' : ` --data-binary ${quoted(bodyText(body))}`;
  const status = `HTTP/1.1 ${route.answer.status ?? 200}`;
  const call = ['```sh', `curl -s${method} ${quoted(target)}${sent}`, '```'].join('\n');
  if (route.answer.status === 204) return [call, ['```http', status, '```'].join('\n')];
  const type = `Content-Type: ${route.answer.mediaType ?? kJson}`;
  const shown = typeof answer === 'string' ? answer.trimEnd() : pretty(answer);
  return [call, ['```http', status, type, '', shown, ...(isSketch ? ['…'] : []), '```'].join('\n')];
}

/** One parameter may be part of the path. */
function targetOf(path, query) {
  const encoded = Object.entries(query).map(([name, text]) => [name, encodeURIComponent(text)]);
  const isInPath = ([name]) => path.includes(`{${name}}`);
  const filled = encoded
    .filter(isInPath)
    .reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const pairs = encoded.filter((pair) => !isInPath(pair)).map((pair) => pair.join('='));
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

const bodyText = (body) => (typeof body === 'string' ? body : JSON.stringify(body));

function quoted(text) {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** On one line, if it fits. */
function pretty(value, indent = '') {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= 100 || typeof value !== 'object') return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((one) => inner + pretty(one, inner))
    : Object.entries(value).map(([key, one]) => `${inner}"${key}": ${pretty(one, inner)}`);
  return `${isList ? '[' : '{'}\n${items.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

function formParts(name, schema, table) {
  if (schema.properties === undefined) return [`#### ${name}`, `${typeText(schema)}.`];
  return [`#### ${name}`, table(['field', 'type', 'meaning'], fieldRows(schema, ''))];
}

/** Rows of all fields; nested fields have dotted names. */
function fieldRows({ properties, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([key, one]) => {
    const path = `${prefix}${key}`;
    const may = required.includes(key) ? '' : ', may be absent';
    const inside = one.properties ? one : one.items?.properties ? one.items : null;
    const rows = inside === null ? [] : fieldRows(inside, one.items ? `${path}[].` : `${path}.`);
    return [[`\`${path}\``, `${typeText(one)}${may}`, one.description ?? ''], ...rows];
  });
}

function typeText(schema) {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  const absent = schema.default === undefined ? '' : `; \`${schema.default}\` if absent`;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) {
    return schema.enum.map((one) => `\`${one}\``).join(', ') + absent;
  }
  const types = [schema.type ?? 'any'].flat();
  const isList = types[0] === 'array' && schema.items !== undefined;
  const [first, ...rest] = types;
  const named = isList ? `list of ${typeText(schema.items)}` : (schema.format ?? first);
  const others = rest.filter((one) => one === 'null' || one === 'string');
  return [named, ...others].join(' or ') + absent;
}
