/** POST /api/v1/ingest */

import { AppError } from '../../errors/app-error.js';
import { isTimestampUnit, type TimestampUnit } from '../../model/timestamp-unit.js';

import { jsonReply, type Reply } from '../reply.js';

import type { Parameters } from '../parameters.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export async function ingestRoute(request: Request, context: RouteContext): Promise<Reply> {
  const parameters = request.parameters();
  const options = { precision: precision(parameters), isLenient: isLenient(parameters) };
  const ingest = context.operations.ingest(options);
  let isCommitting = false;
  request.onAbandoned(() => {
    if (!isCommitting) ingest.abort();
  });
  try {
    await request.consume(ingest, context.maxBodyBytes, () => context.operations.zstdBody());
    isCommitting = true;
    return jsonReply(await ingest.commit());
  } catch (error) {
    ingest.abort();
    throw error;
  }
}

function precision(parameters: Parameters): TimestampUnit | null {
  const text = parameters.get('precision');
  if (text === undefined) return null;
  if (isTimestampUnit(text)) return text;
  throw new AppError('invalid_precision', 'precision must be s, ms, us or ns');
}

function isLenient(parameters: Parameters): boolean {
  const text = parameters.get('on_error') ?? 'fail';
  if (text === 'skip' || text === 'fail') return text === 'skip';
  throw new AppError('invalid_on_error', 'on_error must be skip or fail');
}
