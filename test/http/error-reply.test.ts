import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { catalog, type ErrorCode } from '../../src/common/errors/catalog.js';
import { errorReply } from '../../src/http/route/error-reply.js';

describe('errors as answers', () => {
  const codes = Object.keys(catalog) as ErrorCode[];

  it('ask to come again where that helps, and nowhere else', () => {
    const asking = codes.filter((code) =>
      (errorReply(new AppError(code, 'x')).headers ?? []).some(([name]) => name === 'retry-after'),
    );
    expect(asking).to.deep.equal(codes.filter((code) => catalog[code].retry));
    expect(asking).to.include.members(['ingest_backpressure', 'closed', 'too_many_queries']);
    expect(asking).to.not.include.members(['storage_corrupt', 'storage_unavailable']);
  });

  it('invite another try of no request that is wrong by itself', () => {
    for (const code of codes.filter((one) => catalog[one].retry)) {
      expect(catalog[code].status, code).to.be.at.least(500);
    }
  });
});
