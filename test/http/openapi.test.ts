/**
 * The API description against the server: the document is valid, names exactly the existing routes,
 * and each example is answered as documented.
 */
import { Validator } from '@seriousme/openapi-schema-validator';
import { assert } from 'chai';

import { answerSchemas, bodyJsonSchema, openApiDocument } from '../../src/http/api/openapi.js';
import { errorSchema } from '../../src/http/fields/json-schema.js';
import { errorsOf } from '../../src/http/api/route-errors.js';
import { routeTable } from '../../src/http/route-table.js';
import { answerValidator, apiValidator } from '../support/api-validator.js';
import { Client } from '../support/client.js';
import { exampleRequest } from '../support/example-request.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { RouteDescription, RouteExample } from '../../src/http/route/route.js';

const { routes } = routeTable;
const schemas = answerSchemas(routes);
const ajv = apiValidator(schemas);

interface Described {
  readonly responses: Readonly<Record<string, { readonly content: unknown }>>;
}

interface Linted {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, LintedOperation>>>>;
}

interface LintedOperation {
  readonly security?: unknown;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly {
    readonly schema: { readonly type?: string };
    readonly example?: unknown;
  }[];
}

function describedFor(method: string, path: string): Described {
  const { paths } = openApiDocument(routes, '1.2.3') as {
    paths: Record<string, Record<string, Described>>;
  };
  const found = paths[path]?.[method.toLowerCase()];
  assert.isDefined(found);
  return found;
}

const isErrorBody = ajv.compile({ $ref: 'api#/components/schemas/Error' });

describe('the API description', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;

  before(async () => {
    // Enables all routes.
    const args = ['--allocator', 'small_pool'];
    server = await startServer({ dataDir: temporaryDirectory(), args });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  it('has what linters require: security, known tags, items of arrays, typed examples', () => {
    const document = openApiDocument(routes, '1.2.3') as unknown as Linted;
    const known = document.tags.map(({ name }) => name);
    for (const operation of Object.values(document.paths).flatMap((one) => Object.values(one))) {
      assert.isArray(operation.security);
      assert.includeMembers(known, [...operation.tags]);
      assert.isNotEmpty(operation.description);
      for (const { schema, example } of operation.parameters ?? []) {
        if (schema.type === 'integer' && example !== undefined) assert.isNumber(example);
      }
    }
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('type' in node && node.type === 'array') assert.property(node, 'items');
      Object.values(node).forEach(visit);
    };
    visit(document);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const document = openApiDocument(routes, '1.2.3');
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Record<string, unknown>,
    );
    assert.isTrue(result.valid, JSON.stringify(result.errors));
  });

  it('names every route and no other', () => {
    const { paths } = openApiDocument(routes, '1.2.3') as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routed = routes.map(({ method, path }) => `${method} ${path}`);
    assert.deepStrictEqual(described.sort(), routed.sort());
  });

  it('is served without a token', async () => {
    const { status, body } = await client.get('/openapi.json');
    assert.strictEqual(status, 200);
    const document = JSON.parse(body) as { openapi: string; paths: Record<string, unknown> };
    assert.strictEqual(document.openapi, '3.1.0');
    assert.hasAllKeys(
      document.paths,
      routes.map(({ path }) => path),
    );
  });

  it('describes the body of a server that is not ready, which is not an error body', () => {
    const schema = { $ref: '#/components/schemas/Health' };
    assert.deepStrictEqual(describedFor('GET', '/readyz').responses['503']?.content, {
      'application/json': { schema },
    });
  });

  it('names the warnings of the status', () => {
    assert.property(schemas['Status']?.['properties'], 'warnings');
  });

  for (const route of routes) {
    const { method, path, body, protocol } = route;
    if (body === null) continue;
    const { name } = protocol?.errorSchema ?? errorSchema;
    const isErrorOfRoute = ajv.compile({ $ref: `api#/components/schemas/${name}` });
    it(`${method} ${path}: an unknown encoding is rejected as described`, async () => {
      const headers = { 'content-encoding': 'br' };
      const { target } = exampleRequest(route);
      const answer = await client.request(method, target, { body: '{}', headers });
      assert.strictEqual(answer.status, 415, answer.body);
      const isText = protocol?.errorMediaType !== undefined;
      const told: unknown = isText ? answer.body : JSON.parse(answer.body);
      assert.isTrue(isErrorOfRoute(told), answer.body);
      assert.property(describedFor(method, path).responses, '415');
    });
  }

  for (const route of routes) {
    const name = `${route.method} ${route.path}`;

    it(`${name}: the example is answered as described`, async () => {
      const { body, example } = route;
      if (body?.kind === 'json') {
        assert.isTrue(ajv.compile(bodyJsonSchema(body))(example.body), name);
      }
      const { method, target, options } = exampleRequest(route);
      const answer = await client.request(method, target, options);
      assert.strictEqual(answer.status, route.answer.status ?? 200, answer.body);
      if (answer.status === 204) return;
      const type = String(answer.headers['content-type']).split(';')[0];
      assert.strictEqual(type, route.answer.mediaType ?? 'application/json');
      if (route.answer.mediaType !== undefined) return;
      const validate = answerValidator(ajv, route);
      assert.isTrue(validate(JSON.parse(answer.body)), `${answer.body} ${errorsText(validate)}`);
    });

    const { body, example } = route;
    if (body?.kind !== 'json') continue;
    for (const [key, field] of body.fields) {
      it(`${name}: a wrong ${key} is rejected with a described error`, async () => {
        const isList = field.schema['type'] === 'array';
        const wrong = { ...exampleOf(example), [key]: isList ? {} : [] };
        await assertRefused(route, wrong, `invalid_${key}`);
        if (!field.isRequired) return;
        const rest = Object.entries(exampleOf(example)).filter(([name]) => name !== key);
        await assertRefused(route, Object.fromEntries(rest), `missing_${key}`);
      });
    }
  }

  async function assertRefused(route: RouteDescription, body: unknown, code: string) {
    const answer = await client.request(route.method, route.path, {
      body: JSON.stringify(body),
    });
    const parsed = JSON.parse(answer.body) as { code: string; status: number };
    assert.isTrue(isErrorBody(parsed), answer.body);
    assert.strictEqual(parsed.code, code);
    assert.strictEqual(parsed.status, answer.status);
    assert.include(errorsOf(route), code, 'the description names the code');
  }
});

function errorsText(validate: ValidateFunction): string {
  return ajv.errorsText(validate.errors ?? null);
}

function exampleOf({ body }: RouteExample): object {
  assert(typeof body === 'object');
  return body;
}
