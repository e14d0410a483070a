import { expect } from 'chai';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { PromptHistory, historyFile } from '../../src/cli/prompt/history.js';
import { openPrompt } from '../../src/cli/prompt/prompt.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

async function typed(text: string, file: string | null = null): Promise<string[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  output.resume();
  input.end(text);
  const entries: string[] = [];
  for await (const entry of openPrompt({ input, output, history: new PromptHistory(file) })) {
    entries.push(entry.kind === 'order' ? `order ${entry.text}` : entry.text);
  }
  return entries;
}

function screen() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  output.resume();
  return { input, output };
}

describe('the prompt of seriesdb query', () => {
  it('ends a statement at a semicolon outside of texts and comments', async () => {
    const text =
      "select 1;\n\nselect\n\n  2;;\nselect ';' -- no; \n, 'a\n\\q;b' /* ; */; select 4; select\n5;\n";
    expect(await typed(text)).to.deep.equal([
      'select 1',
      'select\n\n  2',
      "select ';' -- no; \n, 'a\n\\q;b'",
      'select 4',
      'select\n5',
    ]);
  });

  it('passes on invalid input, so that the server reports it', async () => {
    expect(await typed('$;\n1.2.3;\n')).to.deep.equal(['$', '1.2.3']);
  });

  it('does not run an unfinished statement at the end of the input', async () => {
    expect(await typed('select 1;\nshow metrics')).to.deep.equal(['select 1']);
  });

  it('distinguishes prompt commands from statements, also inside a statement', async () => {
    expect(await typed('help\n\\d cpu.load;\nselect\n\\?\n 1, help\n;\n')).to.deep.equal([
      'order help',
      'order \\d cpu.load',
      'order \\?',
      'select\n 1, help',
    ]);
  });

  it('exits at exit, quit and \\q', async () => {
    expect(await typed('select 1;\nEXIT;\nselect 2;\n')).to.deep.equal(['select 1']);
    expect(await typed('quit\nselect 2;\n')).to.deep.equal([]);
    expect(await typed('select\n\\q\n;\n')).to.deep.equal([]);
  });

  it('recalls whole statements by the arrow keys, also of earlier sessions', async () => {
    const home = temporaryDirectory();
    const file = path.join(home, 'history');
    writeFileSync(file, 'show labels;\n');
    const { input, output } = screen();
    const up = '\u001b[A';
    const statements: string[] = [];
    const keys = [`select\r1;\r`, `${up}\r`, `${up}${up}\r`, 'exit\r'];
    input.write(keys.shift() ?? '');
    for await (const { text } of openPrompt({ input, output, history: new PromptHistory(file) })) {
      statements.push(text);
      // The prompt comes back first.
      setImmediate(() => input.write(keys.shift() ?? ''));
    }
    expect(statements).to.deep.equal(['select\n1', 'select 1', 'show labels']);
    removeDirectory(home);
  });

  it('discards the unfinished statement at Ctrl-C, and keeps running', async () => {
    const { input, output } = screen();
    const statements: string[] = [];
    const keys = [
      'select 42',
      '\u0003',
      ' + 1;\r',
      'select\r',
      '7\u0003\u0003',
      'show metrics;\r',
      '\u0004',
    ];
    const typing = setInterval(() => input.write(keys.shift() ?? ''), 5);
    for await (const { text } of openPrompt({ input, output, history: new PromptHistory(null) })) {
      statements.push(text);
    }
    clearInterval(typing);
    expect(statements).to.deep.equal(['+ 1', 'show metrics']);
  });

  it('cancels the running statement and the rest at Ctrl-C, and keeps running', async () => {
    const { input, output } = screen();
    let isRunning = false;
    let interrupts = 0;
    const onInterrupt = (): boolean => {
      if (isRunning) interrupts += 1;
      return isRunning;
    };
    const statements: string[] = [];
    input.write('select 1; select 2;\r');
    const prompt = openPrompt({ input, output, history: new PromptHistory(null), onInterrupt });
    for await (const { text } of prompt) {
      statements.push(text);
      if (text === 'select 3') continue;
      isRunning = true;
      input.write('\u0003');
      while (interrupts === 0) await new Promise((resolve) => setImmediate(resolve));
      isRunning = false;
      setImmediate(() => input.write('select 3;\r\u0004'));
    }
    expect([statements, interrupts]).to.deep.equal([['select 1', 'select 3'], 1]);
  });
});

describe('the history of the prompt', () => {
  let home = '';
  beforeEach(() => {
    home = temporaryDirectory();
  });
  afterEach(() => {
    removeDirectory(home);
  });

  it('keeps statements, each on one line and without comments, once', async () => {
    const file = path.join(home, 'state', 'history');
    await typed("select -- one\n1 /* x */,\n'a -- b';\nshow metrics;\nshow metrics;\n", file);
    await typed("select 'a\nb';\n\\d\n", file);
    const history = readFileSync(file, 'utf8');
    expect(history).to.equal("select 1 , 'a -- b';\nshow metrics;\n\\d\n");
  });

  it('is readable by its owner only, also if it was not before', async () => {
    const folder = path.join(home, 'state');
    const file = path.join(folder, 'history');
    await typed('select 1;\n', file);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    chmodSync(file, 0o644);
    await typed('select 2;\n', file);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('is truncated when it reaches twice its capacity', () => {
    const file = path.join(home, 'history');
    writeFileSync(file, Array.from({ length: 2000 }, (_, at) => `select ${at};\n`).join(''));
    expect(new PromptHistory(file).entries.slice(0, 2)).to.deep.equal([
      'select 1999;',
      'select 1998;',
    ]);
    expect(readFileSync(file, 'utf8').split('\n')).to.have.length(1001);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('is optional: an unwritable file does not stop the prompt', async () => {
    const file = path.join(home, 'history');
    mkdirSync(file);
    expect(await typed('select 1;\n', file)).to.deep.equal(['select 1']);
  });

  it("is in the user's state directory", () => {
    const { HOME, XDG_STATE_HOME } = { HOME: '/h', XDG_STATE_HOME: '/s' };
    expect(historyFile({ HOME, XDG_STATE_HOME })).to.equal('/s/seriesdb/history');
    expect(historyFile({ HOME })).to.equal('/h/.local/state/seriesdb/history');
    expect(historyFile({ HOME, XDG_STATE_HOME: 's' })).to.equal('/h/.local/state/seriesdb/history');
    expect(historyFile({})).to.equal(null);
  });
});
