/** `seriesdb backup` and `restore`: a database copied to another directory, file by file. */

import path from 'node:path';

import { parse } from 'lossless-json';

import { beginBackup } from '../../operations/maintenance.js';
import { textFlag, type Flags } from '../client-context.js';
import { CommandFailure, exitCodes } from '../failure.js';
import { Meter } from '../loading/meter.js';
import { printFacts, shown } from '../table.js';

import { adminConnection, placeOf, type CareContext } from './care-context.js';
import { linesOf, readPieces } from './directories.js';
import { cellOf } from './inspect.js';
import { withOpened } from './task.js';

import type { Terminal } from '../terminal.js';

/** Resolves with the exit code. */
export async function backup(
  context: CareContext,
  target: string,
  directory: string | undefined,
  flags: Flags,
): Promise<number> {
  const { terminal, signal } = context;
  const place = placeOf(directory, flags);
  if ('url' in place) {
    // As the server sees it: relative to what would be nobody's guess.
    const query = `?directory=${encodeURIComponent(target)}`;
    const call = {
      ...({ method: 'POST', isRepeatable: false, signal } as const),
      path: `/__admin/backup${query}`,
    };
    const pieces = adminConnection(terminal, place.url, flags).pieces(call);
    return follow(context, 'backup', pieces);
  }
  return withOpened(context, place.directory, flags, async (opened) => {
    const pieces = await beginBackup(opened, path.resolve(target));
    return follow(context, 'backup', readPieces(pieces, signal));
  });
}

/** Resolves with the exit code. */
export function restore(
  context: CareContext,
  source: string,
  target: string,
  flags: Flags,
): Promise<number> {
  const { directories, signal } = context;
  const snapshot = textFlag(flags, 'snapshot') ?? null;
  const request = { directory: source, target: path.resolve(target), snapshot };
  return follow(context, 'restore', readPieces(directories.openRestore(request), signal));
}

type Line = Readonly<Record<string, unknown>>;

/** Shows how far it is, and what came of it. */
async function follow(
  { terminal, isJson }: CareContext,
  title: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const progress = new Progress(terminal, title);
  let end: Line | null = null;
  try {
    for await (const text of linesOf(pieces)) {
      const line = parse(text) as Line;
      if (isJson) terminal.write(`${text}\n`);
      if (line['kind'] === 'end') end = line;
      else progress.take(line);
    }
  } finally {
    progress.stop();
  }
  if (end === null) throw new CommandFailure(`the ${title} ended before it was done`);
  if (end['status'] === 'failed') throw new CommandFailure(String(end['error']));
  for (const problem of progress.problems) terminal.writeError(`seriesdb: ${shown(problem)}\n`);
  const facts = Object.entries(end).filter(([name]) => name !== 'kind');
  if (!isJson) terminal.write(printFacts(facts.map(([name, value]) => [name, cellOf(value)])));
  return end['status'] === 'ok' ? exitCodes.ok : exitCodes.damaged;
}

/** How far it is. */
class Progress {
  readonly problems: string[] = [];
  readonly #terminal: Terminal;
  readonly #title: string;
  #meter: Meter | null = null;
  #bytes = 0;
  #files = 0;

  constructor(terminal: Terminal, title: string) {
    this.#terminal = terminal;
    this.#title = title;
  }

  take(line: Line): void {
    const bytes = Number(line['bytes'] ?? 0);
    if (line['kind'] === 'plan') {
      const screen = this.#terminal.screen();
      this.#meter = new Meter({ screen, title: this.#title, total: bytes, unit: 'files' });
    } else if (line['kind'] === 'progress') {
      this.#meter?.show(this.#bytes + bytes, this.#files);
    } else {
      this.#bytes += bytes;
      this.#files += 1;
      this.#meter?.show(this.#bytes, this.#files);
      if (Array.isArray(line['problems'])) this.problems.push(...line['problems'].map(String));
    }
  }

  stop(): void {
    this.#meter?.stop();
  }
}
