/** The OpenAPI 3.1 document, made from the operations and the declared bodies. */

import { catalog, type ErrorCode } from '../../errors/catalog.js';

import { probePaths } from '../guard.js';

import { answerSchemas } from './schemas.js';

import type { ApiAnswer, ApiBody, ApiOperation, ApiParameter } from './operation.js';
import type { BodySchema, JsonSchema } from '../body-schema.js';

const kGuardedPrefix = '/api/';
const kJson = 'application/json';
const kInternal: readonly ErrorCode[] = ['internal_error', 'request_timeout', 'closed'];
/** Refusals of pages that a browser shows. */
const kOfBrowsers: readonly ErrorCode[] = ['forbidden_origin', 'forbidden_host'];
const kOfJsonBody: readonly ErrorCode[] = [
  'invalid_json',
  'payload_too_large',
  'unsupported_encoding',
];

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument(operations: readonly ApiOperation[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describe(operation);
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
    paths,
    components: {
      schemas: answerSchemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describe(operation: ApiOperation): Json {
  const { answer, body, parameters, refusal } = operation;
  const isGuarded = operation.path.startsWith(kGuardedPrefix);
  return {
    operationId: operationId(operation),
    tags: [operation.tag],
    summary: operation.summary,
    ...(isGuarded ? { security: [{ bearer: [] }, {}] } : {}),
    ...(parameters === undefined ? {} : { parameters: parameters.map(parameterOf) }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      ...errorResponses(errorsOf(operation, isGuarded)),
      ...answerResponse(answer),
      ...(refusal === undefined ? {} : answerResponse(refusal)),
    },
  };
}

function answerResponse(answer: ApiAnswer): Json {
  const content = { [answer.mediaType ?? kJson]: contentOf(answer) };
  return { [String(answer.status ?? 200)]: { description: answer.purpose, content } };
}

/** `POST /api/v1/query/range` is `post_query_range`. */
function operationId({ method, path }: ApiOperation): string {
  const words = path.replace(/^\/api\/v1/, '').split(/[^A-Za-z0-9]+/);
  return [method.toLowerCase(), ...words.filter(Boolean)].join('_');
}

function parameterOf(one: ApiParameter): Json {
  return {
    name: one.name,
    in: 'query',
    required: one.isRequired ?? false,
    description: one.purpose,
    schema: one.schema,
    ...(one.example === undefined ? {} : { example: one.example }),
  };
}

function requestBody(body: ApiBody): Json {
  if (body.kind === 'json') {
    const content = { schema: bodyJsonSchema(body.schema), example: body.example };
    return { required: true, content: { [kJson]: content } };
  }
  const content = { schema: { type: 'string' }, example: body.example };
  return {
    required: true,
    description: body.purpose,
    content: { [body.mediaType]: content },
  };
}

export function bodyJsonSchema(body: BodySchema<unknown>): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, one] of body.fields) {
    properties[key] = { ...one.schema, description: one.purpose };
  }
  const required = body.fields.filter(([, one]) => one.isRequired).map(([key]) => key);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function contentOf({ schema, isArray, mediaType }: ApiAnswer): Json {
  if (schema === undefined) return mediaType === undefined ? {} : { schema: { type: 'string' } };
  const reference = { $ref: `#/components/schemas/${schema}` };
  return { schema: isArray === true ? { type: 'array', items: reference } : reference };
}

function errorsOf(operation: ApiOperation, isGuarded: boolean): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(operation.errors);
  if (isGuarded) codes.add('unauthorized');
  if (!probePaths.has(operation.path)) for (const code of kOfBrowsers) codes.add(code);
  if (operation.body !== undefined) codes.add('body_timeout');
  if (operation.body?.kind === 'json') for (const code of kOfJsonBody) codes.add(code);
  for (const code of kInternal) codes.add(code);
  return [...codes];
}

/** One response for each status, with the codes that it can carry. */
function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = catalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, Json> = {};
  for (const [status, held] of [...byStatus].sort(([a], [b]) => a - b)) {
    const lines = held.map((code) => `\`${code}\`: ${catalog[code].meaning}`);
    responses[String(status)] = {
      description: lines.join('\n'),
      content: { [kJson]: { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return responses;
}
