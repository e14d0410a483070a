/** Parses prometheus.ReadRequest. Hints and newer fields are ignored. */

import { AppError } from '../../../common/errors/app-error.js';
import { milliseconds } from '../../../common/model/timestamp-unit.js';
import { integerOf, integersOf, messageOf, textOf, wireFields } from './wire-fields.js';

import type { Operations } from '../../../operations/operations.js';

type RequestedRead = Parameters<Operations['remoteRead']>[0][number];
type RequestedForm = Parameters<Operations['remoteRead']>[1]['form'];
type ReadMatcher = RequestedRead['matchers'][number];

/** Prometheus sends one query per request. */
const kQueriesMax = 64;
/** The limit over all queries of a request. */
const kMatchersMax = 1024;
/** Response types by their number in the protocol. */
const forms: ReadonlyMap<bigint, RequestedForm> = new Map([
  [0n, 'samples'],
  [1n, 'chunks'],
]);
/** Operators by their number in the protocol. */
const matcherOps = ['=', '!=', '=~', '!~'] as const;

interface ReadRequest {
  readonly reads: readonly RequestedRead[];
  readonly form: RequestedForm;
}

/** Throws `parse_failed` and `validation_failed`. */
export function readRequest(bytes: Uint8Array): ReadRequest {
  const reads: RequestedRead[] = [];
  const types: bigint[] = [];
  let matchers = 0;
  for (const field of wireFields(bytes)) {
    if (field.number === 1) {
      const read = readQuery(messageOf(field));
      reads.push(read);
      matchers += read.matchers.length;
      if (reads.length > kQueriesMax) throw tooMany(kQueriesMax, 'queries');
      if (matchers > kMatchersMax) throw tooMany(kMatchersMax, 'matchers');
    } else if (field.number === 2) {
      types.push(...integersOf(field));
    }
  }
  return { reads, form: formOf(types) };
}

/** The first offered type that is supported; samples if the request names none. */
function formOf(types: readonly bigint[]): RequestedForm {
  if (types.length === 0) return 'samples';
  const type = types.find((one) => forms.has(one));
  const form = type === undefined ? undefined : forms.get(type);
  if (form !== undefined) return form;
  const offered = 'SAMPLES or STREAMED_XOR_CHUNKS';
  throw new AppError('validation_failed', `accepted_response_types must have ${offered}`);
}

function readQuery(bytes: Uint8Array): RequestedRead {
  let [start, end] = [0n, 0n];
  const matchers: ReadMatcher[] = [];
  for (const field of wireFields(bytes)) {
    if (field.number === 1) start = integerOf(field);
    else if (field.number === 2) end = integerOf(field);
    else if (field.number === 3) matchers.push(readMatcher(messageOf(field)));
    if (matchers.length > kMatchersMax) throw tooMany(kMatchersMax, 'matchers');
  }
  return { start: milliseconds(start), end: milliseconds(end), matchers };
}

function readMatcher(bytes: Uint8Array): ReadMatcher {
  let [type, key, value] = [0n, '', ''];
  for (const field of wireFields(bytes)) {
    if (field.number === 1) type = integerOf(field);
    else if (field.number === 2) key = textOf(field);
    else if (field.number === 3) value = textOf(field);
  }
  const op = matcherOps[Number(type)];
  if (op === undefined) throw new AppError('validation_failed', `unknown matcher type ${type}`);
  return { key, op, value };
}

function tooMany(most: number, what: string): AppError {
  return new AppError('validation_failed', `the request has more than ${most} ${what}`);
}
