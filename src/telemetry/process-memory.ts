/** Whether the process has room for what its settings let it take; docs/decisions/0104. */

import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Beside one and a half times the limit: the heap of JavaScript, and buffers of fixed size. */
const kBesideBytes = 512 * 1024 * 1024;

/** What the machine has, or less where the system lets the process have less, as `MemoryMax`. */
function availableBytes(): number {
  // 0 where there is no such limit, and a number past all memory in older versions of Node.js.
  const most = constrainedMemory();
  return most > 0 ? Math.min(most, totalmem()) : totalmem();
}

/** Null: there is enough. `limitBytes` is `memory_limit_bytes`. */
export function memoryWarning(limitBytes: number, available = availableBytes()): string | null {
  const needed = Math.ceil(1.5 * limitBytes) + kBesideBytes;
  if (available >= needed) return null;
  return (
    `the process may take ${needed} bytes (one and a half times memory_limit_bytes and 512 MiB), ` +
    `and may have ${available}: lower memory_limit_bytes, or raise MemoryMax or the memory`
  );
}
