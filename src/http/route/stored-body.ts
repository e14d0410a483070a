/** A body whose samples are stored when it is whole. */

import type { BodyTarget } from '../intake/body-encoding.js';
import type { Request } from './request.js';

interface SampleTarget<Report> extends BodyTarget {
  /** Resolves when the samples are durable and visible. */
  commit(): Promise<Report>;
  abort(): void;
}

/** `pass` brings the body. What is not committed by the time the client leaves is forgotten. */
export async function storeBody<Report>(
  request: Request,
  target: SampleTarget<Report>,
  pass: (target: BodyTarget) => Promise<void>,
): Promise<Report> {
  let isCommitting = false;
  request.onAbandoned(() => {
    if (!isCommitting) target.abort();
  });
  try {
    await pass(target);
    isCommitting = true;
    return await target.commit();
  } catch (error) {
    target.abort();
    throw error;
  }
}
