/** Metrics for hints: a list is bounded in bytes, because no memory account counts it. */
import { assert } from 'chai';

import { foundMetrics } from '../../src/operations/names/found-metrics.js';
import { KnownMetrics } from '../../src/operations/names/known-metrics.js';

import { FakeStorage } from '../support/fake-storage.js';

import type { ByteStream } from '../../src/storage/storage.js';

/** A list of metrics, each with these labels, that counts its pieces. */
class Listed implements ByteStream {
  given = 0;
  isClosed = false;
  readonly #count: number;
  readonly #keysOf: (at: number) => readonly string[];

  constructor(count: number, keysOf: (at: number) => readonly string[]) {
    this.#count = count;
    this.#keysOf = keysOf;
  }

  next(): Promise<Buffer | null> {
    if (this.given > this.#count) return Promise.resolve(null);
    const at = this.given++;
    const metric = { metric: `m${at}`, kind: 'gauge', label_keys: this.#keysOf(at) };
    const row = at < this.#count ? JSON.stringify(metric) : '';
    const text = `${at === 0 ? '[' : ''}${row}${at < this.#count - 1 ? ',\n' : ''}`;
    return Promise.resolve(Buffer.from(at < this.#count ? text : ']'));
  }

  close(): void {
    this.isClosed = true;
  }
}

const storageOf = (stream: Listed): FakeStorage => Object.assign(new FakeStorage(), { stream });
const longKey = (name: string): string => name.padEnd(200, 'x');
const manyKeys = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => longKey(`${prefix}${at}_`));

describe('metrics that a hint compares', () => {
  it('are all that were asked for, if their labels are short', async () => {
    const stream = new Listed(2000, () => ['host', 'region']);
    const found = await foundMetrics(storageOf(stream), { prefix: 'm', limit: 2000 });
    assert.deepEqual([found.length, found[1999]?.metric], [2000, 'm1999']);
    assert.isTrue(stream.isClosed);
  });

  it('end after 4 MiB of names and labels', async () => {
    const stream = new Listed(2000, () => manyKeys('k', 100));
    const found = await foundMetrics(storageOf(stream), { prefix: 'm', limit: 2000 });
    assert.isBelow(found.length * 20_000, 5 * 1024 * 1024);
    assert.isAbove(found.length * 20_000, 3 * 1024 * 1024);
    assert.isAtMost(stream.given, found.length + 2);
    assert.isTrue(stream.isClosed);
  });

  it('have at least one, however many labels it has', async () => {
    const stream = new Listed(3, () => manyKeys('k', 40_000));
    const found = await foundMetrics(storageOf(stream), { prefix: 'm', limit: 3 });
    assert.deepEqual(
      found.map(({ metric }) => metric),
      ['m0'],
    );
  });

  it('of a family are examined up to 10,000 labels; with more there is no note', async () => {
    const target = { kind: 'family', prefix: 'm' } as const;
    const asked = { keys: ['hots'], counterFunction: null };
    for (const [each, noteCount] of [
      [4, 1],
      [6, 0],
    ] as const) {
      const stream = new Listed(2000, (at) => ['host', ...manyKeys(`k${at}_`, each)]);
      const selection = { target } as Parameters<KnownMetrics['notesOn']>[0];
      const notes = await new KnownMetrics(storageOf(stream)).notesOn(selection, asked);
      assert.lengthOf(notes, noteCount);
      assert.strictEqual(stream.given < 2000, noteCount === 0);
    }
  });
});
