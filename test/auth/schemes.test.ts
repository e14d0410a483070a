import { expect } from 'chai';

import { bearerSecrets, headerSecrets, querySecrets } from '../../src/http/auth/schemes.js';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('the schemes of credentials', () => {
  it('find the token under Bearer in any case', () => {
    for (const secretsOf of [bearerSecrets, headerSecrets]) {
      expect(secretsOf('Bearer a:b')).to.deep.equal(['a:b']);
      expect(secretsOf('bEARER  a ')).to.deep.equal(['a']);
      for (const nothing of [undefined, '', 'Bearer', 'Bearera', 'Digest a']) {
        expect(secretsOf(nothing), nothing).to.deep.equal([]);
      }
    }
  });

  it('find it under Token, alone or behind a user, whatever colons it has', () => {
    expect(headerSecrets('Token a')).to.deep.equal(['a']);
    expect(headerSecrets('token user:a:b')).to.deep.equal(['user:a:b', 'a:b']);
    expect(bearerSecrets('Token a')).to.deep.equal([]);
  });

  it('find it under Basic as the password of any user', () => {
    expect(headerSecrets(basic('user:a'))).to.deep.equal(['a']);
    expect(headerSecrets(basic(':é:b'))).to.deep.equal(['é:b']);
    expect(headerSecrets(basic('none'))).to.deep.equal([]);
    expect(headerSecrets('Basic %%%')).to.deep.equal([]);
    expect(bearerSecrets(basic('user:a'))).to.deep.equal([]);
  });

  it('find it in a query string as p, decoded', () => {
    expect(querySecrets('u=x&p=a%3Ab+c')).to.deep.equal(['a:b c']);
    expect(querySecrets('')).to.deep.equal([]);
    expect(querySecrets('pp=a')).to.deep.equal([]);
  });
});
