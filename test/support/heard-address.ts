/** The address that a server prints, of a process that a test has started by itself. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Rejects if the process ends before it listens. */
export function heardAddress(child: ChildProcess & { readonly stdout: Readable }): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error(`the server ended: ${printed}`));
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const address = / listening on (\S+)/.exec(printed)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}
