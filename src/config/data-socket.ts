/** The Unix socket in a data directory, by which its owner reaches the server that has it open. */

import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** The file's name; native/common/types/file_names.h lists it with the others. */
export const dataSocketName = 'SOCKET';

/** `sun_path` of the kernel has 108 bytes, the last of which is zero. */
const kSocketPathBytes = 107;

/** A path that names the socket in a directory, short enough for the kernel until `close`. */
interface SocketPath {
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** Rejects as the system does, where the directory cannot be opened. */
export async function socketPathIn(directory: string): Promise<SocketPath> {
  const plain = path.join(directory, dataSocketName);
  if (Buffer.byteLength(plain) <= kSocketPathBytes) {
    return { path: plain, close: () => Promise.resolve() };
  }
  const { O_RDONLY, O_DIRECTORY } = constants;
  const handle: FileHandle = await open(directory, O_RDONLY | O_DIRECTORY);
  return {
    path: `/proc/self/fd/${String(handle.fd)}/${dataSocketName}`,
    close: () => handle.close(),
  };
}
