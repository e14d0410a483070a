/**
 * JSON with exact integers: timestamps and ids of the API become bigint, other numbers stay
 * numbers.
 */

import { isLosslessNumber, parse, stringify } from 'lossless-json';

import { exactKeys } from './api-types.js';
import { invalidAnswer, invalidArgument } from './client-error.js';

import type { Integer, QueryColumn, QueryResult, QueryValue } from './shapes.js';

/** Keys of 64-bit integers, in requests and answers. */
const exactNames: ReadonlySet<string> = new Set(exactKeys);

/** Throws `invalid_argument` for a number that is not a safe integer. */
export function exactInteger(value: Integer, name: string): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw invalidArgument(`${name} must be a bigint, or a number that is a safe integer`);
}

/** The body of a request as JSON. Undefined members are left out. */
export function printBody(body: object): string {
  const exact = Object.entries(body).map(([key, value]: [string, unknown]) =>
    exactNames.has(key) && typeof value === 'number'
      ? [key, exactInteger(value, key)]
      : [key, value],
  );
  return stringify(Object.fromEntries(exact)) ?? '{}';
}

function reviveNumber(key: string, value: unknown): unknown {
  if (!isLosslessNumber(value)) return value;
  return exactNames.has(key) ? BigInt(value.value) : Number(value.value);
}

function parseAny(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return parse(text, reviver);
  } catch (cause) {
    throw invalidAnswer('the server answered something that is not JSON', cause);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses an answer that is an object. Its members are not checked. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseAny(text, reviveNumber);
  if (!isObject(value)) throw invalidAnswer('the server answered something else than an object');
  return value;
}

/** Parses an answer that is a list of objects. Their members are not checked. */
export function parseList(text: string): readonly unknown[] {
  const value = parseAny(text, reviveNumber);
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw invalidAnswer('the server answered something else than a list of objects');
  }
  return value;
}

/** Parses an answer that is a list of ids. */
export function parseIds(text: string): readonly bigint[] {
  const value = parseAny(text);
  if (!Array.isArray(value)) throw invalidAnswer('the server answered something else than a list');
  return value.map((one: unknown) => {
    if (isLosslessNumber(one) && /^\d+$/.test(one.value)) return BigInt(one.value);
    throw invalidAnswer('the server answered an id that is not an integer');
  });
}

const integerTypes: ReadonlySet<string> = new Set(['integer', 'timestamp', 'duration']);

/** Parses a SeriesQL answer. Its columns say which numbers are integers. */
export function parseQueryResult(text: string): QueryResult {
  const value = parseAny(text);
  if (!isObject(value) || !Array.isArray(value['columns']) || !Array.isArray(value['rows'])) {
    throw invalidAnswer('the server answered something else than columns and rows');
  }
  const columns = value['columns'] as readonly QueryColumn[];
  const isInteger = columns.map((column) => integerTypes.has(column.type));
  const rows = (value['rows'] as readonly (readonly unknown[])[]).map((row) =>
    row.map((cell, at) => queryValue(cell, isInteger[at] ?? false)),
  );
  return { columns, rows, stats: asNumbers(value['stats']) as QueryResult['stats'] };
}

function queryValue(cell: unknown, isInteger: boolean): QueryValue {
  if (!isLosslessNumber(cell)) return cell as QueryValue;
  return isInteger && /^-?\d+$/.test(cell.value) ? BigInt(cell.value) : Number(cell.value);
}

function asNumbers(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(asNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asNumbers(one)]));
}
