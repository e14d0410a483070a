/**
 * The chunks of the program, with the code that V8 compiled of them before, where it is at hand
 * (`compile-ahead.ts`): to read it takes a third of the time of compiling. V8 compares its own
 * version and flags, and of the text no more than the length; so that is compared here.
 */

import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';

import { readKeptCode, writeKeptCode, type KeptCode } from './kept-code.js';

interface Module {
  exports: unknown;
}

type Require = (id: string) => unknown;
type Body = (module: Module, require: Require, __filename: string) => void;

/** Which of the flags of `v8-flags.ts` V8 has: code is kept for each set of its own. */
export type FlagSet = 'none' | 'some' | 'all';

interface Chunk {
  readonly module: Module;
  readonly script: Script;
  readonly textHash: string;
}

export class Chunks {
  readonly #folder: string;
  readonly #keptFile: string;
  readonly #require: Require;
  readonly #kept: ReadonlyMap<string, KeptCode>;
  readonly #refused: string[] = [];
  readonly #loaded = new Map<string, Chunk>();

  /** `folder` ends in a slash, and has all chunks. */
  constructor(folder: string, flags: FlagSet = 'none') {
    this.#folder = folder;
    // Several versions of Node.js may run one program.
    const of = flags === 'none' ? '' : `-${flags}`;
    this.#keptFile = `${folder}compiled-${process.version}-${process.arch}${of}.bin`;
    this.#require = createRequire(folder);
    this.#kept = readKeptCode(this.#keptFile);
  }

  /** Those whose kept code V8 would not have: it was compiled under other flags. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  /** What the chunk exports. */
  load(name: string): unknown {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.module.exports;
    const chunk = this.#compile(name);
    // Before it runs: two chunks may need one another.
    this.#loaded.set(name, chunk);
    const { module, script } = chunk;
    const body = script.runInThisContext() as Body;
    const require: Require = (id) =>
      id.startsWith('./') ? this.load(id.slice('./'.length)) : this.#require(id);
    body(module, require, this.#folder + name);
    return module.exports;
  }

  #compile(name: string): Chunk {
    const filename = this.#folder + name;
    const bytes = readFileSync(filename);
    const textHash = createHash('sha256').update(bytes).digest('hex');
    const kept = this.#kept.get(name);
    const script = new Script(
      // On one line with the first of the text, so that lines count as in the file.
      `(function (module, require, __filename) { const { exports } = module; ${textOf(bytes)}\n})`,
      {
        filename,
        ...(kept?.textHash === textHash ? { cachedData: kept.code } : {}),
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      },
    );
    if (script.cachedDataRejected === true) this.#refused.push(name);
    return { module: { exports: {} }, script, textHash };
  }

  /** Keeps the code of all that was loaded, each function that has run. */
  keep(): void {
    const made = [...this.#loaded].map(([name, { script, textHash }]) => {
      const code = script.createCachedData();
      return [name, { textHash, code }] as const;
    });
    writeKeptCode(this.#keptFile, new Map(made));
  }
}

/** Text of one byte a character takes a fourth of the time. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
