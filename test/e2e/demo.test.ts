import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

const demoFile = fileURLToPath(new URL('../../examples/demo.js', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));
// All series of the benchmark, if they lie beside the clone.
const wholeData = `${root}../shared/data/nab`;

describe('the demo', function () {
  this.timeout(180_000);

  it('brings back every point of the examples', async () => {
    const { code, output } = await runDemo(['--once']);
    assert.strictEqual(code, 0, output);
    assert.match(output, /7 series, 40,191 points/);
    // It was 0.00 while the demo counted a folder that no longer held them.
    assert.match(output, /on disk +[12]\.\d\d bytes per point: 0\.1 MB/);
    assert.include(output, 'Every point came back, bit for bit.');
  });

  it('leaves a server with the data running until an interrupt', async () => {
    const child = spawn(process.execPath, [demoFile], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    let output = '';
    for await (const piece of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      output += piece;
      const address = /Look at the data: (\S+)#/.exec(output)?.[1];
      if (address === undefined || !output.includes('Ctrl-C') || child.killed) continue;
      const answer = await fetch(`${address}api/v1/metrics/find`, { method: 'POST', body: '{}' });
      assert.include(await answer.text(), 'Twitter_volume');
      child.kill('SIGINT');
    }
    assert.deepEqual(await ended, [0, null], output);
  });

  // Not every clone has all series.
  const itWithAll = existsSync(wholeData) ? it : (): void => undefined;
  itWithAll('brings back every point of all 47 series', async () => {
    const { code, output } = await runDemo(['--once', '--data', wholeData]);
    assert.strictEqual(code, 0, output);
    assert.match(output, /47 series, 321,206 points/);
    assert.include(output, 'Every point came back, bit for bit.');
  });

  it('rejects a folder without CSV files with a message and exit code 1', async () => {
    const { code, output } = await runDemo(['--data', `${root}test/e2e`]);
    assert.strictEqual(code, 1);
    assert.include(output, 'no CSV file');
  });
});

async function runDemo(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [demoFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, output });
    });
  });
}
