/** `seriesdb verify`: reads every file of a database completely and reports damage. */

import { parse } from 'lossless-json';

import { Meter } from '../session/meter.js';
import { entryFlag, isBucketUrl, refuseBucketFlags } from '../session/store-flags.js';
import { CommandFailure, exitCodes } from '../session/failure.js';
import { printTable, shown, type Cell } from '../session/table.js';

import { reportPieces, type MaintenanceContext } from '../session/maintenance-context.js';
import { linesOf, readPieces } from '../session/directories.js';
import { cellOf } from './inspect.js';

type Finding = Readonly<Record<string, unknown>>;

/** Resolves with the exit code: healthy, or damage was found. */
export async function verify(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<number> {
  if (directory !== undefined && isBucketUrl(directory)) return verifyBucket(context, directory);
  refuseBucketFlags(context);
  return told(context, reportPieces(context, checked, directory));
}

async function verifyBucket(context: MaintenanceContext, url: string): Promise<number> {
  const { directories, signal } = context;
  // The client of object stores loads slowly, and a directory needs none.
  const { withStore } = await import('./bucket-backup.js');
  return withStore(context, url, ({ store, url: name }) => {
    const bucket = { store, entry: entryFlag(context) };
    const request = { directory: name, bucket, report: checked.report, number: null };
    return told(context, readPieces(directories.openReport(request), signal));
  });
}

async function told(
  context: MaintenanceContext,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const lines = linesOf(pieces);
  const report = new VerifyReport(context);
  try {
    for await (const line of lines) report.take(line);
  } finally {
    report.stop();
  }
  return report.finish();
}

const checked = { method: 'POST', path: '/__admin/verify', report: 'verification' } as const;

const columns = [
  { name: 'file' },
  { name: 'status' },
  { name: 'bytes', isNumber: true },
  { name: 'records', isNumber: true },
  { name: 'chunks', isNumber: true },
  { name: 'samples', isNumber: true },
];

class VerifyReport {
  readonly #context: MaintenanceContext;
  readonly #rows: Cell[][] = [];
  readonly #problems: string[] = [];
  #meter: Meter | null = null;
  #bytes = 0;
  #samples = 0;
  #end: Finding | null = null;

  constructor(context: MaintenanceContext) {
    this.#context = context;
  }

  take(line: string): void {
    const found = parse(line) as Finding;
    const { terminal, isJson } = this.#context;
    if (isJson) terminal.write(`${line}\n`);
    if (found['kind'] === 'plan') {
      const total = Number(found['bytes']);
      this.#meter = new Meter({ screen: terminal.screen(), title: 'verify', total });
    } else if (found['kind'] === 'end') {
      this.#end = found;
    } else {
      this.#takeFile(found);
    }
  }

  stop(): void {
    this.#meter?.stop();
  }

  finish(): number {
    const { terminal, isJson } = this.#context;
    if (this.#end === null) throw new CommandFailure('the check ended before it was done');
    if (this.#end['status'] === 'failed') throw new CommandFailure(String(this.#end['error']));
    const isDamaged = this.#end['status'] !== 'ok';
    if (!isJson) {
      const { files, damaged, bytes, samples } = this.#end;
      terminal.write(printTable(columns, this.#rows, { width: terminal.width() }));
      terminal.write(this.#problems.map((one) => `${one}\n`).join(''));
      const verdict = isDamaged ? `damage in ${String(damaged)} places` : 'no damage';
      terminal.write(
        `${verdict}: ${String(files)} files, ${String(bytes)} bytes, ${String(samples)} samples\n`,
      );
    }
    return isDamaged ? exitCodes.damaged : exitCodes.ok;
  }

  #takeFile(found: Finding): void {
    const { file = 'recovery', status, bytes, records, chunks, samples } = found;
    this.#bytes += Number(bytes ?? 0);
    this.#samples += Number(samples ?? 0);
    this.#meter?.show(this.#bytes, this.#samples);
    const cells = [file, status, bytes, records, chunks, samples];
    this.#rows.push(cells.map(cellOf));
    const problems = Array.isArray(found['problems']) ? found['problems'].map(String) : [];
    const times = found['start'] === undefined ? '' : ` (${timesOf(found)})`;
    for (const problem of problems) {
      this.#problems.push(`${shown(String(file))}${times}: ${shown(problem)}`);
    }
    const more = Number(found['problem_count'] ?? 0) - problems.length;
    if (more > 0) this.#problems.push(`${shown(String(file))}: ${String(more)} more`);
  }
}

function timesOf({ start, end }: Finding): string {
  return `from ${String(start)} to ${String(end)}`;
}
