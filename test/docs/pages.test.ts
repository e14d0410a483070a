/** Documents are right: programs compile, files are parsed, commands exist. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';
import ts from 'typescript';

import { settingsFromFile } from '../../src/config/from-file.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { settingKeys, settingRows } from '../../src/config/settings.js';
import { runCommand } from '../support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The texts of the blocks of a page that are of this language. */
function blocksOf(page: string, language: string): readonly string[] {
  const text = readFileSync(path.join(root, 'docs', page), 'utf8');
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(
    ([, of]) => of === language,
  );
  assert.isNotEmpty(found, `${page} has no ${language}`);
  return found.map(([, , block = '']) => block);
}

describe('pages of the documentation', function () {
  this.timeout(120_000);
  let folder: string;
  // Below the package, whose own name they import.
  before(() => {
    folder = mkdtempSync(path.join(root, 'dist', 'pages-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('clients.md has programs that compile', () => {
    const files = blocksOf('clients.md', 'ts').map((text, at) => {
      const file = path.join(folder, `${String(at)}.mts`);
      writeFileSync(file, `${text}export {};\n`);
      return file;
    });
    const program = ts.createProgram(files, {
      ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true },
      ...{ moduleResolution: ts.ModuleResolutionKind.NodeNext, types: ['node'] },
      ...{ noEmit: true, skipLibCheck: true },
    });
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    assert.deepEqual(messages, []);
  });

  it('operations.md has files of settings that a server takes', () => {
    for (const text of blocksOf('operations.md', 'toml')) {
      const file = path.join(folder, 'seriesdb.toml');
      writeFileSync(file, text);
      const { sources } = resolveSettings({ file: settingsFromFile(file) });
      assert.include(Object.values(sources), 'file', text);
    }
  });

  it('the example of a settings file changes nothing, and has what a server takes', () => {
    const text = readFileSync(path.join(root, 'contrib', 'seriesdb.example.toml'), 'utf8');
    const defaults = resolveSettings({}).settings;
    const file = path.join(folder, 'example.toml');
    writeFileSync(file, text);
    assert.deepEqual([...settingsFromFile(file)], []);
    // Lines without a value stand for what is not set.
    writeFileSync(file, text.replaceAll(/^#(?=\w+ = \S)/gm, ''));
    const { settings, sources } = resolveSettings({ file: settingsFromFile(file) });
    assert.deepEqual(settings, defaults);
    const lacking = settingKeys.filter((key) => sources[key] === 'default');
    assert.isTrue(lacking.every((key) => settingRows[key].fallback === null));
    assert.includeMembers(lacking, ['auth_token', 'tls_cert', 'admin.token']);
  });

  it('clients.md names commands and flags that there are', async () => {
    const shown = blocksOf('clients.md', 'console').flatMap((block) =>
      [...block.matchAll(/^\$ seriesdb (.*)$/gm)].map(([, words = '']) => words),
    );
    assert.isNotEmpty(shown);
    for (const line of shown) {
      const help = await helpOf(line.replaceAll(/"[^"]*"/g, 'TEXT').split(' '));
      const flags = line.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
      for (const flag of flags) assert.match(help, new RegExp(`^ +.*${flag}\\b`, 'm'), line);
    }
  });
});

/** The help of the command, and of its subcommand if there is one. */
async function helpOf(words: readonly string[]): Promise<string> {
  const [command = '', next = ''] = words;
  const below = /^(find|query|annotate)$/.test(command) && !/TEXT|^-/.test(next) ? [next] : [];
  const { code, output } = await runCommand([command, ...below, '--help']);
  assert.strictEqual(code, 0, output);
  return output;
}
