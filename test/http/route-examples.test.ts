/**
 * The example of every route in docs/http-api.md against a real server: status, media type, schema,
 * and the body, byte for byte unless it has figures of its own.
 */

import path from 'node:path';

import { assert } from 'chai';

import { adminRoutes } from '../../src/http/admin/route-table.js';
import { answerSchemas } from '../../src/http/api/openapi.js';
import { routeTable } from '../../src/http/route-table.js';
import { answerValidator, apiValidator } from '../support/api-validator.js';
import { Client, type Answer } from '../support/client.js';
import { exampleRequest } from '../support/example-request.js';
import { missingShape } from '../support/example-shape.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { RouteDescription } from '../../src/http/route/route.js';

const listeners: readonly (readonly [string, readonly RouteDescription[]])[] = [
  ['public', routeTable.routes],
  ['admin', adminRoutes.routes],
];

/** The documented directory does not exist on this machine. */
const shownDirectory = encodeURIComponent('/backup/tuesday');

describe('the examples of the routes', function () {
  this.timeout(60_000);
  let server: Server;

  before(async () => {
    // Enables all routes.
    const args = ['--allocator', 'small_pool', '--admin-listen', '127.0.0.1:0'];
    const env = { SERIESDB_ADMIN_ENABLED: 'true' };
    server = await startServer({ dataDir: temporaryDirectory(), args, env });
  });
  after(killServers);

  for (const [listener, routes] of listeners) {
    const ajv = apiValidator(answerSchemas(routes));
    for (const route of routes) {
      it(`of the ${listener} listener: ${route.method} ${route.path}`, async () => {
        const { method, target, options } = exampleRequest(route);
        const directory = encodeURIComponent(path.join(temporaryDirectory(), 'copy'));
        const port = listener === 'public' ? server.port : (server.adminPort ?? 0);
        const client = new Client(port);
        const asked = target.replace(shownDirectory, directory);
        const answer = await client.request(method, asked, options);
        client.close();
        assert.strictEqual(answer.status, route.answer.status ?? 200, answer.body);
        if (answer.status === 204) {
          assert.doesNotHaveAnyKeys(answer.headers, ['content-type', 'content-length']);
        } else {
          const type = String(answer.headers['content-type']).split(';')[0];
          assert.strictEqual(type, route.answer.mediaType ?? 'application/json');
        }
        const validate = answerValidator(ajv, route);
        for (const value of valuesOf(answer)) {
          assert.isTrue(validate(value), `${answer.body} ${ajv.errorsText(validate.errors)}`);
        }
        compare(route, answer);
      });
    }
  }
});

/** The parts of an answer under the schema: each line, or all of it; nothing of other texts. */
function valuesOf({ headers, body }: Answer): unknown[] {
  const type = headers['content-type'] ?? '';
  if (type.includes('ndjson')) return linesOf(body);
  return type.includes('json') ? [JSON.parse(body)] : [];
}

function linesOf(text: string): unknown[] {
  const lines = text.trimEnd().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

function compare({ example }: RouteDescription, answer: Answer): void {
  const isText = typeof example.answer === 'string';
  const shown =
    typeof example.answer === 'string' ? example.answer : JSON.stringify(example.answer);
  if (example.isSketch !== true) {
    assert.strictEqual(answer.body, shown);
  } else if (!isText) {
    assert.isNull(missingShape(JSON.parse(shown), JSON.parse(answer.body)), answer.body);
  } else if (String(answer.headers['content-type']).includes('ndjson')) {
    // The number of lines depends on time; the first and the last do not.
    for (const at of [0, -1]) {
      const [wanted, found] = [linesOf(shown).at(at), linesOf(answer.body).at(at)];
      assert.isNull(missingShape(wanted, found), answer.body);
    }
  } else {
    for (const line of shown.split('\n')) assert.include(answer.body, line);
  }
}
