/** The bucket of a server before its engine is opened. */
import { assert } from 'chai';

import { resolveSettings } from '../../src/config/resolve.js';
import { openBucket, type OwnBucket } from '../../src/open-bucket.js';
import { storeOf } from '../../src/store-of.js';
import { createLog } from '../../src/telemetry/log.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';

const environment = {
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
};
const settingsOf = (values: Record<string, unknown>) =>
  resolveSettings({ file: new Map(Object.entries(values)) }).settings;

describe('the bucket of a server', function () {
  this.timeout(30_000);
  const stores: ObjectStore[] = [];
  const opened: OwnBucket[] = [];
  after(async () => {
    for (const one of opened) await one.close();
    for (const one of stores) one.close();
  });

  async function started(...faults: Parameters<typeof startObjectStore>): Promise<ObjectStore> {
    const store = await startObjectStore(...faults);
    stores.push(store);
    return store;
  }

  async function open(
    values: Record<string, unknown>,
    { answerMs = 20_000, signal = new AbortController().signal } = {},
  ): Promise<OwnBucket> {
    const lines: string[] = [];
    const log = createLog({ level: 'info', sink: (line) => lines.push(line) });
    const addonPath = process.env['SDB_TEST_ADDON'];
    const settings = settingsOf(values);
    const bucket = await openBucket({ settings, environment, addonPath, log, signal, answerMs });
    if (bucket === null) throw new Error('the settings name no bucket');
    opened.push(bucket);
    return bucket;
  }

  const url = `s3://${bucketName}/db`;
  const failureOf = (opening: Promise<unknown>): Promise<AppError> =>
    opening.then(
      () => assert.fail('it was opened'),
      (error: unknown) => {
        assert.instanceOf(error, AppError);
        return error;
      },
    );

  it('is what the settings name, with their defaults', async () => {
    const { url: endpoint } = await started();
    const named = { 'bucket.url': url, 'bucket.endpoint': endpoint, listen: '0.0.0.0:8080' };
    const { options, facts } = await open(named);
    const { node, address, groupMs, ack } = options;
    assert.deepEqual([address, groupMs, ack], [`${node}:8080`, 1000, 'local']);
    assert.deepEqual([options.url, facts.url, facts.failure()], [url, url, null]);
    const waited = await open({
      ...named,
      ...{ 'bucket.ack': 'bucket', 'bucket.node': 'n', 'bucket.advertise': 'db.example:1' },
    });
    const { node: other, address: said, groupMs: sooner } = waited.options;
    assert.deepEqual([other, said, sooner], ['n', 'db.example:1', 250]);
    const port = await open({ ...named, listen: '127.0.0.1:0' });
    assert.strictEqual(port.options.address, '');
  });

  it('is asked again while it does not answer, and then given up', async () => {
    const away = await startObjectStore();
    away.close();
    const named = { 'bucket.url': url, 'bucket.endpoint': away.url };
    const error = await failureOf(open(named, { answerMs: 5000 }));
    assert.strictEqual(error.code, 'bucket_unavailable');
    assert.match(
      error.message,
      /^s3:\/\/metrics\/db did not answer within 5 s: the store does not/,
    );
  });

  it('may answer badly at first', async () => {
    const { url: endpoint } = await started({ breaksEvery: 4 });
    await open({ 'bucket.url': url, 'bucket.endpoint': endpoint });
  });

  it('is refused for a wrong answer', async () => {
    for (const fault of [{ isBlind: true }, { isWithoutConditions: true }, { isWhole: true }]) {
      const { url: endpoint } = await started(fault);
      const error = await failureOf(open({ 'bucket.url': url, 'bucket.endpoint': endpoint }));
      assert.strictEqual(error.code, 'invalid_configuration', JSON.stringify(fault));
      assert.include(error.message, 'is not fit for a database');
    }
  });

  it('has keys of the settings, else of the environment', () => {
    const own = { 'bucket.access_key_id': 'AK', 'bucket.secret_access_key': 'x' };
    const of = (values: Record<string, unknown>) =>
      storeOf(settingsOf({ 'bucket.url': url, ...values }), environment)?.credentials;
    assert.deepEqual(of({}), keys);
    assert.deepEqual(of(own), { accessKeyId: 'AK', secretAccessKey: 'x' });
    const expiring = { ...own, 'bucket.session_token': 't' };
    assert.deepEqual(of(expiring)?.sessionToken, 't');
    assert.isNull(storeOf(settingsOf({}), environment));
  });
});
