/**
 * Globals of Node.js that server code behind `promql-list.ts` uses. The page needs the types of that
 * file only: the build replaces its code by data. ESLint forbids these globals in page code.
 */

declare function setImmediate(run: () => void): void;

interface Buffer extends Uint8Array<ArrayBuffer> {
  copy(target: Uint8Array, targetStart: number, start: number, end: number): number;
  write(text: string, at: number): number;
  subarray(start: number, end: number): Buffer;
}
declare const Buffer: { allocUnsafeSlow(bytes: number): Buffer };
