import { assert } from 'chai';

import { nativeNames, type NativeName } from '../../src/storage/native/names.js';
import { kStageBuckets, nativeBlockFigures } from '../../src/storage/native/stats-contract.js';

import type { NativeListQuery, NativeQuery } from '../../src/storage/native/contract.js';
import type { NativeGroupKey } from '../../src/storage/native/expression-contract.js';

import { addon, freshDirectory, optionsFor, removeDirectories } from './addon.js';

/** Every kind of the contract's two unions that differ by it; a missing kind does not compile. */
const queries: Readonly<Record<(NativeQuery | NativeListQuery)['answer'], NativeName<'queries'>>> =
  { columns: 'columns', groups: 'groups', rows: 'rows', list: 'list' };
const keys: Readonly<Record<NativeGroupKey['kind'], NativeName<'keys'>>> = {
  bucket: 'bucket',
  metric: 'metric',
  series_id: 'series_id',
  label: 'label',
  expression: 'expression',
  column: 'column',
};

describe('the names shared with the addon', () => {
  after(removeDirectories);

  it('are the same words with the same numbers on both sides', () => {
    assert.deepEqual(addon.facts().names, nativeNames);
    assert.sameMembers(Object.keys(queries), [...nativeNames.queries]);
    assert.sameMembers(Object.keys(keys), [...nativeNames.keys]);
  });

  it('match the rows and columns of statistics in number', async () => {
    const engine = await addon.openEngine(
      optionsFor(freshDirectory(), { allocator: 'small_pool' }),
    );
    const stages = kStageBuckets + nativeNames.stages.length * (kStageBuckets + 1);
    const told = engine.stats();
    assert.lengthOf(told.stages, stages);
    const ofBlocks = told.blocks ?? new Float64Array();
    assert.isAbove(ofBlocks.length, 0);
    const width = nativeBlockFigures.length;
    // From 16 bytes on, each class is twice as large as the one before.
    const sizes = ofBlocks.filter((_, at) => at % width === 0);
    assert.deepEqual(
      [...sizes],
      Array.from({ length: ofBlocks.length / width }, (_, row) => 16 * 2 ** row),
    );
    await engine.close();
  });
});
