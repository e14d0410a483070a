/** Buffers of the addon's answers. They are freed once they are sent, before garbage collection. */

/** Smaller buffers cost the collector little. In bytes. */
const kFreedMin = 64 * 1024;

export type Free = (buffer: ArrayBuffer) => void;

const freeOf = new WeakMap<ArrayBufferLike, Free>();

/** Registers `free` for the memory of `bytes`. After `free`, views of that memory have length 0. */
export function giveBytes<Bytes extends ArrayBufferView>(bytes: Bytes, free: Free): Bytes {
  if (bytes.byteLength >= kFreedMin) freeOf.set(bytes.buffer, free);
  return bytes;
}

/**
 * Frees the buffer of `bytes`. REQUIRES: no one reads any view of it again. Does nothing if
 * giveBytes() did not register it.
 */
export function freeBytes({ buffer }: ArrayBufferView): void {
  const free = freeOf.get(buffer);
  if (free !== undefined && buffer instanceof ArrayBuffer) free(buffer);
}
