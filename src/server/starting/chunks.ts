/**
 * Loads the chunks of the program with the code that V8 compiled earlier, if it is available
 * (`compile-ahead.ts`). Reading it takes a third of the time of compiling. V8 checks its own
 * version and flags, but only the length of the text. So this file also compares the hash of the
 * text.
 */

import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';

import { cachedPlace, placeBeside, type FlagSet } from './kept-places.js';
import { readKeptCode, writeKeptCode, type KeptCode } from './kept-code.js';

interface Module {
  exports: unknown;
}

type Require = (id: string) => unknown;
type ChunkBody = (module: Module, require: Require, __filename: string) => void;

interface Chunk {
  readonly module: Module;
  readonly script: Script;
  readonly textHash: string;
}

export class Chunks {
  readonly #folder: string;
  readonly #flags: FlagSet;
  readonly #require: Require;
  readonly #kept: ReadonlyMap<string, KeptCode>;
  readonly #refused: string[] = [];
  readonly #loaded = new Map<string, Chunk>();

  /** `folder` ends in a slash and contains all chunks. */
  constructor(folder: string, flags: FlagSet = 'none') {
    this.#folder = folder;
    this.#flags = flags;
    this.#require = createRequire(folder);
    const beside = readKeptCode(placeBeside(folder, flags));
    const cached = beside.size > 0 ? null : cachedPlace(folder, flags);
    this.#kept = cached === null ? beside : readKeptCode(cached);
  }

  /** False if a loaded chunk was compiled, since no code of its text was kept. */
  get hasKept(): boolean {
    return [...this.#loaded].every(
      ([name, { textHash }]) => this.#kept.get(name)?.textHash === textHash,
    );
  }

  /** The chunks whose cached code V8 rejected, because it was compiled under other flags. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  /** The exports of the chunk. */
  load(name: string): unknown {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.module.exports;
    const chunk = this.#compile(name);
    // Registered before it runs, since two chunks may need one another.
    this.#loaded.set(name, chunk);
    const { module, script } = chunk;
    const body = script.runInThisContext() as ChunkBody;
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
      // The wrapper is on the first line of the text, so that line numbers match the file.
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

  /**
   * Stores the code of all loaded chunks, including each function that has run: beside the program
   * or in the cache of this user. Without a place there, does nothing.
   */
  keep(where: 'beside' | 'cached'): void {
    const place = where === 'beside' ? placeBeside : cachedPlace;
    const file = place(this.#folder, this.#flags);
    if (file === null) return;
    const made = [...this.#loaded].map(([name, { script, textHash }]) => {
      const code = script.createCachedData();
      return [name, { textHash, code }] as const;
    });
    writeKeptCode(file, new Map(made));
  }
}

/** A text of one byte per character takes a quarter of the time. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
