/** Detects the compression of a file or body by its first bytes. */

const magics = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;
export type Compression = keyof typeof magics;

/** Bytes needed for the detection. */
export const magicSize = 4;

export function compressionOf(bytes: Uint8Array): Compression | null {
  const isOf = (one: Compression): boolean => magics[one].every((byte, at) => bytes[at] === byte);
  return isOf('gzip') ? 'gzip' : isOf('zstd') ? 'zstd' : null;
}
