/** Every route of the admin listener on one page. It shares none with the public one. */

import { AppError, toAppError } from '../errors/app-error.js';
import { bodySchema, field, kJsonBodyMax, type BodyOf } from '../http/body-schema.js';
import { buildTable } from '../http/build-table.js';
import { parseJsonObject } from '../http/json-body.js';
import { jsonReply, type Reply } from '../http/reply.js';
import {
  answerSnapshotTask,
  beginBackup,
  beginLongTask,
  printCollection,
  type LinePieces,
  type LongTask,
  type Maintained,
  type SnapshotTask,
} from '../operations/maintenance.js';
import { beginUndelete, type OneUndelete } from '../operations/undelete.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Request } from '../http/request.js';
import type { Answer, RouteTable } from '../http/route.js';

/** What the composition offers to operators. */
export interface AdminContext extends Maintained {
  /** A JSON value. */
  readonly status: () => object;
  /** The settings in force; secrets are hidden already. */
  readonly config: () => object;
  /**
   * Returns the keys that wait for a restart. Throws `invalid_configuration`, having changed
   * nothing, and `reload_unavailable`.
   */
  readonly reload: () => readonly string[];
  /** Of the database's timestamps. */
  readonly unit: TimestampUnit;
  readonly oneUndelete: OneUndelete;
  /** Reads every file completely; lines of JSON, one for each file as it is done. */
  readonly verify: () => LinePieces;
}

export const adminRoutes: RouteTable<AdminContext> = buildTable<AdminContext>([
  ['GET', '/__admin/status', status],
  ['GET', '/__admin/config', config],
  ['POST', '/__admin/reload', reload],
  ['POST', '/__admin/flush', flush],
  ['POST', '/__admin/compact', longTask('compact')],
  ['POST', '/__admin/migrate', longTask('migrate')],
  ['POST', '/__admin/gc', collect],
  ['POST', '/__admin/verify', verify],
  ['POST', '/__admin/snapshot/create', snapshotTask('snapshot/create')],
  ['POST', '/__admin/snapshot/delete', snapshotTask('snapshot/delete')],
  ['GET', '/__admin/snapshot/list', listSnapshots],
  ['POST', '/__admin/backup', backup],
  ['POST', '/__admin/undelete', undelete],
  ['POST', '/__admin/repair', repair],
]);

function status(_request: Request, context: AdminContext): Reply {
  return jsonReply(JSON.stringify(context.status()));
}

function config(_request: Request, context: AdminContext): Reply {
  return jsonReply(JSON.stringify(context.config()));
}

function reload(_request: Request, context: AdminContext): Reply {
  const waiting = context.reload();
  const rest = waiting.length === 0 ? {} : { restart_required: waiting };
  return jsonReply(JSON.stringify({ status: 'reload_requested', ...rest }), 202);
}

async function flush(_request: Request, context: AdminContext): Promise<Reply> {
  await context.flush();
  return jsonReply('{"status":"flushed"}');
}

function longTask(task: LongTask): Answer<AdminContext> {
  return (request, context) => linesReply(request, beginLongTask(task, context));
}

function snapshotTask(task: SnapshotTask): Answer<AdminContext> {
  return async (request, context) =>
    jsonReply(await answerSnapshotTask(task, context, request.parameters().get('name')));
}

async function collect(request: Request, context: AdminContext): Promise<Reply> {
  const asked = {
    isDryRun: readFlag(request, 'dry_run'),
    isOfHistory: readFlag(request, 'history'),
  };
  return jsonReply(printCollection(await context.collect(asked), asked));
}

function verify(request: Request, context: AdminContext): Reply {
  return linesReply(request, context.verify());
}

function listSnapshots(request: Request, context: AdminContext): Reply {
  return linesReply(request, context.openSnapshots());
}

/** It goes to a directory of the server's machine. */
function backup(request: Request, context: AdminContext): Reply {
  return linesReply(request, beginBackup(context, request.parameters().get('directory')));
}

const undeleteBody = bodySchema({
  metric: field.text('Only series of this metric.'),
  prefix: field.text('Or of metrics whose names begin so.'),
  labels: field.labels('Only series that have these labels.'),
  start: field.i64('The first timestamp, inside the range.'),
  end: field.i64('The last timestamp, inside the range.'),
});

async function undelete(request: Request, context: AdminContext): Promise<Reply> {
  const parameters = request.parameters();
  refuseUnknown(parameters.keys(), ['as_of', 'dry_run']);
  const asked = {
    ...(await readUndeleteBody(request)),
    asOf: parameters.get('as_of'),
    unit: context.unit,
    isDryRun: readFlag(request, 'dry_run'),
  };
  return linesReply(
    request,
    context.oneUndelete.begin(() => beginUndelete(context, asked)),
  );
}

/** Throws `invalid_flag`. */
function readFlag(request: Request, name: string): boolean {
  const text = request.parameters().get(name);
  if (text === undefined || text === 'true' || text === 'false') return text === 'true';
  throw new AppError('invalid_flag', `${name} must be true or false`);
}

/** Where a choice that is misspelt would be the choice of everything. Throws `unknown_field`. */
function refuseUnknown(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new AppError('unknown_field', `${name} is none of ${known.join(', ')}`);
  }
}

/** None stands for all series. */
async function readUndeleteBody(request: Request): Promise<BodyOf<typeof undeleteBody>> {
  const bytes = await request.readAll(kJsonBodyMax);
  const body = bytes.length === 0 ? {} : parseJsonObject(bytes);
  refuseUnknown(
    Object.keys(body),
    undeleteBody.fields.map(([name]) => name),
  );
  return undeleteBody.read(body);
}

/** Of segments that are damaged. */
function repair(request: Request, context: AdminContext): Reply {
  const isLossAccepted = readFlag(request, 'accept_loss');
  return linesReply(
    request,
    context.openRepair({ isDry: readFlag(request, 'dry_run'), isLossAccepted }),
  );
}

/** The answer begins at once and tells how far it is: of each file, or each second. */
function linesReply(request: Request, body: LinePieces): Reply {
  // A file may be long: the work on it ends at once where nobody waits, not with the file.
  request.onAbandoned(() => {
    body.close();
  });
  return { status: 200, contentType: 'application/x-ndjson', body: withLastWord(body) };
}

/** A failure on the way is a line, too: who reads it learns why it ended. */
function withLastWord(body: LinePieces): LinePieces {
  let isBegun = false;
  let isFailed = false;
  return {
    next: async () => {
      if (isFailed) return null;
      try {
        const piece = await body.next();
        isBegun = true;
        return piece;
      } catch (error) {
        if (!isBegun) throw error;
        isFailed = true;
        const { code, message } = toAppError(error);
        const line = { kind: 'end', status: 'failed', code, error: message };
        return Buffer.from(`${JSON.stringify(line)}\n`);
      }
    },
    close: () => {
      body.close();
    },
  };
}
