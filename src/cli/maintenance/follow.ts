/** Follows the progress lines of long work on a database: a progress bar, and the result. */

import { parse } from 'lossless-json';

import { CommandFailure, exitCodes } from '../session/failure.js';
import { Meter } from '../session/meter.js';
import { shown } from '../session/table.js';

import { linesOf } from '../session/directories.js';
import { printMembers, withoutKind } from './inspect.js';

import type { Terminal } from '../session/terminal.js';
import type { MaintenanceContext } from '../session/maintenance-context.js';

type ReportLine = Readonly<Record<string, unknown>>;

/** Shows the progress. Resolves with the exit code. */
export async function follow(
  { terminal, isJson }: MaintenanceContext,
  title: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const progress = new FollowedProgress(terminal, title);
  let end: ReportLine | null = null;
  try {
    for await (const text of linesOf(pieces)) {
      const line = parse(text) as ReportLine;
      if (isJson) terminal.write(`${text}\n`);
      if (line['kind'] === 'end') end = line;
      progress.take(line);
    }
  } finally {
    progress.stop();
  }
  if (end === null) throw new CommandFailure(`the ${title} ended before it was done`);
  if (end['status'] === 'failed') throw new CommandFailure(String(end['error']));
  if (String(end['series']) === '0') terminal.note('seriesdb: no series matches\n');
  for (const problem of progress.problems) terminal.writeError(`seriesdb: ${shown(problem)}\n`);
  if (!isJson) terminal.write(printMembers(withoutKind(end)));
  return isWhole(end) ? exitCodes.ok : exitCodes.damaged;
}

/** A copy that skipped damaged files reports them; a migration reports unmigrated segments. */
function isWhole({ status, left = 0 }: ReportLine): boolean {
  return status !== 'damaged' && String(left) === '0';
}

/** The progress: in files read one after the other, in series, or in total. */
class FollowedProgress {
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

  take(line: ReportLine): void {
    const bytes = Number(line['bytes'] ?? 0);
    switch (line['kind']) {
      case 'flush':
        this.#terminal.note('seriesdb: flushing memory to segments …\n');
        break;
      case 'waiting':
        break;
      case 'plan':
        this.#begin(line, bytes);
        break;
      case 'progress':
        this.#show(line, bytes);
        break;
      case 'end':
        if (line['status'] !== 'failed') this.#fill(line);
        break;
      default:
        this.#takeFile(line, bytes);
    }
  }

  stop(): void {
    this.#meter?.stop();
  }

  #begin({ segments, series }: ReportLine, bytes: number): void {
    const screen = this.#terminal.screen();
    const unit = series !== undefined ? 'samples' : segments === undefined ? 'files' : 'segments';
    const total = series === undefined ? bytes : Number(series);
    this.#meter = new Meter({ screen, title: this.#title, total, unit });
    if (segments !== undefined) this.#meter.show(0, Number(segments));
  }

  #show({ segments, bytes_left: left, series, samples }: ReportLine, bytes: number): void {
    if (series !== undefined) this.#meter?.show(Number(series), Number(samples));
    else if (segments === undefined) this.#meter?.show(this.#bytes + bytes, this.#files);
    else this.#meter?.show(bytes, Number(segments), bytes + Number(left));
  }

  /** A migration leaves only damaged segments. */
  #fill({ samples, segments_after: after = samples, left = after }: ReportLine): void {
    this.#meter?.fill(left === undefined ? this.#files : Number(left));
  }

  #takeFile({ problems }: ReportLine, bytes: number): void {
    this.#bytes += bytes;
    this.#files += 1;
    this.#meter?.show(this.#bytes, this.#files);
    if (Array.isArray(problems)) this.problems.push(...problems.map(String));
  }
}
