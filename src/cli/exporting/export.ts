/** `seriesdb export`: samples as lines, onto the output or into a file. */

import { open, rename, rm } from 'node:fs/promises';

import { labelsOf, timeFlag } from '../arguments.js';
import { textFlag, withUnit, type ClientContext, type Flags } from '../client-context.js';
import { CommandFailure, exitCodes } from '../failure.js';
import { Meter } from '../loading/meter.js';

import { exportLines, type ExportRange, type ExportSource } from './export-lines.js';

import type { TimestampUnit } from '../../model/timestamp-unit.js';
import type { ReadableDirectory } from '../care/directories.js';

const everBefore = -(2n ** 63n);
const everAfter = 2n ** 63n - 1n;

/** Where the samples are, and the unit of their times. */
interface ExportContext extends Pick<ClientContext, 'terminal' | 'isJson' | 'signal'> {
  readonly unit: TimestampUnit;
  readonly source: ExportSource;
}

export async function exportServer(context: ClientContext, flags: Flags): Promise<number> {
  const { unit } = await withUnit(context);
  return exportDatabase({ ...context, unit, source: sourceOf(context) }, flags);
}

export async function exportDirectory(
  context: ClientContext,
  opened: ReadableDirectory,
  flags: Flags,
): Promise<number> {
  try {
    const { unit, source } = opened;
    return await exportDatabase({ ...context, unit, source }, flags);
  } finally {
    await opened.close();
  }
}

/** Resolves with the exit code: skipped when there were values that no line can say. */
async function exportDatabase(context: ExportContext, flags: Flags): Promise<number> {
  const range = {
    prefix: textFlag(flags, 'prefix') ?? '',
    labels: labelsOf(flags) ?? {},
    start: timeFlag(context, flags, { flag: '--start', name: 'start', fallback: everBefore }),
    end: timeFlag(context, flags, { flag: '--end', name: 'end', fallback: everAfter }),
  };
  const output = textFlag(flags, 'output');
  const sums =
    output === undefined ? await toOutput(context, range) : await toFile(context, range, output);
  if (context.isJson) {
    context.terminal.writeError(`${JSON.stringify(sums)}\n`);
  } else {
    context.terminal.note(`seriesdb: ${sums.samples.toLocaleString('en')} samples\n`);
  }
  if (sums.left === 0) return exitCodes.ok;
  context.terminal.writeError(
    `seriesdb: ${String(sums.left)} values are not finite, which no line can say, and were left out\n`,
  );
  return exitCodes.skipped;
}

interface Sums {
  readonly samples: number;
  readonly left: number;
}

function toOutput(context: ExportContext, range: ExportRange): Promise<Sums> {
  const { terminal } = context;
  return writeAll(context, range, {
    screen: null,
    write: async (text) => {
      terminal.write(text);
      await terminal.drained();
    },
  });
}

/** The file has its name when it is whole. */
async function toFile(context: ExportContext, range: ExportRange, name: string): Promise<Sums> {
  const temporary = `${name}.tmp`;
  const file = await open(temporary, 'w').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`cannot write ${name}: ${reason}`);
  });
  try {
    const screen = context.terminal.screen();
    const sums = await writeAll(context, range, {
      screen,
      write: async (text) => {
        await file.appendFile(text);
      },
    });
    await file.sync();
    await file.close();
    await rename(temporary, name);
    return sums;
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

interface Sink {
  readonly screen: NodeJS.WritableStream | null;
  readonly write: (text: string) => Promise<void>;
}

async function writeAll(context: ExportContext, range: ExportRange, sink: Sink): Promise<Sums> {
  const meter = new Meter({ screen: sink.screen, title: 'export', total: null });
  let samples = 0;
  let left = 0;
  try {
    for await (const piece of exportLines(context.source, range)) {
      context.signal.throwIfAborted();
      if (piece.text !== '') await sink.write(piece.text);
      samples += piece.samples;
      left += piece.left;
      meter.show(samples, samples);
    }
  } finally {
    meter.stop();
  }
  return { samples, left };
}

function sourceOf({ client, signal }: ClientContext): ExportSource {
  return {
    findMetrics: (filter) => client.findMetrics(filter, { signal }),
    metricsHealth: (filter) => client.metricsHealth(filter, { signal }),
    findSeries: (filter) => client.findSeries(filter, { signal }),
    streamRange: (query) => client.streamRange(query, { signal }),
  };
}
