import { expect } from 'chai';

import {
  createTokenCheck,
  digestOf,
  tokenOfSetting,
  tokenScopes,
  type TokenEntry,
} from '../../src/http/auth/token.js';

const named = (name: string, scopes: TokenEntry['scopes']): TokenEntry => ({
  name,
  scopes,
  digest: digestOf(`secret of ${name}`),
});

describe('the token check', () => {
  it('accepts every request with every scope when no token is required', () => {
    const caller = createTokenCheck(null)([]);
    expect(caller?.name).to.equal(null);
    expect(tokenScopes.filter((scope) => caller?.may(scope))).to.deep.equal(tokenScopes);
  });

  it('rejects every request when tokens are required and none exist', () => {
    expect(createTokenCheck([])([''])).to.equal(null);
    expect(createTokenCheck([])([])).to.equal(null);
  });

  it('accepts only the token, in any of the presented credentials', () => {
    const callerOf = createTokenCheck([tokenOfSetting('auth_token', 'sésame')]);
    expect(callerOf(['sésame'])?.name).to.equal('setting:auth_token');
    expect(callerOf(['wrong', 'sésame'])?.may('admin')).to.equal(true);
    for (const wrong of [[], [''], ['sesame'], ['Bearer sésame'], ['sésame ', 'SÉSAME']]) {
      expect(callerOf(wrong), wrong.join()).to.equal(null);
    }
  });

  it('recognizes each of many tokens by its secret, with its own scopes', () => {
    const entries = [named('a', ['read']), named('b', ['write', 'admin']), named('c', ['read'])];
    const callerOf = createTokenCheck(entries);
    for (const { name, scopes } of entries) {
      const caller = callerOf([`secret of ${name}`]);
      expect(caller?.name).to.equal(name);
      expect(tokenScopes.filter((scope) => caller?.may(scope))).to.deep.equal(scopes);
    }
    // The digest in the file is not itself a token.
    expect(callerOf([digestOf('secret of a').toString('hex')])).to.equal(null);
  });
});
