/** Decodes the fields of a protobuf message from untrusted bytes. */

import { AppError } from '../../../common/errors/app-error.js';

/** A varint as 64 bits, or a text or message. Fixed-size numbers are not needed and become null. */
interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array | null;
}

const kFieldMax = 2n ** 29n - 1n;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Functions of this file throw `parse_failed`. */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  const bytes = new Bytes(message);
  while (!bytes.isAtEnd) {
    const tag = bytes.varint();
    const number = tag >> 3n;
    if (number === 0n || number > kFieldMax) throw damaged('a field has no number');
    yield { number: Number(number), value: contentOf(bytes, tag & 7n) };
  }
}

export function integerOf({ number, value }: WireField): bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  throw damaged(`field ${number} is not an integer`);
}

export function messageOf({ number, value }: WireField): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw damaged(`field ${number} is not a message`);
}

export function textOf(field: WireField): string {
  try {
    return utf8.decode(messageOf(field));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw damaged(`field ${field.number} is not UTF-8`);
  }
}

/** A single value, or the values of a packed field. */
export function integersOf(field: WireField): readonly bigint[] {
  if (!(field.value instanceof Uint8Array)) return [integerOf(field)];
  const bytes = new Bytes(field.value);
  const integers: bigint[] = [];
  while (!bytes.isAtEnd) integers.push(BigInt.asIntN(64, bytes.varint()));
  return integers;
}

class Bytes {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  varint(): bigint {
    const first = this.#bytes[this.#at] ?? 128;
    // Nearly all varints have one byte. A plain number is fast here.
    if (first < 128) {
      this.#at += 1;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = BigInt(this.take(1)[0] ?? 0);
      if (shift === 63n && byte > 1n) break;
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
    throw damaged('a number has more than 64 bits');
  }

  take(size: number): Uint8Array {
    if (size > this.#bytes.length - this.#at) throw damaged('it is cut short');
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}

function contentOf(bytes: Bytes, type: bigint): WireField['value'] {
  switch (type) {
    case 0n:
      return bytes.varint();
    case 2n:
      return bytes.take(Number(bytes.varint()));
    case 1n:
    case 5n:
      bytes.take(type === 1n ? 8 : 4);
      return null;
    default:
      throw damaged('a field has no type');
  }
}

function damaged(what: string): AppError {
  return new AppError('parse_failed', `the body is not a prometheus.ReadRequest: ${what}`);
}
