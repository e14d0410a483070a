/**
 * The API description against the server: the document is a valid one, it names the routes that
 * there are, and every example that it gives is answered as it says.
 */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { assert } from 'chai';

import { bodyJsonSchema, openApiDocument } from '../../src/http/api/openapi.js';
import { apiOperations } from '../../src/http/api/operations.js';
import { answerSchemas } from '../../src/http/api/schemas.js';
import { routeTable } from '../../src/http/route-table.js';
import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { ApiOperation } from '../../src/http/api/operation.js';

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int64: true, uint64: true } });
// Closed: an answer with a member that the document does not name fails too.
ajv.addSchema({ $id: 'api', components: { schemas: closed(answerSchemas) } });

function validatorOf({ answer }: ApiOperation): ValidateFunction {
  if (answer.schema === undefined) return ajv.compile(true);
  const reference = { $ref: `api#/components/schemas/${answer.schema}` };
  return ajv.compile(answer.isArray === true ? { type: 'array', items: reference } : reference);
}

/** The schemas again, in which an object has no members but those that are named. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, closed(one)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

interface Described {
  readonly responses: Readonly<Record<string, { readonly content: unknown }>>;
}

function describedFor(method: string, path: string): Described {
  const { paths } = openApiDocument(apiOperations, '1.2.3') as {
    paths: Record<string, Record<string, Described>>;
  };
  const found = paths[path]?.[method.toLowerCase()];
  assert.isDefined(found);
  return found;
}

const isErrorBody = ajv.compile({ $ref: 'api#/components/schemas/Error' });

function exampleTarget({ path, parameters }: ApiOperation): string {
  const given = (parameters ?? []).filter((one) => one.example !== undefined);
  const query = given.map((one) => `${one.name}=${encodeURIComponent(one.example ?? '')}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function exampleBody({ body }: ApiOperation): string | undefined {
  if (body === undefined) return undefined;
  return body.kind === 'json' ? JSON.stringify(body.example) : body.example;
}

describe('the API description', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;

  before(async () => {
    // So that every route has an answer.
    const args = ['--allocator', 'small_pool'];
    server = await startServer({ dataDir: temporaryDirectory(), args });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const document = openApiDocument(apiOperations, '1.2.3');
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
    );
    assert.isTrue(result.valid, JSON.stringify(result.errors));
  });

  it('names every route and no other', () => {
    const described = apiOperations.map(({ method, path }) => `${method} ${path}`).sort();
    const routed = [...routeTable].flatMap(([path, methods]) =>
      [...methods.keys()].map((method) => `${method} ${path}`),
    );
    assert.deepStrictEqual(described, routed.sort());
  });

  it('is served without a token', async () => {
    const { status, body } = await client.get('/openapi.json');
    assert.strictEqual(status, 200);
    const document = JSON.parse(body) as { openapi: string; paths: Record<string, unknown> };
    assert.strictEqual(document.openapi, '3.1.0');
    assert.hasAllKeys(document.paths, [...routeTable.keys()]);
  });

  it('describes why the server is not ready, which is no error body', () => {
    const schema = { $ref: '#/components/schemas/Health' };
    assert.deepStrictEqual(describedFor('GET', '/readyz').responses['503']?.content, {
      'application/json': { schema },
    });
  });

  it('names the warnings of the status', () => {
    assert.property(answerSchemas.Status['properties'], 'warnings');
  });

  for (const { method, path, body } of apiOperations) {
    if (body === undefined) continue;
    it(`${method} ${path}: an encoding that nobody knows is refused as described`, async () => {
      const headers = { 'content-encoding': 'br' };
      const answer = await client.request(method, path, { body: '{}', headers });
      assert.strictEqual(answer.status, 415, answer.body);
      assert.isTrue(isErrorBody(JSON.parse(answer.body)), answer.body);
      assert.property(describedFor(method, path).responses, '415');
    });
  }

  for (const operation of apiOperations) {
    const name = `${operation.method} ${operation.path}`;

    it(`${name}: the example is answered as described`, async () => {
      const { body } = operation;
      if (body?.kind === 'json') {
        assert.isTrue(ajv.compile(bodyJsonSchema(body.schema))(body.example), name);
      }
      const sent = exampleBody(operation);
      const answer = await client.request(operation.method, exampleTarget(operation), {
        ...(sent === undefined ? {} : { body: sent }),
      });
      assert.strictEqual(answer.status, operation.answer.status ?? 200, answer.body);
      const type = String(answer.headers['content-type']).split(';')[0];
      assert.strictEqual(type, operation.answer.mediaType ?? 'application/json');
      if (operation.answer.mediaType !== undefined) return;
      const validate = validatorOf(operation);
      assert.isTrue(validate(JSON.parse(answer.body)), `${answer.body} ${errorsText(validate)}`);
    });

    const { body } = operation;
    if (body?.kind !== 'json') continue;
    for (const [key, field] of body.schema.fields) {
      it(`${name}: a wrong ${key} is refused with a described error`, async () => {
        const wrong = { ...body.example, [key]: [] };
        await assertRefused(operation, wrong, `invalid_${key}`);
        if (!field.isRequired) return;
        const rest = Object.entries(body.example).filter(([name]) => name !== key);
        await assertRefused(operation, Object.fromEntries(rest), `missing_${key}`);
      });
    }
  }

  async function assertRefused(operation: ApiOperation, body: unknown, code: string) {
    const answer = await client.request(operation.method, operation.path, {
      body: JSON.stringify(body),
    });
    const parsed = JSON.parse(answer.body) as { code: string; status: number };
    assert.isTrue(isErrorBody(parsed), answer.body);
    assert.strictEqual(parsed.code, code);
    assert.strictEqual(parsed.status, answer.status);
    assert.include(operation.errors, code, 'the description names the code');
  }
});

function errorsText(validate: ValidateFunction): string {
  return ajv.errorsText(validate.errors ?? null);
}
