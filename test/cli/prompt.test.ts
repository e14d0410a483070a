import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { openPrompt } from '../../src/cli/commands/prompt.js';
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
      ';',
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
    await statementsOf('select\n1;\nshow metrics;\n', home);
    const history = readFileSync(path.join(home, '.seriesdb_history'), 'utf8');
    expect(history).to.equal('select 1;\nshow metrics;\n');
    removeDirectory(home);
  });
});
