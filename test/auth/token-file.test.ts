import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect } from 'chai';

import { newSecret, printEntry, tokensFromFile } from '../../src/http/auth/token-file.js';
import { digestOf, type TokenEntry } from '../../src/http/auth/token.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const kHash = digestOf('x').toString('hex');
const other = digestOf('y').toString('hex');
const good = `[[token]]\nname = "a"\nscopes = ["read"]\nsha256 = "${kHash}"\n`;

const nineLabels = `{ ${Array.from({ length: 9 }, (_, at) => `l${at} = "x"`).join(', ')} }`;

/** One that is right but for the lines that are given. */
const second = (lines: Record<string, string>): string => {
  const all = { name: '"b"', scopes: '["read"]', sha256: `"${other}"`, ...lines };
  return `[[token]]\n${Object.entries(all)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}`;
};

describe('the token file', () => {
  let folder = '';
  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(() => {
    removeDirectory(folder);
  });

  function read(text: string): readonly TokenEntry[] {
    const file = path.join(folder, 'tokens.toml');
    writeFileSync(file, text);
    return tokensFromFile(file);
  }

  it('is read as it is printed, among comments and in lines of any system', () => {
    const secret = newSecret();
    const entry: TokenEntry = {
      name: 'grafana-1.eu_west',
      scopes: ['read', 'admin'],
      digest: digestOf(secret),
    };
    const text = `# who reads\r\n${good.replaceAll('\n', '\r\n')}\n${printEntry(entry)}`;
    expect(read(text).map(({ name }) => name)).to.deep.equal(['a', entry.name]);
    expect(read(text)[1]).to.deep.equal(entry);
    expect(text).to.not.contain(secret);
    expect(secret).to.match(/^sdb_[\w-]{43}$/);
    expect(newSecret()).to.not.equal(secret);
  });

  it('contains the labels of bound tokens, whatever their text', () => {
    const labels = [
      ['tenant', 'a "b" \\ ü'],
      ['a.b c', '='],
    ] as const;
    const entry: TokenEntry = { name: 'b', scopes: ['read'], digest: digestOf('b'), labels };
    expect(read(printEntry(entry))).to.deep.equal([entry]);
    expect(read(good)[0]).to.not.have.property('labels');
  });

  it('may be empty', () => {
    expect(read('# nobody yet\n')).to.deep.equal([]);
  });

  const atFive: readonly (readonly [string, string, RegExp])[] = [
    ['a name with a blank', second({ name: '"b c"' }), /name must be/],
    ['a name like that of a setting', second({ name: '"setting:auth_token"' }), /name must be/],
    ['a name of 65 characters', second({ name: `"${'n'.repeat(65)}"` }), /name must be/],
    ['a name that is there', second({ name: '"a"' }), /another token already has the name a/],
    ['no scope', second({ scopes: '[]' }), /scopes must be a list of some of read, write, admin/],
    ['a scope that is none', second({ scopes: '["read", "reed"]' }), /scopes must be/],
    ['a scope twice', second({ scopes: '["read", "read"]' }), /scopes must be/],
    ['scopes as a text', second({ scopes: '"read"' }), /scopes must be/],
    ['a secret in clear', second({ sha256: '"sesame"' }), /sha256 must be .* 64 hexadecimal/],
    ['the digest of another', second({ sha256: `"${kHash}"` }), /it has the same sha256 as a$/],
    [
      'labels of another kind',
      second({ labels: '["tenant"]' }),
      /labels must be a table of 1 to 8/,
    ],
    ['no labels', second({ labels: '{}' }), /labels must be/],
    ['a label that is no text', second({ labels: '{ tenant = 1 }' }), /labels must be/],
    ['a label without a value', second({ labels: '{ tenant = "" }' }), /labels must be/],
    ['a label with a control character', second({ labels: '{ t = "\\n" }' }), /labels must be/],
    ['nine labels', second({ labels: nineLabels }), /labels must be/],
    [
      'an operator that is bound',
      second({ scopes: '["admin"]', labels: '{ tenant = "a" }' }),
      /the scope admin covers the whole server and cannot be bound to labels/,
    ],
    ['an unknown member', second({ secret: '"sesame"' }), /"secret" is unknown; name, scopes/],
  ];
  for (const [what, text, reason] of atFive) {
    it(`is rejected with the line of the table for ${what}`, () => {
      const attempt = (): unknown => read(`${good}${text}`);
      expect(attempt).to.throw(reason).with.property('code', 'invalid_configuration');
      expect(attempt).to.throw(/tokens\.toml, line 5: /);
      expect(attempt).to.not.throw(/sesame/);
    });
  }

  it('takes the longest name, and no less and no more than tables', () => {
    expect(read(second({ name: `"${'n'.repeat(64)}"` }))).to.have.length(1);
    expect(() => read('token = [{ name = "a" }]\n')).to.throw(/begins with a line \[\[token\]\]/);
    expect(() => read('token = 3\n')).to.throw(/begins with a line/);
    expect(() => read(`${good}[tokens]\n`)).to.throw(/"tokens" is unknown; token is/);
  });

  it('has at most 1000 tokens', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, at) =>
        printEntry({ name: `t${at}`, scopes: ['read'], digest: digestOf(`${at}`) }),
      ).join('');
    expect(read(many(1000))).to.have.length(1000);
    expect(() => read(many(1001))).to.throw(/at most 1000 tokens/);
  });

  it('is rejected without quoting invalid TOML, and by name if it is missing', () => {
    expect(() => read(`${good}sha256 = "sesame\n`)).to.throw(/not valid TOML at line 5/);
    expect(() => read(`${good}sha256 = "sesame\n`)).to.not.throw(/sesame/);
    expect(() => tokensFromFile(path.join(folder, 'none'))).to.throw(/cannot read .*none: ENOENT/);
  });
});
