import { assert } from 'chai';

import { SeriesDbError } from '../../src/client/client.js';

/** The SeriesDbError with which a promise rejects; fails when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<SeriesDbError> {
  try {
    await promise;
  } catch (error) {
    assert.instanceOf(error, SeriesDbError);
    return error;
  }
  throw new Error('it resolved');
}
