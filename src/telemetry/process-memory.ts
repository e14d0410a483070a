/** Checks that the process has enough memory for its settings; docs/decisions/0104. */

import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** The reserve beyond 1.5 times the limit: the JavaScript heap and buffers of fixed size. */
const kBesideBytes = 512 * 1024 * 1024;

/** The machine's memory, or the limit of the process, such as `MemoryMax`, if that is lower. */
export function availableBytes(): number {
  // Without a limit this is 0, or a number larger than any memory in older versions of Node.js.
  const most = constrainedMemory();
  return most > 0 ? Math.min(most, totalmem()) : totalmem();
}

/** Returns null if memory suffices. `limitBytes` is `memory_limit_bytes`. */
export function memoryWarning(limitBytes: number, available = availableBytes()): string | null {
  const needed = Math.ceil(1.5 * limitBytes) + kBesideBytes;
  if (available >= needed) return null;
  return (
    `the process may take ${needed} bytes (one and a half times memory_limit_bytes and 512 MiB), ` +
    `and may have ${available}: lower memory_limit_bytes, or raise MemoryMax or the memory`
  );
}
