import { expect } from 'chai';

import {
  createTokenCheck,
  digestOf,
  tokenOfSetting,
  tokenScopes,
  type TokenEntry,
} from '../../src/auth/token.js';

const named = (name: string, scopes: TokenEntry['scopes']): TokenEntry => ({
  name,
  scopes,
  digest: digestOf(`secret of ${name}`),
});

describe('the token check', () => {
  it('lets all pass, to all, when no token is asked for', () => {
    const caller = createTokenCheck(null)(undefined);
    expect(caller?.name).to.equal(null);
    expect(tokenScopes.filter((scope) => caller?.may(scope))).to.deep.equal(tokenScopes);
  });

  it('lets nobody pass when tokens are asked for and there are none', () => {
    expect(createTokenCheck([])('Bearer ')).to.equal(null);
    expect(createTokenCheck([])(undefined)).to.equal(null);
  });

  it('takes only the token, under the Bearer scheme in any case', () => {
    const callerOf = createTokenCheck([tokenOfSetting('auth_token', 'sésame')]);
    expect(callerOf('Bearer sésame')?.name).to.equal('setting:auth_token');
    expect(callerOf('bEARER sésame')?.may('admin')).to.equal(true);
    for (const wrong of [undefined, '', 'Bearer', 'Bearer ', 'Bearer sesame', 'Basic sésame']) {
      expect(callerOf(wrong), String(wrong)).to.equal(null);
    }
  });

  it('knows each of many by its secret, with its scopes and no other', () => {
    const entries = [named('a', ['read']), named('b', ['write', 'admin']), named('c', ['read'])];
    const callerOf = createTokenCheck(entries);
    for (const { name, scopes } of entries) {
      const caller = callerOf(`Bearer secret of ${name}`);
      expect(caller?.name).to.equal(name);
      expect(tokenScopes.filter((scope) => caller?.may(scope))).to.deep.equal(scopes);
    }
    // What stands in the file is no token.
    expect(callerOf(`Bearer ${digestOf('secret of a').toString('hex')}`)).to.equal(null);
  });
});
