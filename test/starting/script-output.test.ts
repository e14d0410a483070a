import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect } from 'chai';

import { rootFolder } from '../support/page-session.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

describe('a script', () => {
  const folder = temporaryDirectory();
  after(() => {
    removeDirectory(folder);
  });

  it('ends its work if the reader of its output is gone', async () => {
    const file = path.join(folder, 'script.mjs');
    const project = pathToFileURL(path.join(rootFolder, 'scripts/project.mjs')).href;
    writeFileSync(
      file,
      `import { once } from 'node:events';
      import { main } from ${JSON.stringify(project)};
      await main(async () => {
        process.stdin.resume();
        await once(process.stdin, 'end');
        for (let at = 0; at < 3; at += 1) {
          console.log('x'.repeat(100_000));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return 3;
      });
      `,
    );
    const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'pipe'] });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    child.stdout.destroy();
    child.stdin.end();
    child.stdin.on('error', () => undefined);
    const [code] = (await once(child, 'close')) as [number];
    expect([code, told]).to.deep.equal([3, '']);
  });
});
