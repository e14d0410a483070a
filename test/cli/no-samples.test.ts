/** The suggestion of `query range` for a metric that does not exist. */
import { assert } from 'chai';

import { whatIsWrong } from '../../src/cli/querying/no-samples.js';

import type { MetricDescriptor } from '../../src/client/client.js';
import type { TimedContext } from '../../src/cli/session/client-context.js';

/** A client of a server with these metrics in order. */
function contextOf(names: readonly string[], asked: string[]): TimedContext {
  const client = {
    findSeries: () => Promise.resolve([]),
    findMetrics: ({ prefix = '', limit = 0 }: { prefix?: string; limit?: number }) => {
      asked.push(prefix);
      const found = names.filter((name) => name.startsWith(prefix)).slice(0, limit);
      return Promise.resolve(found.map((metric) => ({ metric }) as MetricDescriptor));
    },
  };
  // The explanation calls nothing else.
  return { client, signal: AbortSignal.timeout(60_000) } as unknown as TimedContext;
}

describe('an unknown metric', () => {
  it('is compared with metrics of the same first character', async () => {
    const asked: string[] = [];
    const told = await whatIsWrong(contextOf(['cpu.idle', 'cpu.user'], asked), 'cpu.usr', null);
    assert.strictEqual(told, 'no metric cpu.usr; did you mean cpu.user?');
    assert.deepEqual(asked, ['c']);
  });

  it('is compared with metrics of the same four characters, if too many share the first', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => `c.${String(at).padStart(4, '0')}`);
    const asked: string[] = [];
    const told = await whatIsWrong(contextOf([...many, 'cpu.user'], asked), 'cpu.usr', null);
    assert.strictEqual(told, 'no metric cpu.usr; did you mean cpu.user?');
    assert.deepEqual(asked, ['c', 'cpu.']);
  });
});
