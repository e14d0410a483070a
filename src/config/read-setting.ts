/** Parses a value by its row in the table. Environment and flags give text. */

import { parse } from 'smol-toml';

import { AppError } from '../common/errors/app-error.js';
import { parseAddressRange } from '../common/model/address-range.js';
import { parseHostName } from '../common/model/authority.js';
import { parseByteSize } from '../common/model/byte-size.js';
import { kDayMs, parseDurationMs } from '../common/model/duration.js';
import { parseListenAddress } from '../common/model/listen-address.js';
import { kLabelCountMax } from '../common/model/names.js';
import { milliseconds } from '../common/model/timestamp-unit.js';

import type { ListPart, RetentionSetting, SettingKind } from './setting-kind.js';

export function badSetting(key: string, demand: string): AppError {
  return new AppError('invalid_configuration', `${key} ${demand}`);
}

/** `key` as the user spelled it. Throws `invalid_configuration`; messages never quote a secret. */
export function readSetting(key: string, type: SettingKind, raw: unknown): unknown {
  switch (type.kind) {
    case 'text':
      return readText(key, type, raw);
    case 'choice':
      if (typeof raw === 'string' && type.choices.includes(raw)) return raw;
      throw badSetting(key, `must be one of ${type.choices.join(', ')}`);
    case 'boolean':
      return readBoolean(key, raw);
    case 'address': {
      const address = typeof raw === 'string' ? parseListenAddress(raw) : null;
      if (address === null) throw badSetting(key, 'must be host:port, for example 127.0.0.1:8080');
      return address;
    }
    case 'list':
      return readList(key, type.of, raw);
    case 'retention':
      return readRetention(key, raw);
    default:
      return readNumber(key, type, raw);
  }
}

function readText(
  key: string,
  type: Extract<SettingKind, { readonly kind: 'text' }>,
  raw: unknown,
): string | null {
  if (typeof raw !== 'string') throw badSetting(key, 'must be a string');
  if (raw.trim() === '') {
    if (type.isEmptyUnset === true) return null;
    throw badSetting(key, 'must not be empty; leave it out instead');
  }
  // Headers cannot hold other characters, and servers interpret them differently.
  if (type.isSecret === true && !/^[\x21-\x7e]+$/.test(raw)) {
    throw badSetting(key, 'must be visible ASCII characters without spaces');
  }
  return raw;
}

function readBoolean(key: string, raw: unknown): boolean {
  if (typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw badSetting(key, 'must be true or false');
  return text === 'true';
}

const listParts: Readonly<
  Record<ListPart, { readonly parse: (text: string) => unknown; readonly example: string }>
> = {
  origin: { parse: parseOrigin, example: 'https://a.example:8443' },
  'host name': { parse: parseHostName, example: 'db.example' },
  'address range': { parse: parseAddressRange, example: '10.0.0.0/8' },
  'attribute name': { parse: (text) => (text === '' ? null : text), example: 'host.name' },
};

/** A list, or comma-separated text. */
function readList(key: string, kind: ListPart, raw: unknown): readonly unknown[] {
  const parts: unknown = typeof raw === 'string' ? splitText(raw) : raw;
  if (!Array.isArray(parts)) throw badSetting(key, 'must be a list of strings');
  const { parse: parsePart, example } = listParts[kind];
  return parts.map((part: unknown) => {
    if (typeof part !== 'string') throw badSetting(key, 'must be a list of strings');
    const value = parsePart(part);
    if (value !== null) return value;
    throw badSetting(
      key,
      `holds ${JSON.stringify(part)}, which is not a valid ${kind} such as ${example}`,
    );
  });
}

function splitText(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(',').map((part) => part.trim());
}

function parseOrigin(text: string): string | null {
  if (text === '*') return text;
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text ? text : null;
}

/** Together with the rule of `retention_days`, this is the engine's maximum. */
const kRetentionTablesMax = 999;

/** Together with the duration of metrics without a rule, this is the engine's maximum. */
const kRetentionKeepsMax = 63;

/** An array of tables, or the same as TOML text: `[{ match = "cpu.*", keep = "30d" }]`. */
function readRetention(key: string, raw: unknown): readonly RetentionSetting[] {
  const rules = typeof raw === 'string' ? tomlValue(raw) : raw;
  if (!Array.isArray(rules)) throw badSetting(key, 'must be a list of tables');
  if (rules.length > kRetentionTablesMax) {
    throw badSetting(key, `must be a list of at most ${kRetentionTablesMax} tables`);
  }
  const read = rules.map((rule: unknown) => readRule(key, rule));
  if (new Set(read.map(({ keepMs }) => keepMs)).size > kRetentionKeepsMax) {
    const demand = `must have at most ${kRetentionKeepsMax} different keep times`;
    throw badSetting(key, `${demand}, because each has its own files`);
  }
  return read;
}

function readRule(key: string, rule: unknown): RetentionSetting {
  if (typeof rule !== 'object' || rule === null) throw badSetting(key, 'must be a list of tables');
  const { match, keep, labels = {}, ...others } = rule as Readonly<Record<string, unknown>>;
  const other = Object.keys(others)[0];
  if (other !== undefined) {
    throw badSetting(`${key}.${other}`, 'is unknown; match, labels and keep are');
  }
  if (typeof match !== 'string' || match === '') throw badSetting(`${key}.match`, 'is required');
  const limits = { kind: 'duration', min: 1, max: 36_500 * kDayMs } as const;
  return {
    match,
    labels: readLabels(`${key}.labels`, labels),
    keepMs: milliseconds(readNumber(`${key}.keep`, limits, keep)),
  };
}

function readLabels(key: string, raw: unknown): Readonly<Record<string, string>> {
  const isTable = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  if (!isTable) throw badSetting(key, 'must be a table of strings');
  const pairs = Object.entries(raw).map(([name, value]: [string, unknown]): [string, string] => {
    if (typeof value !== 'string') throw badSetting(`${key}.${name}`, 'must be a string');
    return [name, value];
  });
  if (pairs.length > kLabelCountMax) {
    throw badSetting(key, `must have at most ${kLabelCountMax} labels`);
  }
  return Object.fromEntries(pairs);
}

function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`)['value'];
  } catch {
    return null;
  }
}

function readNumber(
  key: string,
  type: Extract<SettingKind, { readonly min: number }>,
  raw: unknown,
): number {
  let value: number | null = null;
  if (typeof raw === 'number' || typeof raw === 'bigint') value = Number(raw);
  else if (typeof raw === 'string') {
    if (/^[0-9]{1,16}$/.test(raw)) value = Number(raw);
    else if (type.kind === 'size') value = parseByteSize(raw);
    else if (type.kind === 'duration') value = parseDurationMs(raw);
  }
  const form = { integer: 'an integer', size: 'a size in bytes', duration: 'a duration' }[
    type.kind
  ];
  if (value === null || !Number.isSafeInteger(value)) throw badSetting(key, `must be ${form}`);
  if (value < type.min || value > type.max) {
    throw badSetting(key, `must be ${form} from ${type.min} to ${type.max}`);
  }
  return value;
}
