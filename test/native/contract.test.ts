import { execFileSync } from 'node:child_process';

import { assert } from 'chai';

import { catalog } from '../../src/common/errors/catalog.js';
import { nativeExports } from '../../src/storage/native/exports.js';
import { nativeNames } from '../../src/storage/native/names.js';
import { addonFile } from '../../src/storage/native/load.js';

import {
  addon,
  addonPath,
  freshDirectory,
  openAll,
  optionsFor,
  removeDirectories,
  strict,
  thrownBy,
} from './addon.js';

/** More methods would make a second interface instead of a contract. */
const methodMax = 39;

function methodsOf(handle: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(handle);
  assert.isObject(prototype);
  const names = Object.getOwnPropertyNames(prototype);
  return names.filter((name) => name !== 'constructor').sort();
}

describe('the contract with the addon', () => {
  after(removeDirectories);

  // Other exported names would bind to Node's copies of the C++ library's inline functions.
  it('exports only the two symbols that Node looks up', () => {
    const options = ['-D', '--defined-only', addonPath ?? addonFile()];
    const listed = execFileSync('nm', options, { encoding: 'utf8' });
    const names = listed
      .trim()
      .split('\n')
      .map((line) => line.split(' ').at(-1));
    assert.sameMembers(names, ['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
  });

  it('lists what the addon exports, and nothing else', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    assert.deepEqual(Object.keys(addon).sort(), [...nativeExports.addon]);
    assert.deepEqual(methodsOf(engine), [...nativeExports.engine]);
    assert.deepEqual(methodsOf(engine.beginIngest(strict)), [...nativeExports.ingest]);
    assert.deepEqual(methodsOf(openAll(engine)), [...nativeExports.jsonReader]);
    const query = {
      answer: 'columns',
      series: new BigUint64Array(),
      ranges: new BigInt64Array(),
    } as const;
    const reader = engine.openQuery(query);
    assert.deepEqual(methodsOf(reader), [...nativeExports.queryReader]);
    const text = { columns: [], rowEnd: '', between: '', isCsv: false, order: [] };
    const prepared = engine.prepareQuery({ of: query, ...text, offset: 0, limit: Infinity });
    assert.deepEqual(methodsOf(prepared), [...nativeExports.prepared]);
    assert.deepEqual(methodsOf(engine.beginDecoder('snappy')), [...nativeExports.decoder]);
    assert.deepEqual(methodsOf(addon.makeStore()), [...nativeExports.store]);
    await engine.close();
  });

  it('has no properties besides the methods', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    for (const handle of [engine, engine.beginIngest(strict), openAll(engine)]) {
      assert.deepEqual(Reflect.ownKeys(handle), []);
    }
    await engine.close();
  });

  it('is small', () => {
    const count = Object.values(nativeExports).reduce((sum, names) => sum + names.length, 0);
    assert.isAtMost(count, methodMax);
  });

  it('raises only codes of the error catalogue', () => {
    const names = addon.facts().statuses;
    assert.isAbove(names.length, 10);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(catalog, name)),
      [],
    );
    assert.strictEqual(new Set(names).size, names.length);
  });

  it("computes functions close to JavaScript's results, and rejects an unknown one", () => {
    const [exp, ln, log10, log2, pow] = nativeNames.math.map(
      (_, code) =>
        (x: number, y = 0): number =>
          addon.math(code, x, y),
    );
    for (const x of [0.1, 1, 2.5, 10, 700]) {
      assert.closeTo((exp?.(x) ?? 0) / Math.exp(x), 1, 1e-15);
      assert.closeTo(ln?.(x) ?? NaN, Math.log(x), 1e-14);
      assert.closeTo(log10?.(x) ?? NaN, Math.log10(x), 1e-14);
      assert.closeTo(log2?.(x) ?? NaN, Math.log2(x), 1e-14);
      assert.closeTo((pow?.(x, 1.5) ?? 0) / Math.pow(x, 1.5), 1, 1e-14);
    }
    assert.strictEqual(ln?.(0), -Infinity);
    assert.isNaN(pow?.(NaN, 0));
    const loose = addon as unknown as { math: (...args: readonly unknown[]) => unknown };
    for (const args of [[], [5, 1, 1], [-1, 1, 1], ['exp', 1, 1], [0, 1n, 1], [0, 1]]) {
      assert.strictEqual(
        thrownBy(() => loose.math(...args)),
        'invalid_argument',
      );
    }
  });

  it('sends nothing if it cannot, and reports it', () => {
    const long = 'x'.repeat(9_000);
    assert.strictEqual(addon.sendNow(-1, 'a', Uint8Array.of(1)), -1);
    assert.strictEqual(addon.sendNow(process.stdin.fd, long, null), -1);
    const loose = addon as unknown as { sendNow: (...args: readonly unknown[]) => unknown };
    for (const args of [[], [1, 'a'], ['1', 'a', null], [1, 'a', 'b'], [1, 2, null]]) {
      assert.strictEqual(
        thrownBy(() => loose.sendNow(...args)),
        'invalid_argument',
      );
    }
  });

  it('has no unconfirmed bytes where there is no socket', () => {
    const loose = addon as unknown as { unconfirmedBytes: (one?: unknown) => unknown };
    for (const one of [-1, 1e9, 'x', undefined]) assert.strictEqual(loose.unconfirmedBytes(one), 0);
  });

  it('frees given buffers, and rejects other values', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    addon.freeBuffer(bytes.buffer);
    assert.lengthOf(bytes, 0);
    addon.freeBuffer(bytes.buffer);
    const loose = addon as unknown as { freeBuffer: (...args: readonly unknown[]) => unknown };
    for (const args of [[], [bytes], [null], [new SharedArrayBuffer(8)], ['text']]) {
      assert.strictEqual(
        thrownBy(() => loose.freeBuffer(...args)),
        'invalid_argument',
      );
    }
  });

  it('names the kernels', () => {
    assert.match(addon.facts().kernel, /^[a-z0-9]+$/);
  });
});
