/** Memory of the addon's answers, free once they are sent and not when the collector comes. */

/** Below this it costs the collector little. */
const kFreedMin = 64 * 1024;

export type Free = (buffer: ArrayBuffer) => void;

const freeOf = new WeakMap<ArrayBufferLike, Free>();

/** `free` gives the memory of `bytes` back; views of it have no bytes afterwards. */
export function giveBytes<Bytes extends ArrayBufferView>(bytes: Bytes, free: Free): Bytes {
  if (bytes.byteLength >= kFreedMin) freeOf.set(bytes.buffer, free);
  return bytes;
}

/** Nobody reads `bytes` again, or another view of its memory. Without effect on other bytes. */
export function freeBytes({ buffer }: ArrayBufferView): void {
  const free = freeOf.get(buffer);
  if (free !== undefined && buffer instanceof ArrayBuffer) free(buffer);
}
