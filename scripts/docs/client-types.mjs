// Generates src/client/api-types.ts, the types of requests and answers, from the declarations of
// the public routes.
import prettier from 'prettier';

import { inRoot } from '../project.mjs';

/** `choices` are sets of words with a named type, and optionally a named `list`. */
export async function clientTypes({ routes, answerSchemas, choices, file }) {
  const write = typeWriter(choices, answerSchemas(routes));
  const parts = [
    `/**
 * The API as types, generated from the declarations of the routes by "npm run docs"; do not edit.
 *
 * Requests accept numbers that are safe integers. Answers have a bigint wherever a number might
 * lose digits. Sets of words that a later server may extend are strings.
 */`,
    '/** A 64-bit integer. A number is accepted up to 2^53 in size; beyond that it is refused. */\n' +
      'export type Integer = bigint | number;',
    'export type Labels = Readonly<Record<string, string>>;',
    `/** The keys whose values are 64-bit integers, in requests and in answers. */
export const exactKeys = ${JSON.stringify(exactKeys(routes, answerSchemas(routes)))} as const;`,
  ];
  for (const [name, { words, purpose, list }] of Object.entries(choices)) {
    if (list !== undefined) parts.push(`export const ${list} = ${JSON.stringify(words)} as const;`);
    const type = list === undefined ? unionOf(words) : `(typeof ${list})[number]`;
    parts.push(`/** ${purpose} */\nexport type ${name} = ${type};`);
  }
  for (const [name, schema] of Object.entries(answerSchemas(routes))) {
    // The client has its own error class.
    if (name !== 'Error') parts.push(write.answer(name, schema));
  }
  for (const route of routes) {
    // If a route takes both, the client sends a body.
    if ((route.query?.fields.length ?? 0) > 0 && route.method === 'POST') {
      const comment = `/** The query string of ${route.method} ${route.path}. */`;
      parts.push(`${comment}\nexport interface ${nameOf(route)}Parameters ${write.query(route)}`);
    }
    if (route.body?.kind !== 'json') continue;
    const comment = `/** ${route.summary} */`;
    parts.push(`${comment}\nexport interface ${nameOf(route)}Body ${write.body(route)}`);
  }
  parts.push(jsonRoutes(routes));
  const options = await prettier.resolveConfig(inRoot(file));
  return prettier.format(parts.join('\n\n'), { ...options, filepath: file });
}

/** A comment wrapped to the line limit. */
function commentOf(text) {
  const lines = text.match(/.{1,92}(?: |$)/g).map((line) => line.trimEnd());
  return lines.length === 1 ? `/** ${text} */` : `/**\n * ${lines.join('\n * ')}\n */`;
}

/** The type's name: `QueryRange` for `/api/v1/query/range`. */
function nameOf({ path }) {
  const words = path.replace(/^\/api\/v1/, '').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const unionOf = (words) => words.map((word) => `'${word}'`).join(' | ');

const isExact = ({ format }) => format === 'int64' || format === 'uint64';

function exactKeys(routes, schemas) {
  const found = new Set();
  const visit = (schema) => {
    for (const [key, one] of Object.entries(schema.properties ?? {})) {
      if (isExact(one)) found.add(key);
      visit(one.items ?? one);
    }
  };
  Object.values(schemas).forEach(visit);
  for (const { body } of routes) {
    for (const [key, one] of body?.kind === 'json' ? body.fields : []) {
      if (isExact(one.schema)) found.add(key);
    }
  }
  return [...found].sort();
}

function jsonRoutes(routes) {
  const rows = routes
    .filter(({ body }) => body?.kind === 'json')
    .map((route) => {
      const { answer } = route;
      const type = answer.isArray ? `readonly ${answer.schema.name}[]` : answer.schema.name;
      const path = route.path.replace('/api/v1/', '');
      return `readonly '${path}': { readonly body: ${nameOf(route)}Body; readonly answer: ${type} };`;
    });
  const comment = '/** The routes below /api/v1/ that take JSON: their bodies and answers. */';
  return `${comment}\nexport interface JsonRoutes {\n${rows.join('\n')}\n}`;
}

const member = (key, type, isOptional, description) => {
  const comment = description === undefined ? '' : `${commentOf(description)}\n`;
  return `${comment}readonly ${key}${isOptional ? '?' : ''}: ${type};`;
};
const block = (members) => `{\n${members.join('\n')}\n}`;

function enumWriter(choices) {
  const named = new Map(
    Object.entries(choices).map(([name, { words }]) => [JSON.stringify(words), name]),
  );
  return (words, isAnswer) => {
    const name = named.get(JSON.stringify(words));
    if (name !== undefined) return name;
    return isAnswer ? 'string' : unionOf(words);
  };
}

function typeWriter(choices, schemas) {
  // An object that is part of both a body and an answer has one name.
  const shared = new Map(Object.entries(schemas).map(([name, one]) => [JSON.stringify(one), name]));
  const ofEnum = enumWriter(choices);

  function answerType(schema) {
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
    if (schema.enum !== undefined) return ofEnum(schema.enum, true);
    if (schema.const !== undefined) return 'string';
    const types = [schema.type].flat();
    const orNull = types.includes('null') ? ' | null' : '';
    if (isExact(schema)) return `bigint${orNull}`;
    switch (types[0]) {
      case 'integer':
      case 'number':
        return `number${orNull}`;
      case 'array':
        return `readonly ${arrayItem(schema.items)}[]`;
      case 'object':
        return objectType(schema);
      default:
        return `${types[0]}${orNull}`;
    }
  }

  function arrayItem(items) {
    if (items === undefined) return 'unknown';
    const type = answerType(items);
    return /^\w+$/.test(type) || type.startsWith('{') ? type : `(${type})`;
  }

  function objectType({ properties, required = [], additionalProperties }) {
    if (properties === undefined) {
      const type = answerType(additionalProperties);
      return type === 'string' ? 'Labels' : `Readonly<Record<string, ${type}>>`;
    }
    return block(
      Object.entries(properties).map(([key, one]) =>
        member(key, answerType(one), !required.includes(key), one.description),
      ),
    );
  }

  function sentType(schema) {
    if (schema.enum !== undefined) return ofEnum(schema.enum, false);
    if (isExact(schema)) return 'Integer';
    if (schema.type === 'object') return 'Labels';
    if (schema.type === 'array') {
      const name = shared.get(JSON.stringify(schema.items));
      return name === undefined ? answerType(schema) : `readonly ${name}[]`;
    }
    return schema.type === 'integer' ? 'number' : schema.type;
  }

  const fields = (list) =>
    block(
      list.map(([key, one]) => member(key, sentType(one.schema), !one.isRequired, one.purpose)),
    );
  return {
    answer: (name, schema) =>
      schema.properties === undefined
        ? `export type ${name} = ${answerType(schema)};`
        : `export interface ${name} ${answerType(schema)}`,
    query: ({ query }) => fields(query.fields),
    body: ({ body }) => fields(body.fields),
  };
}
