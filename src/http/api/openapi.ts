/** The OpenAPI 3.1 document, made from the declarations of routes. */

import { catalog, type ErrorCode } from '../../common/errors/catalog.js';

import {
  errorSchema,
  referenceTo,
  type JsonSchema,
  type NamedSchema,
} from '../fields/json-schema.js';
import { tags, type RouteAnswer, type RouteDescription } from '../route/route.js';
import { errorsOf } from './route-errors.js';

import type { QueryShape } from '../fields/query-schema.js';
import type { BodyShape } from '../route/route-body.js';

const kJson = 'application/json';

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument(routes: readonly RouteDescription[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const item = (paths[route.path] ??= {});
    item[route.method.toLowerCase()] = describe(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'seriesdb',
      version,
      summary: 'A time-series database.',
      description:
        'Timestamps and series ids are exact 64-bit integers, in requests and in answers: read ' +
        'them with a JSON parser that keeps integers above 2^53.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: answerSchemas(routes),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** The schemas that the routes name, by name. Throws if two have the same name. */
export function answerSchemas(
  routes: readonly RouteDescription[],
): Readonly<Record<string, JsonSchema>> {
  const found = new Map<string, NamedSchema>();
  const add = (one: NamedSchema): void => {
    if ((found.get(one.name) ?? one) !== one) throw new Error(`two schemas are ${one.name}`);
    found.set(one.name, one);
    one.uses.forEach(add);
  };
  add(errorSchema);
  for (const { answer, refusal, protocol } of routes) {
    if (protocol !== undefined) add(protocol.errorSchema);
    for (const { schema } of refusal === undefined ? [answer] : [answer, refusal]) {
      if (schema !== undefined) add(schema);
    }
  }
  return Object.fromEntries([...found].map(([name, { schema }]) => [name, schema]));
}

function describe(route: RouteDescription): Json {
  const { answer, body, query, refusal, example } = route;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: whoMayAsk(route),
    security: route.scope === 'public' ? [] : [{ bearer: [] }, {}],
    ...(query === null ? {} : { parameters: parametersOf(route, query) }),
    ...(body === null ? {} : { requestBody: requestBody(body, example.body) }),
    responses: {
      ...errorResponses(route),
      ...answerResponse(answer),
      ...(refusal === undefined ? {} : answerResponse(refusal)),
    },
  };
}

function whoMayAsk({ scope }: RouteDescription): string {
  if (scope === 'public') return 'Needs no token.';
  if (scope === 'status')
    return 'Needs no token, unless `open_status` is false: then a token with the scope read.';
  const wanted = scope === 'token' ? 'a token' : `a token with the scope ${scope}`;
  return `Needs ${wanted}, if the server requires tokens.`;
}

function answerResponse(answer: RouteAnswer): Json {
  const others = (answer.otherMediaTypes ?? []).map((type) => [
    type,
    { schema: { type: 'string' } },
  ]);
  const content = {
    [answer.mediaType ?? kJson]: contentOf(answer),
    ...(Object.fromEntries(others) as Json),
  };
  const { status = 200, purpose: description } = answer;
  const isBare = status === 204 || status === 304;
  return { [String(status)]: isBare ? { description } : { description, content } };
}

/**
 * The operation id: `POST /api/v1/query/range` is `post_query_range`, with the protocol's name in
 * front.
 */
function operationId({ method, path, protocol }: RouteDescription): string {
  const words = path.replace(/^\/api\/v1/, '').split(/[^A-Za-z0-9]+/);
  const owner = protocol === undefined ? [] : [protocol.name];
  return [...owner, method.toLowerCase(), ...words.filter(Boolean)].join('_');
}

function parametersOf(route: RouteDescription, { fields }: QueryShape): readonly Json[] {
  const examples: Json = route.example.query ?? {};
  // Paths that differ only in the parameter's name are one path.
  const isInPath = (name: string): boolean => route.path.includes(`{${name}}`);
  return fields.map(([name, one]) => ({
    name,
    in: isInPath(name) ? 'path' : 'query',
    required: one.isRequired || isInPath(name),
    description: one.purpose,
    schema: one.schema,
    ...(examples[name] === undefined ? {} : { example: exampleOf(one.schema, examples[name]) }),
  }));
}

/** An example is text, as in a query string. */
function exampleOf({ type }: JsonSchema, text: unknown): unknown {
  return type === 'integer' ? Number(text) : text;
}

function requestBody(body: BodyShape, example: unknown): Json {
  if (body.kind === 'json') {
    const content = { schema: bodyJsonSchema(body), example };
    return { required: !body.isOptional, content: { [kJson]: content } };
  }
  const content = { schema: { type: 'string' }, example };
  return { required: true, description: body.purpose, content: { [body.mediaType]: content } };
}

export function bodyJsonSchema({ fields }: BodyShape & { readonly kind: 'json' }): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, one] of fields) properties[key] = { ...one.schema, description: one.purpose };
  const required = fields.filter(([, one]) => one.isRequired).map(([key]) => key);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function contentOf({ schema, isArray, mediaType }: RouteAnswer): Json {
  if (schema === undefined) return mediaType === undefined ? {} : { schema: { type: 'string' } };
  const reference = referenceTo(schema);
  return { schema: isArray === true ? { type: 'array', items: reference } : reference };
}

/** One response per status, with the codes that it can carry. */
function errorResponses(route: RouteDescription): Json {
  const { errorSchema: schema, errorMediaType = kJson } = route.protocol ?? { errorSchema };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = route.protocol?.statuses?.[code] ?? catalog[code].status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, Json> = {};
  for (const [status, held] of [...byStatus].sort(([a], [b]) => a - b)) {
    const lines = held.map((code) => `\`${code}\`: ${catalog[code].meaning}`);
    responses[String(status)] = {
      description: lines.join('\n'),
      content: { [errorMediaType]: { schema: referenceTo(schema) } },
    };
  }
  return responses;
}
