/** The target of a load: a server, or a directory, which a server may have open. */

import path from 'node:path';

import { SeriesDbError } from '../../client/client.js';
import { toAppError } from '../../common/errors/app-error.js';
import { catalog } from '../../common/errors/catalog.js';
import { textFlag, withUnit, type ClientContext, type Flags } from '../session/client-context.js';
import { UsageFailure } from '../session/failure.js';
import { contextIn } from '../session/own-client.js';
import { resolveInputs } from '../session/setting-flags.js';

import { parametersOf } from './plain-table.js';

import type { IngestReport } from '../../client/client.js';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { TableForm } from '../../common/model/table-columns.js';
import type { Directories, LinesForm, LoadableDirectory } from '../session/directories.js';

/** Options of the client. */
interface LoadSendOptions extends LinesForm {
  readonly on_error: 'fail' | 'skip';
  readonly signal: AbortSignal;
}

export interface LoadTarget {
  /** The name of the target in the state file. */
  readonly name: string;
  /** Tries once. Rejects with SeriesDbError. */
  readonly ingest: (
    lines: Uint8Array<ArrayBuffer>,
    options: LoadSendOptions,
  ) => Promise<IngestReport>;
  /** Stores rows of CSV, all or nothing. Tries once. Rejects with SeriesDbError. */
  readonly importCsv: (
    rows: Uint8Array<ArrayBuffer>,
    form: TableForm,
    signal: AbortSignal,
  ) => Promise<IngestReport>;
  /** The database's timestamp unit. */
  readonly unit: () => Promise<TimestampUnit>;
  readonly close: () => Promise<void>;
  /** A server, reached by the socket in its directory. */
  readonly isOwn: boolean;
}

/** Opens the directory of --into, otherwise the server. */
export async function openTarget(
  context: ClientContext,
  flags: Flags,
  directories: Directories,
): Promise<LoadTarget> {
  const directory = textFlag(flags, 'into');
  if (directory === undefined) return serverTarget(context, context.url);
  if (textFlag(flags, 'url') !== undefined) {
    throw new UsageFailure('name either a directory by --into, or a server by --url');
  }
  const own = await contextIn(context, directory);
  if (own !== null) return { ...serverTarget(own, path.resolve(directory)), isOwn: true };
  const { settings } = resolveInputs({ config: flags['config'] }, context.terminal.environment);
  const opened = await directories.openForLoading(directory, settings);
  return directoryTarget(path.resolve(directory), opened, context.signal);
}

function serverTarget(context: ClientContext, name: string): LoadTarget {
  const client = context.connect({ retry: { retries: 0 } });
  return {
    name,
    ingest: (lines, options) => client.ingest(lines, options),
    importCsv: (rows, form, signal) => client.importCsv(rows, { ...parametersOf(form), signal }),
    unit: async () => (await withUnit(context)).unit,
    close: () => Promise.resolve(),
    isOwn: false,
  };
}

function directoryTarget(
  name: string,
  { unit, ingest, importCsv, close }: LoadableDirectory,
  signal: AbortSignal,
): LoadTarget {
  const asServer = async (work: () => Promise<IngestReport>): Promise<IngestReport> => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw asOfServer(error);
    }
  };
  return {
    name,
    ingest: (lines, options) => asServer(() => ingest(lines, options)),
    importCsv: (rows, form) => asServer(() => importCsv(rows, form)),
    unit: () => Promise.resolve(unit),
    close,
    isOwn: false,
  };
}

/** The minimum wait if memory is full. */
const retryAfterMs = 100;

function asOfServer(cause: unknown): SeriesDbError {
  const { code, status, message } = toAppError(cause);
  const wait = catalog[code].retry ? retryAfterMs : null;
  return new SeriesDbError({ code, status, message, retryAfterMs: wait, cause });
}
