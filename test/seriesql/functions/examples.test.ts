import { assert } from 'chai';

import {
  functionList,
  type ListedFunction,
} from '../../../src/query/seriesql/functions/function-list.js';
import { printJson } from '../../../src/query/seriesql/result/format.js';
import { Engines, type Answer } from '../compiled/engines.js';
import { removeDirectories } from '../../native/addon.js';

import { openDocumentedSeries } from './documented-series.js';

import type { Storage } from '../../../src/storage/storage.js';

describe('SeriesQL functions', () => {
  let storage: Storage;
  let engines: Engines;

  before(async () => {
    storage = await openDocumentedSeries();
    engines = new Engines(storage);
  });
  after(async () => {
    await storage.close();
    removeDirectories();
  });

  for (const one of functionList) {
    const { name, kind, example, answer } = one;

    it(`${kind} ${name} answers its example in both engines`, async () => {
      const legacy = await engines.answer(example, 'legacy');
      assert.strictEqual(printed(legacy), answer, example);
      const compiled = await engines.answer(example, 'compiled');
      assert.strictEqual(printed(compiled), answer, example);
      assert.strictEqual(compiled.columns, legacy.columns, example);
      if (kind !== 'scalar') assert.strictEqual(fallback(compiled), reasonOf(one), example);
    });

    if (kind !== 'scalar') continue;

    it(`scalar ${name} gives the same in keys and aggregates of both engines`, async () => {
      // The addon evaluates expressions there, and never those that are only shown.
      const query = example.replace(
        /^select (.*) (from .*)$/,
        'select $1, max($1), count($1) $2 group by $1',
      );
      assert.notStrictEqual(query, example);
      const legacy = await engines.answer(query, 'legacy');
      const compiled = await engines.answer(query, 'compiled');
      assert.isNotEmpty(legacy.rows, query);
      assert.deepEqual(compiled.rows, legacy.rows, query);
      assert.strictEqual(compiled.columns, legacy.columns, query);
      assert.isNull(fallback(compiled), query);
    });
  }

  it('have an example of one column that names them, and a description', () => {
    for (const { name, example, sentence } of functionList) {
      assert.match(example, new RegExp(`^select .*\\b${name}\\(.* from `), name);
      assert.match(sentence, /^[A-Z0-9-].*\.$/, name);
    }
  });
});

function printed({ rows }: Answer): string {
  return rows.map(([value = null]) => printJson(value)).join(', ');
}

function fallback({ stats }: Answer): string | null {
  return stats?.fallback_reason ?? null;
}

function reasonOf({ kind, isLowered }: ListedFunction): string | null {
  if (isLowered) return null;
  return kind === 'window' ? 'unsupported_function' : 'unsupported_aggregate';
}
