/** The thread that sends native code's requests to an object store. */
import path from 'node:path';

import { assert } from 'chai';

import { addressesOf } from '../../src/bucket/open-store.js';
import { parseBucketUrl } from '../../src/bucket/bucket-place.js';
import { storeAddress, type StoreSettings } from '../../src/bucket/store-settings.js';
import { StoreThread } from '../../src/bucket/store-thread.js';
import { openNativeWork } from '../../src/storage/native-storage.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const addonPath = process.env['SDB_TEST_ADDON'];

describe('the thread of an object store', function () {
  this.timeout(60_000);
  let scratch = '';
  let store: ObjectStore;
  let thread: StoreThread | null = null;
  const lost: string[] = [];

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
    lost.length = 0;
  });
  afterEach(async () => {
    await thread?.close();
    thread = null;
    store.close();
    removeDirectory(scratch);
  });

  function settings(credentials: StoreSettings['credentials'] = keys): StoreSettings {
    const place = parseBucketUrl(`s3://${bucketName}/db`);
    const asked = { endpoint: store.url, region: undefined, isPathStyle: undefined };
    return { place, address: storeAddress(place, asked, {}), credentials };
  }

  async function start(own = settings()): Promise<StoreThread> {
    const addresses = await addressesOf(own);
    const onLost = (reason: string): void => void lost.push(reason);
    thread = await StoreThread.start({ settings: own, addresses, addonPath, onLost });
    return thread;
  }

  /** A restore of a database that is not there: it asks for some objects, and fails. */
  function askOnce({ number }: StoreThread): Promise<string> {
    const target = path.join(scratch, 'restored');
    const bucket = { store: number, entry: null };
    const work = { report: 'restore', directory: 's3://b/db', bucket, target } as const;
    return messageOf(async () => openNativeWork({ ...work, snapshot: null }, addonPath).next());
  }

  const count = (one: StoreThread, op: string, outcome: string): number =>
    one.counts.requests().find((row) => row.op === op && row.outcome === outcome)?.count ?? 0;

  it('sends requests, and counts them by what is known', async () => {
    const one = await start();
    await askOnce(one);
    assert.isAbove(count(one, 'get', 'not_found'), 0);
    assert.isAbove(store.asked.length, 0);
    assert.strictEqual(one.failure, null);
    await one.close();
    await one.close();
    assert.deepEqual(lost, []);
  });

  it('signs with other keys after a reload', async () => {
    const one = await start(settings({ accessKeyId: 'AKOLD', secretAccessKey: 'old' }));
    await askOnce(one);
    assert.isAbove(count(one, 'get', 'refused'), 0);
    one.renew(settings());
    // A request may be on its way when the order comes.
    for (let tries = 0; tries < 100 && count(one, 'get', 'not_found') === 0; tries += 1) {
      await askOnce(one);
    }
    assert.isAbove(count(one, 'get', 'not_found'), 0);
  });

  it('is told of if it ends by a failure', async () => {
    const one = await start();
    // No such settings: the thread fails.
    one.renew(JSON.parse('null') as StoreSettings);
    while (one.failure === null) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.lengthOf(lost, 1);
    assert.match(one.failure, /the thread that asks the object store has ended \(.*\); restart/);
    assert.include(await askOnce(one), 'the client of the store has ended');
  });

  it('rejects if the thread does not start', async () => {
    const own = settings();
    const addresses = await addressesOf(own);
    const missing = path.join(scratch, 'no.node');
    const options = { settings: own, addresses, addonPath: missing, onLost: () => undefined };
    assert.include(await messageOf(() => StoreThread.start(options)), 'there is no addon');
  });
});

/** The message with which it rejects. */
async function messageOf(failing: () => Promise<unknown>): Promise<string> {
  try {
    await failing();
    return 'it resolved';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
