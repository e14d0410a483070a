/**
 * JSON bodies of every route that takes one, mutated from the API description's examples: each is
 * answered, or refused with a documented status and code.
 */

import { expect } from 'chai';

import { routeTable } from '../../src/http/route-table.js';
import { startTestServer, transports, type TestServer } from '../support/http-server.js';
import { Random, testSeed } from '../support/random.js';
import { mutateText } from './mutate.js';
import { fuzzTimeoutMs, rounds } from './rounds.js';

const examples = routeTable.routes.flatMap(({ path, body, example }) =>
  body?.kind === 'json' ? [{ path, text: JSON.stringify(example.body) }] : [],
);
const texts = examples.map(({ text }) => text);
const words = [
  ...texts.join(' ').split(/[{}[\],:\s]+/),
  ...['-9223372036854775809', '18446744073709551616', '9223372036854775807', '1e999', '-0', '0.5'],
  ...['null', 'true', '""', '"\\ud800"', '"\\u0000"', '{}', '[]', '{"a":{}}', '"__proto__"', ','],
].filter((word) => word !== '');

/** For each path, the responses of the description, as text, by status. */
type Described = Readonly<Record<string, { post?: { responses: Record<string, unknown> } }>>;

async function describedBy(server: TestServer): Promise<Described> {
  const answer = await fetch(`${server.base}/openapi.json`);
  return ((await answer.json()) as { paths: Described }).paths;
}

describe(`mutated requests (seed ${testSeed})`, function () {
  this.timeout(fuzzTimeoutMs);

  for (const transport of transports) {
    it(`are answered as the description says, over ${transport.name}`, async () => {
      const server = await startTestServer(transport);
      const described = await describedBy(server);
      const random = new Random(testSeed);
      let answered = 0;
      for (const round of rounds(600)) {
        const { path, text } = random.pick(examples);
        const body = round === 0 ? text : mutateText([text, text, ...texts], words, random);
        const answer = await fetch(server.base + path, { method: 'POST', body });
        const content = await answer.text();
        const responses = described[path]?.post?.responses ?? {};
        const about = `${path} ${body} ${content}`;
        expect(responses, about).to.have.property(String(answer.status));
        expect(answer.status, about).to.be.below(500);
        if (answer.ok) answered += 1;
        else expect(JSON.parse(content), about).to.have.property('code').that.is.a('string');
      }
      expect(answered).to.be.greaterThan(0);
      server.close();
    });
  }
});
