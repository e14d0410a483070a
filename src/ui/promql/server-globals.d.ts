/**
 * Globals of Node.js that server code behind `promql-list.ts` uses: the page has the types of that
 * file, and the build replaces its code by data. Code of the page may not use them (eslint).
 */

declare function setImmediate(run: () => void): void;

interface Buffer extends Uint8Array<ArrayBuffer> {
  copy(target: Uint8Array, targetStart: number, start: number, end: number): number;
  write(text: string, at: number): number;
  subarray(start: number, end: number): Buffer;
}
declare const Buffer: { allocUnsafeSlow(bytes: number): Buffer };
