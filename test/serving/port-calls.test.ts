import { MessageChannel } from 'node:worker_threads';

import { assert } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { PortCalls } from '../../src/server/port-calls.js';

type Sums = Readonly<{
  sum: (numbers: readonly number[]) => number;
  later: (text: string) => Promise<string>;
  refuse: () => never;
  never: () => Promise<void>;
}>;

const offered: Sums = {
  sum: (numbers) => numbers.reduce((total, one) => total + one, 0),
  later: (text) => new Promise((resolve) => setImmediate(resolve, `${text}!`)),
  refuse: () => {
    throw new AppError('invalid_argument', 'not so');
  },
  never: () => new Promise(() => undefined),
};

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe('calls between threads', () => {
  const { port1, port2 } = new MessageChannel();
  const calls = new PortCalls<Sums>(port1, {});
  new PortCalls(port2, offered);
  after(() => {
    port1.close();
  });

  it('give each its own result, in whatever order they end', async () => {
    const [later, sum] = await Promise.all([
      calls.call('later', 'well'),
      calls.call('sum', [1, 2, 3]),
    ]);
    assert.deepEqual([later, sum], ['well!', 6]);
  });

  it('fail with the code and the sentence of the failure', async () => {
    const failure = await failureOf(calls.call('refuse', undefined));
    assert.instanceOf(failure, AppError);
    assert.deepInclude(failure, { code: 'invalid_argument', message: 'not so' });
  });

  it('are rejected when the other thread has ended, those that come later, too', async () => {
    const waiting = failureOf(calls.call('never', undefined));
    const end = new AppError('closed', 'the thread has ended');
    calls.end(end);
    assert.strictEqual(await waiting, end);
    assert.strictEqual(await failureOf(calls.call('sum', [1])), end);
  });
});
