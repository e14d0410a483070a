/**
 * Globals of Node.js for the types of `promql-list.ts` and the server code behind it. The build
 * replaces that code by data. Code of the page may not use these globals (eslint).
 */

declare function setImmediate(run: () => void): void;

interface Buffer extends Uint8Array<ArrayBuffer> {
  copy(target: Uint8Array, targetStart: number, start: number, end: number): number;
  write(text: string, at: number): number;
  subarray(start: number, end: number): Buffer;
}
declare const Buffer: { allocUnsafeSlow(bytes: number): Buffer };
