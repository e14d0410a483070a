/** An error about a wrong option or command names the intended one. */
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

describe('a misspelt option or command', function () {
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

  it('of another program gets the name of the option here', async () => {
    const advice = [
      [['serve', '--port', '9000'], 'Use --listen HOST:PORT, such as --listen 127.0.0.1:9000'],
      [['serve', '-p', '9000'], 'Use --listen HOST:PORT, such as --listen 127.0.0.1:9000'],
      [['serve', '--host', '0.0.0.0'], 'Use --listen HOST:PORT, such as --listen 0.0.0.0:8080'],
      [['serve', '--port=9000'], 'Use --listen HOST:PORT, such as --listen 127.0.0.1:9000'],
      [['serve', '--host'], 'Use --listen HOST:PORT, such as --listen 127.0.0.1:8080'],
      [['serve', '--data', '/srv'], 'Use --data-dir DIR'],
      [['status', '--port', '9000'], 'Use --url, such as --url http://127.0.0.1:9000'],
      [['query', 'range', '--host', 'db:9'], 'Use --url, such as --url http://db:9'],
      [['query', 'range', '--from', '1'], 'Use --start TIME'],
      [['verify', '--data', '/srv'], 'The data directory is an argument, without an option'],
      [
        ['serve', '--port', '--data-dir', '/srv'],
        'Use --listen HOST:PORT, such as --listen 127.0.0.1:8080',
      ],
      [['serve', '--host', '::1'], 'Use --listen HOST:PORT, such as --listen [::1]:8080'],
      [['ingest', '--db', 'x'], 'Use --into DIR for a data directory, --url for a server'],
    ] as const;
    for (const [argv, words] of advice) {
      const unknown = argv.find((word) => word.startsWith('-')) ?? '';
      expect(await told(argv)).to.deep.equal([
        `error: unknown option '${unknown}'\n(${words})\n`,
        2,
      ]);
    }
  });

  it('of a command gets the name of the command here', async () => {
    const advice = [
      ['delete', "Delete with a statement: seriesdb query 'delete from METRIC where …'"],
      ['start', 'Use seriesdb serve'],
      ['load', 'Use seriesdb ingest'],
      ['select', 'Use seriesdb query'],
      ['dump', 'Use seriesdb export'],
    ] as const;
    for (const [word, words] of advice) {
      const fault = `error: unknown command '${word}'\n(${words})\n`;
      expect(await told([word, 'x'])).to.deep.equal([fault, 2]);
    }
    const [inside] = await told(['token', 'delete', 'x']);
    expect(inside).not.to.include('delete from METRIC');
    const [near] = await told(['querry', 'x']);
    expect(near).to.equal("error: unknown command 'querry'\n(Did you mean query?)\n");
    const [unknown] = await told(['constructor']);
    expect(unknown).to.equal("error: unknown command 'constructor'\n");
  });

  it('--data-dir is named if serve gets an argument', async () => {
    const [text, code] = await told(['serve', '/srv']);
    expect(text).to.match(/^error: too many arguments for 'serve'\..*\n\(A .* --data-dir DIR\)\n$/);
    expect(code).to.equal(2);
  });
});
