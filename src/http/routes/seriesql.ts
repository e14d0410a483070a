/** POST /api/v1/seriesql */

import { AppError } from '../../errors/app-error.js';
import { contentTypes, kQuerySizeMax, tooLarge } from '../../operations/query.js';

import { choosesFormat } from '../accept.js';

import type { Reply } from '../reply.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

/** A query ends itself in time; this much later something is wrong with the server. */
const kGraceMs = 5000;

const decoder = new TextDecoder('utf-8', { fatal: true });

export async function seriesqlRoute(request: Request, context: RouteContext): Promise<Reply> {
  const format = choosesFormat(request.head.accept);
  let cancel = (): void => undefined;
  request.onAbandoned(() => {
    cancel();
  });
  const asOf = request.parameters().get('as_of') ?? null;
  const query = context.operations.query(await readText(request), format, asOf);
  cancel = () => {
    query.cancel();
  };
  request.mayTake(query.timeoutMs + kGraceMs);
  return { status: 200, contentType: contentTypes[format], body: await query.started };
}

async function readText(request: Request): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await request.readAll(kQuerySizeMax);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'payload_too_large') throw error;
    throw tooLarge();
  }
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new AppError('parse_failed', 'line 1, column 1: the query is not UTF-8', { cause });
  }
}
