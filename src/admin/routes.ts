/** Every route of the admin listener on one page. It shares none with the public one. */

import { buildTable } from '../http/build-table.js';
import { jsonReply, type BodyPieces, type Reply } from '../http/reply.js';

import type { Request } from '../http/request.js';
import type { RouteTable } from '../http/route.js';

/** What the composition offers to operators. */
export interface AdminContext {
  /** A JSON value. */
  readonly status: () => object;
  /** The settings in force; secrets are hidden already. */
  readonly config: () => object;
  /**
   * Returns the keys that wait for a restart. Throws `invalid_configuration`, having changed
   * nothing, and `reload_unavailable`.
   */
  readonly reload: () => readonly string[];
  /** Resolves when all that was in memory is in segments. */
  readonly flush: () => Promise<void>;
  /** Reads every file completely; lines of JSON, one for each file as it is done. */
  readonly verify: () => BodyPieces;
  /** Resolves when segments are merged as far as they can be. */
  readonly compact: () => Promise<CompactionFigures>;
}

export interface CompactionFigures {
  readonly segmentsBefore: number;
  readonly segmentsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export const adminRoutes: RouteTable<AdminContext> = buildTable<AdminContext>([
  ['GET', '/__admin/status', status],
  ['GET', '/__admin/config', config],
  ['POST', '/__admin/reload', reload],
  ['POST', '/__admin/flush', flush],
  ['POST', '/__admin/compact', compact],
  ['POST', '/__admin/verify', verify],
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

async function compact(_request: Request, context: AdminContext): Promise<Reply> {
  const done = await context.compact();
  const answer = {
    status: 'compacted',
    segments_before: done.segmentsBefore,
    segments_after: done.segmentsAfter,
    bytes_before: done.bytesBefore,
    bytes_after: done.bytesAfter,
  };
  return jsonReply(JSON.stringify(answer));
}

/** The answer begins at once and tells of each file as it is checked. */
function verify(_request: Request, context: AdminContext): Reply {
  return { status: 200, contentType: 'application/x-ndjson', body: context.verify() };
}
