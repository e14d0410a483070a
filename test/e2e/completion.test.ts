/** Shell completion: queries a real bash, and compares all three scripts with the help. */
import { spawnSync } from 'node:child_process';

import { assert } from 'chai';

import { runCli } from '../support/cli.js';

/** The completions with the cursor after the last word. */
function completed(script: string, words: readonly string[]): readonly string[] {
  const asked = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_seriesdb
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', asked]);
  assert.strictEqual(status, 0, stderr.toString());
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

/** Long flags and commands that a help shows. */
function shownIn(help: string): readonly string[] {
  const rows = help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+|[a-z][\w-]*)/gm);
  return [...rows].map(([, word = '']) => word);
}

describe('completion', () => {
  let bash: string;
  before(async () => {
    const { code, out } = await runCli(['completion', 'bash']);
    assert.strictEqual(code, 0);
    bash = out;
  });

  it('in bash offers commands, subcommands, flags and flag values', () => {
    assert.includeMembers([...completed(bash, ['seriesdb', 'se'])], ['serve']);
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'sn']), ['snapshot']);
    const below = completed(bash, ['seriesdb', 'snapshot', '']);
    assert.includeMembers([...below], ['create', 'list', 'delete']);
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'gc', '--dr']), ['--dry-run']);
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'gc', '--url', 'x', '--his']), [
      '--history',
    ]);
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'completion', '--h']), ['--help']);
  });

  it('in bash offers the values of a setting', () => {
    const fsync = completed(bash, ['seriesdb', 'serve', '--fsync', '']);
    assert.includeMembers([...fsync], ['always', 'interval']);
    assert.deepEqual(completed(bash, ['seriesdb', 'serve', '--admin-enabled', 't']), ['true']);
  });

  it('serve --help groups the settings, and shows the default of each', async () => {
    const { out } = await runCli(['serve', '--help']);
    const flat = out.replaceAll(/\s+/g, ' ');
    const heads = ['Durability and memory: --fsync ', 'Queries: --max-query-rows '];
    for (const head of [...heads, 'The admin listener: --admin-enabled ']) {
      assert.include(flat, head);
    }
    assert.match(flat, /--memory-limit-bytes [^-]*\(default: 1 GiB\)/);
    assert.match(flat, /--listen <host:port> [^-]*\(default: 127\.0\.0\.1:8080\)/);
  });

  it('in bash offers nothing of its own for a file or a text', () => {
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'serve', '--config', '']), []);
    assert.deepStrictEqual(completed(bash, ['seriesdb', 'restore', 'backup/x']), []);
  });

  it('covers every command and flag of the help in every shell', async () => {
    const { out: all } = await runCli(['--help']);
    const commands = shownIn(all.slice(all.indexOf('Commands:'))).filter((one) => one !== 'help');
    assert.isAbove(commands.length, 15);
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out: script } = await runCli(['completion', shell]);
      for (const command of commands) assert.include(script, command, shell);
    }
    const { out: fish } = await runCli(['completion', 'fish']);
    for (const command of ['serve', 'query', 'export']) {
      const { out: help } = await runCli([command, '--help']);
      const flags = shownIn(help).filter((one) => one.startsWith('--'));
      assert.isAbove(flags.length, 3);
      const own = fish.split('\n').filter((line) => line.includes(`seriesdb ${command}'`));
      for (const flag of flags) {
        assert.isTrue(
          own.some((line) => line.includes(` -l ${flag.slice(2)} `)),
          `${command} ${flag}`,
        );
      }
    }
  });

  it('rejects an unknown shell', async () => {
    const { code, err } = await runCli(['completion', 'tcsh']);
    assert.notStrictEqual(code, 0);
    assert.include(err, 'bash, zsh, fish');
  });
});
