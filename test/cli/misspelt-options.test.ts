/** If an option of any command is misspelt, the error names the intended one. */
import { expect } from 'chai';
import { Command } from 'commander';

import { commands } from '../../src/cli/command-table.js';
import { runProgram } from '../../src/cli/program.js';

import type { Session } from '../../src/cli/session/command.js';

type Options = Parameters<typeof runProgram>[1];

/** No command gets so far that it needs more. */
const nothing = {} as Session;

/** The error output, and the exit code. */
async function told(argv: readonly string[]): Promise<readonly [string, number]> {
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  const terminal = { write, writeError: write, complain: write, environment: {} };
  const code = await runProgram(argv, { version: '1', terminal } as unknown as Options);
  return [text, code];
}

interface Listed {
  readonly words: readonly string[];
  readonly options: readonly string[];
}

async function allCommands(): Promise<readonly Listed[]> {
  const program = new Command();
  for (const add of Object.values(commands)) (await add())(program, nothing);
  const listed = (command: Command, words: readonly string[]): readonly Listed[] => [
    {
      words,
      options: command.options.flatMap(({ long, hidden }) =>
        hidden || long === undefined ? [] : [long],
      ),
    },
    ...command.commands.flatMap((one) => listed(one, [...words, one.name()])),
  ];
  return program.commands.flatMap((one) => listed(one, [one.name()]));
}

describe('a misspelt option', function () {
  this.timeout(60_000);

  it('of any command is rejected, and a similar option is suggested', async () => {
    let count = 0;
    for (const { words, options } of await allCommands()) {
      for (const option of options.filter(({ length }) => length >= 8)) {
        const misspelt = option.slice(0, -2) + option.slice(-1) + option.slice(-2, -1);
        if (options.includes(misspelt) || misspelt === option) continue;
        const [text, code] = await told([...words, misspelt, 'x']);
        const [first = '', second = ''] = text.split('\n');
        expect(first).to.equal(`error: unknown option '${misspelt}'`, words.join(' '));
        expect(second).to.match(new RegExp(`^\\(Did you mean .*${option}\\b.*\\?\\)$`));
        expect(code).to.equal(2);
        count += 1;
      }
    }
    expect(count).to.be.greaterThan(200);
  });

  it('is reported before a missing one, and both are reported', async () => {
    expect(await told(['undelete', '--metric', 'm'])).to.deep.equal([
      "error: required option '--as-of <state>' not specified\n",
      2,
    ]);
    expect(await told(['token', 'new', 'n'])).to.deep.equal([
      "error: required option '--scope <scopes>' not specified\n",
      2,
    ]);
  });

  it('before the command gets advice on where options belong', async () => {
    const [text, code] = await told(['--url', 'http://x', 'status']);
    expect(text).to.equal(
      "error: unknown option '--url'\n" +
        '(Options stand after the command: seriesdb COMMAND [options])\n',
    );
    expect(code).to.equal(2);
  });
});
