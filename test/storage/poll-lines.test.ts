import { assert } from 'chai';

import { pollLines } from '../../src/storage/poll-lines.js';
import { rejectedBy } from '../native/addon.js';
import { piecesOf } from '../support/fake-storage.js';

function lines(...kinds: readonly string[]) {
  return piecesOf(kinds.map((kind) => Buffer.from(`{"kind":"${kind}"}\n`)));
}

describe('polled lines', () => {
  it('arrive in order, and none is requested after the last', async () => {
    const asked = lines('plan', 'progress', 'end', 'more');
    const stream = pollLines(asked);
    const told = [];
    for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
      told.push(String(Buffer.from(piece)));
    }
    assert.deepEqual(told, ['{"kind":"plan"}\n', '{"kind":"progress"}\n', '{"kind":"end"}\n']);
    assert.strictEqual(asked.pulled, 3);
  });

  it('end at once when cancelled, also between two lines', async () => {
    const asked = lines(...Array.from({ length: 10 }, () => 'progress'));
    const stream = pollLines(asked);
    // By then it waits for long between two.
    for (let count = 0; count < 6; count += 1) await stream.next();
    const next = stream.next();
    stream.close();
    assert.strictEqual(await rejectedBy(() => next), 'closed');
    assert.isTrue(asked.isClosed);
    assert.strictEqual(asked.pulled, 6);
  });
});
