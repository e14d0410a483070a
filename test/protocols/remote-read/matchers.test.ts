/** Random matchers of remote_read against a plain model, and randomly mutated requests. */
import { assert } from 'chai';

import { mutateBytes } from '../../fuzz/mutate.js';
import { fuzzTimeoutMs, rounds } from '../../fuzz/rounds.js';
import { Client } from '../../support/client.js';
import { Random, testSeed } from '../../support/random.js';
import { postRead, readRequest, remoteRead, type AskedMatcher } from '../../support/remote-read.js';
import { snappy } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

type Labels = Readonly<Record<string, string>>;

const always = { start: 0, end: 1000 };
const keys = ['__name__', 'a', 'b', 'c', 'none'];
const texts = ['x', 'y', 'xy', 'x.y', 'x\ny', 'é', 'm', 'n', '(', ''];
const patterns = [
  ...[
    'x|y',
    '(x|y)',
    'x|',
    '',
    '|',
    '.*',
    '.+',
    'x.*',
    '.*y',
    'x.y',
    'x\\.y',
    '[xy]+',
    '(?i)X',
    'm|n',
  ],
  ...['(?:x)|y', '^x$', 'x$|^y', 'x\\ny', '\\(', 'é', '..', 'm', '(m|x\\.y)', 'x|y|.', '.?'],
];

/** Every series is its metric and some labels, whose values may be empty. */
function randomSeries(random: Random): readonly Labels[] {
  const all = new Map<string, Labels>();
  for (let i = 0; i < 60; ++i) {
    const labels: Record<string, string> = { __name__: random.pick(['x', 'y', 'x.y', 'm', 'n']) };
    for (const key of ['a', 'b', 'c']) {
      if (random.chance(0.6)) labels[key] = random.pick(texts);
    }
    // Two series that differ only by an empty label are the same.
    all.set(printed(labels), labels);
  }
  return [...all.values()];
}

function printed(labels: Labels): string {
  const parts = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `{${parts.join(',')}}`;
}

function passes(labels: Labels, [key, op, wanted]: AskedMatcher): boolean {
  const value = labels[key] ?? '';
  const text = wanted as string;
  if (op === '=' || op === '!=') return (value === text) === (op === '=');
  const isFolded = text.startsWith('(?i)');
  const pattern = new RegExp(`^(?:${text.replace('(?i)', '')})$`, isFolded ? 'sui' : 'su');
  return pattern.test(value) === (op === '=~');
}

function randomMatchers(random: Random): readonly AskedMatcher[] {
  return Array.from({ length: random.below(4) }, () => {
    const op = random.pick(['=', '!=', '=~', '!~'] as const);
    const value = random.pick(op === '=' || op === '!=' ? texts : patterns);
    return [random.pick(keys), op, value] as const;
  });
}

describe('matchers of remote_read', function () {
  this.timeout(fuzzTimeoutMs);
  const random = new Random(testSeed);
  const all = randomSeries(random);
  let server: Server;

  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    const client = new Client(server.port);
    const lines = all.map(({ __name__: metric, ...labels }) =>
      JSON.stringify({ metric, labels, ts: 1, value: 1 }),
    );
    const { status, body } = await client.request('POST', '/api/v1/ingest', {
      body: lines.join('\n'),
    });
    assert.strictEqual(status, 200, body);
    client.close();
  });
  after(killServers);

  it(`select the same as a reference model (seed ${testSeed})`, async () => {
    for (const round of rounds(400)) {
      const matchers = randomMatchers(random);
      const [found = []] = await remoteRead(server.port, [{ ...always, matchers }]);
      const expected = all.filter((labels) => matchers.every((one) => passes(labels, one)));
      assert.sameMembers(
        found.map(({ labels }) => labels),
        expected.map(printed),
        `${round}: ${JSON.stringify(matchers)}`,
      );
    }
  });

  it('accept lists of values longer than the pattern limit', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => `value\\.${i}`).join('|');
    for (const list of [`${many}|x\\.y`, `(${many}|x\\.y)`]) {
      const [found = []] = await remoteRead(server.port, [
        { ...always, matchers: [['__name__', '=~', list]] },
      ]);
      const expected = all.filter((labels) => labels['__name__'] === 'x.y');
      assert.sameMembers(
        found.map(({ labels }) => labels),
        expected.map(printed),
      );
    }
  });

  it(`of a corrupted request never fail the server (seed ${testSeed})`, async () => {
    const refused = new Set<number>();
    for (const round of rounds(400)) {
      const reads = Array.from({ length: 1 + random.below(3) }, () => ({
        ...{ start: random.int64(), end: random.int64(), matchers: randomMatchers(random) },
      }));
      const body = readRequest(reads, random.chance(0.3) ? [1, 0] : []);
      const sent = random.chance(0.7)
        ? snappy(mutateBytes(body, random))
        : mutateBytes(snappy(body), random);
      const { status, bytes } = await postRead(server.port, Buffer.from(sent));
      refused.add(status);
      assert.oneOf(status, [200, 400, 413], `${round}: ${bytes.toString()}`);
    }
    assert.includeMembers([...refused], [200, 400]);
  });
});
