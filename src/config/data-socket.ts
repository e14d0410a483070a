/**
 * The Unix socket in a data directory. Its owner uses it to reach the server that has the directory
 * open.
 */

import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** The file's name. native/common/types/file_names.h lists it with the other file names. */
export const dataSocketName = 'SOCKET';

/** The kernel's `sun_path` has 108 bytes including the final zero. */
const kSocketPathBytes = 107;

/** A socket path that fits the kernel's limit. It is valid until `close`. */
interface SocketPath {
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** Rejects with the system's error if the directory cannot be opened. */
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
