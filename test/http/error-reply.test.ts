import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { catalog, type ErrorCode } from '../../src/common/errors/catalog.js';
import { errorReply } from '../../src/http/route/error-reply.js';

describe('error answers', () => {
  const codes = Object.keys(catalog) as ErrorCode[];

  it('have Retry-After only if a retry can help', () => {
    const asking = codes.filter((code) =>
      (errorReply(new AppError(code, 'x')).headers ?? []).some(([name]) => name === 'retry-after'),
    );
    expect(asking).to.deep.equal(codes.filter((code) => catalog[code].retry));
    expect(asking).to.include.members(['ingest_backpressure', 'closed', 'bucket_unavailable']);
    expect(asking).to.not.include.members(['storage_corrupt', 'storage_unavailable', 'fenced']);
  });

  it('never ask to retry an invalid request', () => {
    for (const code of codes.filter((one) => catalog[one].retry)) {
      expect(catalog[code].status, code).to.be.at.least(500);
    }
  });
});
