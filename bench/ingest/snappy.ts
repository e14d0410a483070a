/** Compresses to snappy's block format, about as well as the original library, but slower. */
import { varint } from '../../test/support/remote-write.js';

/** The largest distance of a copy. */
const kBlockSize = 1 << 16;
const kHashBits = 14;

export function packed(body: Buffer): Buffer {
  const parts: Buffer[] = [varint(body.length)];
  for (let at = 0; at < body.length; at += kBlockSize) {
    packBlock(body.subarray(at, at + kBlockSize), parts);
  }
  return Buffer.concat(parts);
}

function packBlock(block: Buffer, parts: Buffer[]): void {
  const seen = new Uint16Array(1 << kHashBits);
  let literal = 0;
  for (let at = 0; at + 4 <= block.length;) {
    const word = block.readUInt32LE(at);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - kHashBits);
    const from = seen[hash] ?? 0;
    seen[hash] = at;
    if (from >= at || block.readUInt32LE(from) !== word) {
      at += 1;
      continue;
    }
    let size = 4;
    while (size < 64 && at + size < block.length && block[from + size] === block[at + size]) {
      size += 1;
    }
    parts.push(literalOf(block.subarray(literal, at)), copyOf(size, at - from));
    at += size;
    literal = at;
  }
  parts.push(literalOf(block.subarray(literal)));
}

function copyOf(size: number, distance: number): Buffer {
  return Buffer.of(((size - 1) << 2) | 2, distance & 0xff, distance >> 8);
}

function literalOf(text: Buffer): Buffer {
  const last = text.length - 1;
  if (last < 0) return text;
  const head = last < 60 ? [last << 2] : [61 << 2, last & 0xff, last >> 8];
  return Buffer.concat([Buffer.from(head), text]);
}
