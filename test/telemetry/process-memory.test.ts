import { totalmem } from 'node:os';

import { expect } from 'chai';

import { memoryWarning } from '../../src/telemetry/process-memory.js';
import { startServer, removeDirectory, temporaryDirectory } from '../support/server.js';

const kGiB = 1024 ** 3;

describe('the memory of the process', function () {
  this.timeout(60_000);

  it('is enough from one and a half times the limit and 512 MiB on, as the unit has it', () => {
    expect(memoryWarning(kGiB, 2 * kGiB)).to.equal(null);
    expect(memoryWarning(kGiB, 2 * kGiB - 1))
      .to.include('may take 2147483648 bytes')
      .and.include('may have 2147483647')
      .and.include('memory_limit_bytes');
  });

  /** The complete output of a server with this limit. */
  async function saidWith(limit: number): Promise<string> {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, args: ['--memory-limit-bytes', String(limit)] });
    const { output } = await server.stop();
    removeDirectory(dataDir);
    return output;
  }

  it('is told of at a start where the limit needs more than the machine has', async () => {
    const limit = totalmem();
    const needed = Math.ceil(1.5 * limit) + kGiB / 2;
    expect(await saidWith(limit)).to.include(`the process may take ${needed} bytes`);
    expect(await saidWith(1024 * 1024)).not.to.include('the process may take');
  });
});
