import { expect } from 'chai';

import { createTokenCheck } from '../../src/auth/token.js';

describe('the token check', () => {
  it('lets all pass when no token is set', () => {
    expect(createTokenCheck(null)(undefined)).to.equal(true);
  });

  it('takes only the token, under the Bearer scheme in any case', () => {
    const isAllowed = createTokenCheck('sésame');
    expect(isAllowed('Bearer sésame')).to.equal(true);
    expect(isAllowed('bEARER sésame')).to.equal(true);
    for (const wrong of [undefined, '', 'Bearer', 'Bearer ', 'Bearer sesame', 'Basic sésame']) {
      expect(isAllowed(wrong), String(wrong)).to.equal(false);
    }
  });
});
