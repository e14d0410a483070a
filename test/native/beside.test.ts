/** A second open engine never mistakes the first one's objects for its own. */
import { assert } from 'chai';

import { type NativeEngineOptions } from '../../src/storage/native/contract.js';

import {
  addon,
  freshDirectory,
  optionsFor,
  rejectedBy,
  removeDirectories,
  strict,
} from './addon.js';

describe("an argument of another addon's class", () => {
  after(removeDirectories);

  it('is rejected if only its prototype is right', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    const request = engine.beginIngest(strict);
    Reflect.setPrototypeOf(request, Reflect.getPrototypeOf(engine));
    const empty: unknown = Object.create(Reflect.getPrototypeOf(engine));
    for (const beside of [request, empty, {}]) {
      const options = { ...optionsFor(freshDirectory()), beside } as NativeEngineOptions;
      assert.strictEqual(await rejectedBy(() => addon.openEngine(options)), 'invalid_argument');
    }
    await engine.close();
  });
});
