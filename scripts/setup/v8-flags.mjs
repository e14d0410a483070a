// The V8 flags of a server on the command line of Node.js: docs/decisions/0100. As a program, this
// file prints them for `npm start`. src/server/starting/v8-flags.ts has the same list, since this
// one is needed before compilation.

/**
 * V8 of Node.js 20 counts bytes of bytecode. Later versions count calls, which compiles early
 * enough.
 */
const countsBytes = Number.parseInt(process.versions.v8, 10) < 12;

/** Flags for the current Node.js. With an unknown flag it would not start. */
export const v8Flags = [
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=300',
  ...(countsBytes ? ['--interrupt-budget=10000'] : []),
];

if (process.argv[1]?.endsWith('v8-flags.mjs')) console.log(v8Flags.join(' '));
