/**
 * Each request of native code to an object store, and what is known afterwards: over a store of the
 * tests, or over the one that SERIESDB_TEST_STORE names, as `npm run check:bucket` does.
 */
import { createHash, randomBytes } from 'node:crypto';

import { assert } from 'chai';

import { openStore } from '../../src/bucket/open-store.js';
import { parseBucketUrl } from '../../src/bucket/bucket-place.js';
import { findCredentials } from '../../src/bucket/credentials.js';
import { serveStore, type ServedStore } from '../../src/bucket/serve-store.js';
import { storeAddress } from '../../src/bucket/store-settings.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';

import type {
  NativeStore,
  NativeStoreAnswer,
  NativeStoreRequest,
} from '../../src/storage/native/store-contract.js';

const { SERIESDB_TEST_STORE: given } = process.env;
const prefix = `serve/${randomBytes(6).toString('hex')}`;

const plain: NativeStoreRequest = {
  ...{ id: 0, op: 'get', key: '', isCreate: false, body: null, bodyHash: '', range: null },
  ...{ after: '', countMax: 1000, upload: '', part: 0, tags: [], timeoutMs: 20_000 },
};

/** Native code as the client's thread sees it. */
class Asker implements NativeStore {
  readonly #waiting = new Map<number, (answer: NativeStoreAnswer) => void>();
  #queue: NativeStoreRequest[] = [];
  #taken: ((requests: NativeStoreRequest[] | null) => void) | null = null;
  #lastId = 0;

  share(): number {
    return 0;
  }

  take(): Promise<NativeStoreRequest[] | null> {
    return new Promise((resolve) => {
      this.#taken = resolve;
      this.#tell();
    });
  }

  settle(id: number, answer: NativeStoreAnswer): void {
    this.#waiting.get(id)?.(answer);
  }

  close(): void {
    this.#taken?.(null);
  }

  ask(asked: Partial<NativeStoreRequest>): Promise<NativeStoreAnswer> {
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#queue.push({ ...plain, ...asked, id });
      this.#tell();
    });
  }

  #tell(): void {
    if (this.#taken === null || this.#queue.length === 0) return;
    const taken = this.#taken;
    this.#taken = null;
    taken(this.#queue.splice(0));
  }
}

function sent(bytes: Buffer): Pick<NativeStoreRequest, 'body' | 'bodyHash'> {
  const body = new Uint8Array(bytes).buffer;
  return { body, bodyHash: createHash('sha256').update(bytes).digest('hex') };
}

