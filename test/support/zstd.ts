/**
 * zstd frames without a compressor, which Node.js 20 lacks: handmade from the two kinds of blocks
 * that need none, and one frame made by the zstd tool.
 */

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const blockMax = 128 * 1024;

function block(type: 'raw' | 'run', size: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntLE((size << 3) | ((type === 'run' ? 1 : 0) << 1) | (isLast ? 1 : 0), 0, 3);
  return head;
}

/** A frame that declares a window of 2^windowLog bytes, with these blocks. */
function frame(windowLog: number, blocks: readonly Buffer[]): Buffer {
  return Buffer.concat([magic, Buffer.from([0, (windowLog - 10) << 3]), ...blocks]);
}

/** Stores `content` uncompressed. */
export function storedFrame(content: Buffer | string, windowLog = 17): Buffer {
  const bytes = Buffer.from(content);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += blockMax) {
    const part = bytes.subarray(at, at + blockMax);
    blocks.push(block('raw', part.length, at + blockMax >= bytes.length), part);
  }
  return frame(windowLog, blocks);
}

/** `size` times the same character, in four bytes for every 128 KiB. */
export function runFrame(character: string, size: number): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < size; at += blockMax) {
    const length = Math.min(blockMax, size - at);
    blocks.push(block('run', length, at + length === size), Buffer.from(character));
  }
  return frame(17, blocks);
}

/**
 * `zstd -19` over 300 lines: metric zstd, host h0 to h2 in turn, ts 1700000000000 + 10000 i, value
 * (37 i mod 1000) / 8. With a checksum of the content.
 */
export const compressedLines = Buffer.from(
  [
    'KLUv/WQsVl0oAGpm8AsacEuqOZh/ZIwujo4PVZV4o6WlTaTUAPc/93DeAKYApQBhLasrinV0JGR0UzRDxBkiEVqCKE',
    'qNqUpqb2ybuOZoZEa6DHvMfIf/EOfMT+pMeiVlJGEjViJRIUcVoYVEmbngWJBULBQUEw2JakS0YR8x465ilV5lp85P',
    'f2kciEcP8/ZD3T302Ck7lN09hNmlg1XNgxRdcTiaD0LyB1J8mOlTduB8DyS8dFiOhwqrODTqUKUP0TnYMmWHOEjycC',
    'XZKR1kkgOIwAMTDAYaJBDgwBCAdYJBYcEQIIKBBwwJhgWFBQcMEBIMCgkMDBCQwBDAUGBB4YEhwUAAAYMFAwoMEAL1',
    'TCPOFDr5xmTKlEwOyRwZeRGZFCHzqMzqckuZ9cWMLaZVLBRT+sS8l5jzEfMbc/gx54xJd71nnWXVWaNOq+lR0mkUnU',
    'LtvLnPsJNzzxF7LvUU9Dzmq/Js4+0+49/4lOPSjfO++Dxx/nDiwufB6cp78zLy2p2VXVTdEZ3Q3I3cTBynN/ItPIqz',
    'hlm1rCWzx2IxC5Oa9I2dNn/FtyJeNaeim+pJlUUF05JC2iNaatv2ljXbftfsRl1Kp3s/V14uPy6H95J/6Xi/Y1lmbK',
    '3YKmKjhqWRsEHB3pSVmSWH7MjdFLsp6uZBN3XuVu46bsa97Tt4Sz+b92bLl80ne/jYnItNF/ZXu2ybNdpVV0dZbVQ1',
    'hai+mVpGak7UHGlNuSYFax5HV41mWzRrohkPbUIzgqb00ryfnidN/s0cbjPnNdPRzG9mlsnMWsxWnRkBACJM2aHuGn',
    'aNXlfe01V+rsflOjyuJO917uvHK9lZWTNrVVlbZDUaK4PEahNWmVpPtnKEVspVJ6x6VJVUqt6p1lLtUaW1Glejs3p/',
    'VMob9XhRhxOVfKikE+oXVLJSa1NZRWrrpkY2Daopb2gqM9MTmY7ElJROJ54enFJPytakdUk7SW2kDJFGD+l9pfJLya',
    'd0+EXJLUpXUX4UJZtoTaJVEWVUo0ZHgxi9uZYy1p5UO0ItJYJaqBLg0Eu37LF3okYxIoE8EngEgXzB/ysIQuAfIKrZ',
    '/2Jx/n72rrkxw259XbsvbfO7TLKsa9i6YbGLI3Y2m91hXckmaP2ylhHtv6jt7zTut7vB3U3ff++buPxyA0N9Vjc5a7',
    'zbxFHXWruusmzvu19cNFf9L4/625yjQ3ioN+sr4/atNL++39Uxk6Xe7rKsYGvKYp2Bsz5g7XfurYv9u4L9xdeTxbPs',
    'Un2peN9zx+9q7Wv1mtWys3N8NrKxYV3P0JnX/bKpYvS/szl/97vR2KylW1+u3Zff/CYDfvY2sNrc2dIxC8n0zFYgJy',
    'Uz+502lAf+q536a5cRe+BKXamvKN0XHvkdFVgrk06nnJvht56pAgwVSOkun2H7pWmUoP9Kl/7G2yatJaZK9TWF++4r',
    'v12+zTguQ1gxk45yKsGwfaMCtBUy7dcbr438N7v1V3cfxpnYpfpS975c8pt4+Lvsnvkf1F8Nfrtcbc861/dLo0b+f2',
    'nrL5w/+F3s5fqied/f+Q21j5Yf/Qe+961Lk9fqDf9DtP3e5Jn733v3V2erSwNfqb7q39djfsd736HtaPWP+6Xh3e9Y',
    'dtTSvd81vEr/16b9zTi/VKrvt5SKgtTRTZhEmH0V6kMYKHPyMbi6VvsQ4sSaQiAIn1RoeP50jE6uQcBi6HjB/fGHYX',
    'vz6YzAGytzk5rNYHrRaAHgbwX+lvlY',
  ].join(''),
  'base64',
);
