/**
 * JSON request bodies. Numbers keep their text, so a 64-bit integer never passes through a double.
 * A key that occurs twice with different values is ambiguous and refused. Any key is allowed,
 * including `__proto__`.
 */

import { isLosslessNumber, parse } from 'lossless-json';

import { AppError } from '../../common/errors/app-error.js';
import { parseU64 } from '../../common/model/integers.js';
import { parseTs } from '../../common/model/time-text.js';
import { beginningOf } from '../../common/model/visible-text.js';

import { checkJsonCost } from './json-cost.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { LabelPairs } from '../../common/model/selector.js';
import type { DatabaseTime } from '../../common/model/timestamp-unit.js';

export type JsonObject = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws `invalid_json` for anything but one JSON object of moderate size. */
export function parseJsonObject(source: Uint8Array | string): JsonObject {
  if (typeof source !== 'string') checkJsonCost(source);
  let value: unknown;
  try {
    const text = typeof source === 'string' ? source : decoder.decode(source);
    value = parse(text, null, { onDuplicateKey: refuseDuplicate });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    // Also a RangeError, from text nested too deep for the stack.
    throw new AppError('invalid_json', 'the body is not valid JSON', { cause });
  }
  if (!isObject(value)) throw new AppError('invalid_json', 'the body is not a JSON object');
  return value;
}

function refuseDuplicate({ key }: { key: string }): never {
  const name = JSON.stringify(beginningOf(key, 64));
  throw new AppError('invalid_json', `the key ${name} occurs twice with different values`);
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

/** Own members only: a key `__proto__` in the text must not supply other members. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The text of an integer, or null. Accepts the JSON parser's number type. */
function integerToken(value: unknown): string | null {
  return isLosslessNumber(value) ? value.value : null;
}

/** An integer in the database's unit. */
export function readTs(object: JsonObject, key: string, code: ErrorCode): DatabaseTime | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  const integer = parseTs(integerToken(value) ?? '');
  if (integer === null) throw new AppError(code, `${key} must be a 64-bit integer`);
  return integer;
}

export function readU64(object: JsonObject, key: string, code: ErrorCode): bigint | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  const integer = parseU64(integerToken(value) ?? '');
  if (integer === null) throw new AppError(code, `${key} must be an unsigned 64-bit integer`);
  return integer;
}

/** The maximum number of items of an answer. 2^53 - 1 and more means no limit. */
export function readLimit(object: JsonObject, key: string, code: ErrorCode): number | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  const token = integerToken(value) ?? '';
  if (!/^\d+$/.test(token)) throw new AppError(code, `${key} must be an integer of at least 0`);
  return Math.min(Number(token), Number.MAX_SAFE_INTEGER);
}

export function readText(object: JsonObject, key: string, code: ErrorCode): string | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new AppError(code, `${key} must be a string`);
  return value;
}

/** Label pairs: scalars as their JSON text, null means absent. */
export function readLabels(
  object: JsonObject,
  key: string,
  code: ErrorCode,
): LabelPairs | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new AppError(code, `${key} must be an object`);
  return labelPairs(value, key, code);
}

export function labelPairs(value: JsonObject, key: string, code: ErrorCode): LabelPairs {
  const pairs: [string, string][] = [];
  for (const [name, label] of Object.entries(value)) {
    if (label === null) continue;
    if (typeof label === 'string') pairs.push([name, label]);
    else if (typeof label === 'boolean') pairs.push([name, String(label)]);
    else if (isLosslessNumber(label)) pairs.push([name, label.value]);
    else throw new AppError(code, `${key}.${name} must be a string`);
  }
  return pairs;
}
