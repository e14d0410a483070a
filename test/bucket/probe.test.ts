/** `seriesdb bucket probe` finds out what a store does wrong, by its name. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { runCli } from '../support/cli.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

type Faults = Parameters<typeof startObjectStore>[0];

interface Told {
  readonly code: number | null;
  readonly err: string;
  /** The verdict and the text of each test. */
  readonly findings: ReadonlyMap<string, readonly [string, string]>;
}

const environment = {
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  ...{ AWS_PROFILE: '', AWS_SESSION_TOKEN: '', AWS_REGION: '', AWS_ENDPOINT_URL: '' },
};

describe('the probe of an object store', () => {
  const stores: ObjectStore[] = [];
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
  });

  async function storeWith(faults: Faults = {}): Promise<ObjectStore> {
    const store = await startObjectStore(faults);
    stores.push(store);
    return store;
  }

  async function probed(
    url: string,
    { env = {}, place = `s3://${bucketName}/of/a-(test)` } = {},
  ): Promise<Told> {
    const args = ['bucket', 'probe', place, '--endpoint', url, '--json'];
    const { code, out, err } = await runCli(args, { env: { ...environment, ...env } });
    const lines = out.trim().split('\n').filter(Boolean);
    const rows = lines.map((line) => JSON.parse(line) as Record<string, string>);
    const findings = rows.map(
      ({ test = '', verdict = '', text = '' }) => [test, [verdict, text] as const] as const,
    );
    return { code, err, findings: new Map(findings) };
  }

  it('passes a store that keeps its promises, and leaves nothing there', async () => {
    const store = await storeWith();
    const { code, err, findings } = await probed(store.url);
    assert.deepEqual([code, err], [0, '']);
    assert.deepEqual(
      [...findings].map(([name, [verdict]]) => [name, verdict]),
      [
        'access',
        'create',
        'taken',
        'hash',
        'range',
        'list',
        'delete',
        'versioning',
        'lifecycle',
      ].map((name) => [name, 'ok']),
    );
    assert.deepEqual([...store.objects.keys()], []);
    const written = store.asked.filter((line) => line.startsWith('PUT'));
    assert.isAtLeast(written.length, 20);
    for (const line of written)
      assert.match(line, /^PUT \/metrics\/of\/a-%28test%29\/nodes\/probe-/);
  });

  const wrong: Readonly<Record<string, readonly [Faults, string, RegExp]>> = {
    'ignores the condition': [{ isIgnoring: true }, 'create', /20 of 20 writers created the same/],
    'knows no condition': [{ isWithoutConditions: true }, 'create', /501 NotImplemented/],
    'stores what it refuses': [{ isStoringRefused: true }, 'taken', /does not return what was PUT/],
    'does not compare hashes': [{ isBlind: true }, 'hash', /do not match their SHA-256/],
    'reads no parts': [{ isWhole: true }, 'range', /answered with 200/],
    'lists a neighbour': [{ isListingAll: true }, 'list', /list0/],
    'deletes nothing': [{ isKeeping: true }, 'delete', /what is deleted is there/],
    'expires objects': [{ expiring: 'of/' }, 'lifecycle', /a rule expires objects/],
    'moves objects to Glacier': [{ freezing: 'of/' }, 'lifecycle', /where they cannot be read/],
  };
  for (const [what, [faults, test, text]] of Object.entries(wrong)) {
    it(`fails a store that ${what}`, async () => {
      const store = await storeWith(faults);
      const { code, findings } = await probed(store.url);
      assert.strictEqual(code, 1);
      const [verdict, told] = findings.get(test) ?? [];
      assert.strictEqual(verdict, 'failed');
      assert.match(told ?? '', text);
    });
  }

  it('warns of versions, and not of rules for other keys', async () => {
    const store = await storeWith({ versioning: 'Enabled', expiring: 'other/' });
    const { code, findings } = await probed(store.url);
    assert.strictEqual(code, 0);
    assert.strictEqual(findings.get('versioning')?.[0], 'warning');
    assert.strictEqual(findings.get('lifecycle')?.[0], 'ok');
  });

  it('warns of a gateway that waits for delayed acknowledgements', async () => {
    const store = await storeWith({ delayMs: 40 });
    const { code, findings } = await probed(store.url);
    assert.strictEqual(code, 0);
    assert.match(findings.get('access')?.[1] ?? '', /tcp_nodelay=1/);
  });

  it('asks again where a connection breaks, served or not', async () => {
    const store = await storeWith({ breaksEvery: 4 });
    const { code, findings } = await probed(store.url);
    assert.strictEqual(code, 0, JSON.stringify([...findings]));
  });

  it('takes the clock of the store', async () => {
    const store = await storeWith({ skewMs: -3_600_000 });
    assert.strictEqual((await probed(store.url)).code, 0);
  });

  it('reads keys of a profile', async () => {
    const folder = temporaryDirectory();
    const file = path.join(folder, 'keys', 'credentials');
    mkdirSync(path.dirname(file));
    const section = `aws_access_key_id = ${keys.accessKeyId}\naws_secret_access_key = ${keys.secretAccessKey}\n`;
    writeFileSync(file, `[default]\naws_access_key_id = OTHER\n\n# ours\n[writer.eu]\n${section}`);
    const store = await storeWith();
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const env = { ...none, AWS_PROFILE: 'writer.eu', AWS_SHARED_CREDENTIALS_FILE: file };
    const { code, err } = await probed(store.url, { env });
    removeDirectory(folder);
    assert.deepEqual([code, err], [0, '']);
  });

  it('says what keeps it from the store', async () => {
    const store = await storeWith();
    const gone = await storeWith();
    gone.close();
    const lines: string[] = [];
    const add = ({ code, findings }: Told): void => {
      lines.push(`${String(code)} ${findings.get('access')?.join(' ') ?? ''}`);
    };
    add(await probed(store.url, { env: { AWS_SECRET_ACCESS_KEY: 'wrong' } }));
    add(await probed(store.url, { place: 's3://other-bucket' }));
    add(await probed(gone.url));
    const port = new URL(gone.url).port;
    assert.deepEqual(lines, [
      '1 failed the keys may not read and list the bucket: 403 SignatureDoesNotMatch for a test & no more',
      '1 failed there is no such bucket',
      `1 failed the store does not answer: connect ECONNREFUSED 127.0.0.1:${port} ECONNREFUSED`,
    ]);
  });

  const misused: Readonly<Record<string, readonly [string, readonly string[], RegExp]>> = {
    'another scheme': ['http://metrics/x', [], /no place on an object store: write s3:/],
    'a bad bucket': ['s3://Metrics/x', [], /a bucket has 3 to 63 small letters/],
    'a prefix with an empty part': ['s3://metrics/a//b', [], /parts of a prefix have letters/],
    'a prefix that climbs': ['s3://metrics/a/../b', [], /parts of a prefix have letters/],
    'an endpoint with a path': ['s3://metrics', ['--endpoint', 'http://x/y'], /no endpoint/],
    'an endpoint with a secret': [
      's3://metrics',
      ['--endpoint', 'http://me:secret@x/'],
      /"http:\/\/x\/" is no endpoint/,
    ],
    'a host of numbers that names the bucket': [
      's3://metrics',
      ['--endpoint', 'http://127.0.0.1:1', '--no-path-style'],
      /use --path-style/,
    ],
    'a bad region': ['s3://metrics', ['--region', 'a b'], /"a b" is no region/],
  };
  for (const [what, [place, flags, text]] of Object.entries(misused)) {
    it(`refuses ${what}`, async () => {
      const args = ['bucket', 'probe', place, ...flags];
      const { code, out, err } = await runCli(args, { env: environment });
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, text);
    });
  }

  it('refuses a profile that is not there, though the environment has keys', async () => {
    const env = { ...environment, AWS_PROFILE: 'gone', HOME: '/nowhere' };
    const { code, err } = await runCli(['bucket', 'probe', 's3://metrics/x'], { env });
    assert.strictEqual(code, 2);
    assert.include(
      err,
      '/nowhere/.aws/credentials has no keys for the profile gone of AWS_PROFILE',
    );
  });

  it('needs keys', async () => {
    const env = { ...environment, AWS_ACCESS_KEY_ID: '', HOME: '/nowhere' };
    const { code, err } = await runCli(['bucket', 'probe', 's3://metrics/x'], { env });
    assert.strictEqual(code, 2);
    assert.include(err, 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into');
  });
});
