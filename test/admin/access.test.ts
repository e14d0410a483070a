import { expect } from 'chai';

import { createAdminGuard } from '../../src/http/admin/access.js';
import { tokenOfSetting } from '../../src/http/auth/token.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { emptyHead } from '../../src/http/transport/transport.js';
import { parseAddressRange } from '../../src/common/model/address-range.js';

interface Asked {
  readonly token: string | null;
  readonly allow: readonly string[];
  readonly from: string;
  readonly shows?: string;
}

function answer({ token, allow, from, shows }: Asked): number {
  const ranges = allow.map(parseAddressRange).filter((range) => range !== null);
  const guard = createAdminGuard({
    tokens: token === null ? null : [tokenOfSetting('admin.token', token)],
    allow: ranges,
  });
  const head = emptyHead('GET', '/__admin/status', '');
  if (shows !== undefined) head.authorization = `Bearer ${shows}`;
  const caller = guard(head, () => from, { isOpen: false, isStatus: false, protocol: null });
  return caller instanceof AppError ? caller.status : 200;
}

describe('the guard of the admin listener', () => {
  it('lets only this machine in when nothing is set', () => {
    const open = { token: null, allow: [] };
    // The long forms are how uWebSockets.js prints addresses.
    const here = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'];
    const long = ['0000:0000:0000:0000:0000:0000:0000:0001'];
    const mapped = ['0000:0000:0000:0000:0000:ffff:7f00:0001'];
    for (const from of [...here, ...long, ...mapped]) {
      expect(answer({ ...open, from }), from).to.equal(200);
    }
    for (const from of ['10.0.0.1', '::2', '::ffff:10.0.0.1', 'fe80::1%eth0', '']) {
      expect(answer({ ...open, from }), from).to.equal(403);
    }
  });

  it('requires the token from every address when only the token is set', () => {
    const tokenOnly = { token: 'sesame', allow: [] };
    for (const from of ['127.0.0.1', '203.0.113.9', '2001:db8::1']) {
      expect(answer({ ...tokenOnly, from })).to.equal(401);
      expect(answer({ ...tokenOnly, from, shows: 'wrong' })).to.equal(401);
      expect(answer({ ...tokenOnly, from, shows: 'sesame' })).to.equal(200);
    }
  });

  it('checks only the address when only the list is set, including loopback', () => {
    const listOnly = { token: null, allow: ['10.0.0.0/8', '2001:db8::/32'] };
    expect(answer({ ...listOnly, from: '10.200.0.1' })).to.equal(200);
    expect(answer({ ...listOnly, from: '::ffff:10.200.0.1' })).to.equal(200);
    expect(answer({ ...listOnly, from: '2001:db8:ffff::1' })).to.equal(200);
    expect(answer({ ...listOnly, from: '127.0.0.1' })).to.equal(403);
    expect(answer({ ...listOnly, from: '11.0.0.1', shows: 'any' })).to.equal(403);
  });

  it('checks both when both are set, the address first', () => {
    const both = { token: 'sesame', allow: ['10.0.0.0/8'] };
    expect(answer({ ...both, from: '11.0.0.1' })).to.equal(403);
    expect(answer({ ...both, from: '11.0.0.1', shows: 'sesame' })).to.equal(403);
    expect(answer({ ...both, from: '10.0.0.1' })).to.equal(401);
    expect(answer({ ...both, from: '10.0.0.1', shows: 'sesame' })).to.equal(200);
  });
});
