import { assert } from 'chai';

import { SeriesDbError } from '../../src/client/client.js';
import { CommandFailure } from '../../src/cli/session/failure.js';
import { plainEnds } from '../../src/cli/loading/line-ends.js';
import { Sender } from '../../src/cli/loading/sender.js';

import type { LineBatch } from '../../src/cli/loading/line-batches.js';

const start = { offset: 0, line: 0 };
const bytes = Buffer.from('a\n');
const to = { offset: 2, line: 1 };
const batch: LineBatch = { bytes, lineCount: 1, from: start, to, ends: plainEnds };

/** A server that refuses once for each wait, and then takes the lines. */
function senderTo(waits: readonly number[], waitMs: number): [Sender, number[], string[]] {
  const askedAtMs: number[] = [];
  const notices: string[] = [];
  const ingest = (): Promise<{
    ingested: number;
    rejected: number;
    errors: [];
    skipped: 0;
    warnings: [];
  }> => {
    const retryAfterMs = waits[askedAtMs.length];
    askedAtMs.push(performance.now());
    if (retryAfterMs === undefined)
      return Promise.resolve({ ingested: 1, rejected: 0, errors: [], skipped: 0, warnings: [] });
    const head = { code: 'ingest_backpressure', status: 503, message: 'no room' };
    return Promise.reject(new SeriesDbError({ ...head, retryAfterMs }));
  };
  const target = {
    ...{ name: 'a server', ingest, close: () => Promise.resolve() },
    importCsv: () => Promise.reject(new Error('no table is sent')),
    unit: () => Promise.resolve('ms' as const),
    isOwn: false,
  };
  const { signal } = new AbortController();
  const notice = (text: string): number => notices.push(text);
  const sender = new Sender({ target, isLenient: false, waitMs, signal, notice });
  return [sender, askedAtMs, notices];
}

async function failureOf(sender: Sender): Promise<string> {
  try {
    for await (const sent of sender.send(batch)) assert.fail(String(sent.ingested));
  } catch (error) {
    if (error instanceof CommandFailure) return error.message;
    throw error;
  }
  return '';
}

describe('the sender of a load', () => {
  it('waits at least as long as Retry-After says', async () => {
    const [sender, askedAtMs, notices] = senderTo([2200], 60_000);
    for await (const { ingested } of sender.send(batch)) assert.strictEqual(ingested, 1);
    // A timer may fire a millisecond before its time.
    assert.isAtLeast((askedAtMs[1] ?? 0) - (askedAtMs[0] ?? 0), 2199);
    assert.deepEqual(notices, ['the server is busy (ingest_backpressure); waiting up to 60 s']);
  });

  it('gives up at once if Retry-After exceeds its remaining retry time', async () => {
    const [sender, askedAtMs, notices] = senderTo([61_000], 60_000);
    assert.strictEqual(
      await failureOf(sender),
      'the server asks to wait 61 s, longer than the rest of --wait (60 s): no room (ingest_backpressure)',
    );
    assert.lengthOf(askedAtMs, 1);
    assert.deepEqual(notices, []);
    const [second, askedTwice] = senderTo([0, 59_999], 60_000);
    assert.match(
      await failureOf(second),
      /^the server asks to wait 59\.999 s, longer than the rest of --wait/,
    );
    assert.lengthOf(askedTwice, 2);
  });
});
