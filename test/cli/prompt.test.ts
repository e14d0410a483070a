import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { openPrompt } from '../../src/cli/querying/prompt.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

async function statementsOf(text: string, home: string | null = null): Promise<string[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  output.resume();
  input.end(text);
  const statements: string[] = [];
  for await (const statement of openPrompt({ input, output, home })) statements.push(statement);
  return statements;
}

describe('the prompt of seriesdb query', () => {
  it('ends a statement at a semicolon, at an empty line and at the end', async () => {
    const text = 'select 1;\n\nselect\n  2\n\n;\nselect 3\n-- more\nfrom a;\nshow metrics';
    expect(await statementsOf(text)).to.deep.equal([
      'select 1;',
      'select\n  2',
      'select 3\n-- more\nfrom a;',
      'show metrics',
    ]);
  });

  it('leaves at exit and quit', async () => {
    expect(await statementsOf('select 1;\nEXIT;\nselect 2;\n')).to.deep.equal(['select 1;']);
    expect(await statementsOf('quit\nselect 2;\n')).to.deep.equal([]);
  });

  it('remembers statements, each on one line', async () => {
    const home = temporaryDirectory();
    await statementsOf('select\n1;\nshow metrics;\nshow metrics;\n', home);
    const history = readFileSync(path.join(home, '.seriesdb_history'), 'utf8');
    expect(history).to.equal('select 1;\nshow metrics;\n');
    removeDirectory(home);
  });

  it('gives whole statements back to the arrow keys, also those of earlier days', async () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, '.seriesdb_history'), 'show labels;\n');
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    output.resume();
    const up = '\u001b[A';
    const statements: string[] = [];
    const typed = [`select\r1;\r`, `${up}\r`, `${up}${up}\r`, 'exit\r'];
    input.write(typed.shift() ?? '');
    for await (const statement of openPrompt({ input, output, home })) {
      statements.push(statement);
      // The prompt comes back first.
      setImmediate(() => input.write(typed.shift() ?? ''));
    }
    expect(statements).to.deep.equal(['select\n1;', 'select 1;', 'show labels;']);
    removeDirectory(home);
  });

  it('ends a statement that runs at Ctrl-C, and leaves at the next', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    output.resume();
    let isRunning = false;
    let interrupts = 0;
    const onInterrupt = (): boolean => {
      if (isRunning) interrupts += 1;
      return isRunning;
    };
    const statements: string[] = [];
    input.write('select 1;\r');
    for await (const statement of openPrompt({ input, output, home: null, onInterrupt })) {
      statements.push(statement);
      isRunning = true;
      input.write('\u0003');
      while (interrupts === 0) await new Promise((resolve) => setImmediate(resolve));
      isRunning = false;
      setImmediate(() => input.write('\u0003'));
    }
    expect([statements, interrupts]).to.deep.equal([['select 1;'], 1]);
  });
});
