// The flags of V8 that a server has on the command line of Node.js: docs/decisions/0100. Run by
// itself, it prints them for `npm start`. The same list is in src/server/starting/v8-flags.ts,
// since this one is needed before anything is compiled.

/** V8 of Node.js 20 counts bytes of bytecode; later ones count calls, soon enough. */
const countsBytes = Number.parseInt(process.versions.v8, 10) < 12;

/** Of the Node.js that runs this: one that does not know a flag would not start. */
export const v8Flags = [
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=300',
  ...(countsBytes ? ['--interrupt-budget=10000'] : []),
];

if (process.argv[1]?.endsWith('v8-flags.mjs')) console.log(v8Flags.join(' '));