describe('an object store that native code asks', function () {
  this.timeout(60_000);
  let own: ObjectStore | null = null;
  let served: ServedStore;
  let asker: Asker;

  before(async () => {
    own = given === undefined ? await startObjectStore() : null;
    const endpoint = own?.url ?? given;
    const credentials = own === null ? findCredentials(process.env) : keys;
    const place = parseBucketUrl(`s3://${bucketName}/${prefix}`);
    const asked = { endpoint, region: undefined, isPathStyle: undefined };
    const settings = { place, address: storeAddress(place, asked, {}), credentials };
    asker = new Asker();
    served = serveStore(asker, await openStore(settings));
  });
  after(async () => {
    await served.close();
    own?.close();
  });

  const put = (key: string, text: string, isCreate = false): Promise<NativeStoreAnswer> =>
    asker.ask({ op: 'put', key, isCreate, ...sent(Buffer.from(text)) });
  const textOf = ({ body }: NativeStoreAnswer): string => Buffer.from(body).toString();

  it('puts, gets whole and in part, and deletes', async () => {
    assert.deepInclude(await put('a/1', '0123456789'), { outcome: 'done', reason: '' });
    assert.strictEqual(textOf(await asker.ask({ key: 'a/1' })), '0123456789');
    const part = await asker.ask({ key: 'a/1', range: { offset: 3, size: 4 } });
    assert.deepEqual([part.outcome, textOf(part)], ['done', '3456']);
    const end = await asker.ask({ key: 'a/1', range: { offset: 8, size: 100 } });
    assert.strictEqual(textOf(end), '89');
    const behind = await asker.ask({ key: 'a/1', range: { offset: 10, size: 1 } });
    assert.deepEqual([behind.outcome, textOf(behind)], ['done', '']);
    assert.strictEqual((await asker.ask({ key: 'a/2' })).outcome, 'notFound');
    for (let times = 0; times < 2; times += 1) {
      assert.strictEqual((await asker.ask({ op: 'delete', key: 'a/1' })).outcome, 'done');
    }
    assert.strictEqual((await asker.ask({ key: 'a/1' })).outcome, 'notFound');
  });

  it('creates once', async () => {
    assert.strictEqual((await put('b', 'first', true)).outcome, 'done');
    assert.strictEqual((await put('b', 'second', true)).outcome, 'exists');
    assert.strictEqual(textOf(await asker.ask({ key: 'b' })), 'first');
    const wrong = await asker.ask({
      op: 'put',
      key: 'b',
      ...sent(Buffer.from('x')),
      bodyHash: '0',
    });
    assert.strictEqual(wrong.outcome, 'refused');
    assert.match(wrong.reason, /^4\d\d /);
  });

  it('lists in pages', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `c/${String(at)} é+%&`);
    for (const name of names) await put(name, name);
    await put('c0', 'a neighbour');
    const found: string[] = [];
    for (let hasMore = true; hasMore;) {
      const page = await asker.ask({
        op: 'list',
        key: 'c/',
        after: found.at(-1) ?? '',
        countMax: 4,
      });
      assert.strictEqual(page.outcome, 'done', page.reason);
      assert.isAtMost(page.keys.length, 4);
      assert.deepEqual(
        [...page.sizes],
        page.keys.map((key) => Buffer.byteLength(key)),
      );
      found.push(...page.keys);
      ({ hasMore } = page);
    }
    assert.deepEqual(found, names);
  });

  it('uploads in parts, and drops an upload', async () => {
    const key = 'd';
    const begun = await asker.ask({ op: 'beginUpload', key });
    assert.strictEqual(begun.outcome, 'done', begun.reason);
    const upload = begun.text;
    // All but the last part have 5 MiB at least.
    const parts = [randomBytes(5 * 1024 * 1024), randomBytes(1000)];
    const tags: string[] = [];
    for (const [at, bytes] of parts.entries()) {
      const answer = await asker.ask({ op: 'putPart', key, upload, part: at + 1, ...sent(bytes) });
      assert.strictEqual(answer.outcome, 'done', answer.reason);
      tags.push(answer.text);
    }
    assert.strictEqual((await asker.ask({ key })).outcome, 'notFound');
    const ended = await asker.ask({ op: 'endUpload', key, upload, tags });
    assert.strictEqual(ended.outcome, 'done', ended.reason);
    const whole = await asker.ask({ key });
    assert.isTrue(Buffer.concat(parts).equals(Buffer.from(whole.body)));
    const other = await asker.ask({ op: 'beginUpload', key: 'e' });
    const drop = { op: 'dropUpload', key: 'e', upload: other.text } as const;
    assert.strictEqual((await asker.ask(drop)).outcome, 'done');
    assert.strictEqual((await asker.ask(drop)).outcome, 'done');
    assert.strictEqual((await asker.ask({ key: 'e' })).outcome, 'notFound');
  });

  /** Whether a request to a store that takes longer than it may is told as such. */
  async function isLateKnown(): Promise<boolean> {
    const slow = await startObjectStore({ delayMs: 2000 });
    const place = parseBucketUrl(`s3://${bucketName}/${prefix}`);
    const asked = { endpoint: slow.url, region: undefined, isPathStyle: undefined };
    const settings = { place, address: storeAddress(place, asked, {}), credentials: keys };
    const late = new Asker();
    const answering = serveStore(late, await openStore(settings));
    const { outcome, reason } = await late.ask({ key: 'b', timeoutMs: 50 });
    await answering.close();
    slow.close();
    return outcome === 'notKnown' && /in time/.test(reason);
  }

  it('tells what it does not know', async () => {
    const lost = await asker.ask({ op: 'endUpload', key: 'f', upload: 'none', tags: ['"x"'] });
    // Stores differ in what they say of an id that they never gave.
    if (own === null) assert.notStrictEqual(lost.outcome, 'done');
    else assert.strictEqual(lost.outcome, 'notFound');
    if (own === null) return;
    assert.isTrue(await isLateKnown());
    own.close();
    const gone = await asker.ask({ key: 'b' });
    assert.strictEqual(gone.outcome, 'notKnown');
    assert.match(gone.reason, /ECONNREFUSED|closed|SOCKET/);
  });
});
