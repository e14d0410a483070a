/** A body of samples that is stored once it is complete. */

import { Later } from '../../common/model/later.js';

import {
  decodingOf,
  ofEvery,
  type BodyReader,
  type EncodedShape,
  type BodyLineField,
} from './route-body.js';

import type { BodyTarget, MakeDecoder } from '../intake/body-encoding.js';
import type { Request } from './request.js';

interface SampleTarget<Report> extends BodyTarget {
  /** Called when the samples are durable and visible. */
  commit(): Later<Report>;
  abort(): void;
}

/** Passes the decoded body to the target as it arrives, then commits. */
type StoreBody = <Report>(target: SampleTarget<Report>) => Later<Report>;

interface SamplesContext {
  /** Maximum bytes of a body, after decompression. */
  readonly maxBodyBytes: number;
  readonly operations: { readonly encodedBody: MakeDecoder };
}

interface SamplesShape extends EncodedShape {
  /** The schema of one JSON line; absent for other formats. */
  readonly lineFields?: readonly BodyLineField[];
}

export function samplesBody({
  mediaType,
  purpose,
  lineFields = [],
  unnamed,
}: SamplesShape): BodyReader<StoreBody, SamplesContext> {
  const sizeSetting = 'max_body_bytes';
  const errors = ['invalid_encoding', 'payload_too_large', ...ofEvery] as const;
  return {
    shape: { kind: 'stream', mediaType, purpose, sizeSetting, lineFields, errors },
    read:
      (request, { maxBodyBytes, operations }) =>
      (target) =>
        store(request, target, () =>
          request.consume(target, maxBodyBytes, decodingOf(operations, unnamed)),
        ),
  };
}

/** `pass` supplies the body. Uncommitted data is discarded if the client leaves. */
function store<Report>(
  request: Request,
  target: SampleTarget<Report>,
  pass: () => Later<void>,
): Later<Report> {
  const stored = new Later<Report>();
  let isCommitting = false;
  const fail = (error: unknown): void => {
    target.abort();
    stored.fail(error);
  };
  const commit = (): void => {
    isCommitting = true;
    tried(() => target.commit(), fail)?.tell((report) => {
      stored.settle(report);
    }, fail);
  };
  request.onAbandoned(() => {
    if (!isCommitting) target.abort();
  });
  tried(pass, fail)?.tell(commit, fail);
  return stored;
}

function tried<Value>(call: () => Value, fail: (error: unknown) => void): Value | null {
  try {
    return call();
  } catch (error) {
    fail(error);
    return null;
  }
}
