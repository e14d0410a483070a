/**
 * Joins defaults, file, environment and flags (the later wins) into settings, and remembers where
 * each value came from. An unknown key or a bad value is an error that names the key.
 */

import { AppError } from '../errors/app-error.js';
import { parseByteSize } from '../model/byte-size.js';
import { parseDurationMs } from '../model/duration.js';
import { parseListenAddress } from '../model/listen-address.js';

import { environmentName } from './from-env.js';
import { flagName } from './from-flags.js';
import { nearestKey } from './nearest-key.js';
import {
  isSettingKey,
  settingRows,
  type SettingKey,
  type SettingKind,
  type Settings,
} from './settings.js';

export type SettingSource = 'default' | 'file' | 'environment' | 'flag';

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
}

export interface SettingInputs {
  readonly file?: ReadonlyMap<string, unknown>;
  readonly environment?: ReadonlyMap<string, unknown>;
  readonly flags?: ReadonlyMap<string, unknown>;
}

/** Throws `invalid_configuration`. */
export function resolveSettings(inputs: SettingInputs): ResolvedSettings {
  const values: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  for (const [key, row] of Object.entries(settingRows)) {
    values[key] = row.fallback === null ? null : readValue(key, row.type, row.fallback);
    sources[key] = 'default';
  }
  const layers = [
    ['file', inputs.file],
    ['environment', inputs.environment],
    ['flag', inputs.flags],
  ] as const;
  for (const [source, layer] of layers) {
    for (const [key, raw] of layer ?? []) {
      const spelled = spelledIn(source, key);
      if (!isSettingKey(key)) throw unknownKey(source, key);
      values[key] = readValue(spelled, settingRows[key].type, raw);
      sources[key] = source;
    }
  }
  // Every key of the table was read by its own row, so the shape is complete.
  const settings = values as unknown as Settings;
  checkTogether(settings);
  return { settings, sources: sources as Record<SettingKey, SettingSource> };
}

function checkTogether(settings: Settings): void {
  if (settings.max_line_bytes > settings.max_body_bytes) {
    throw bad('max_line_bytes', 'must not be more than max_body_bytes');
  }
}

function spelledIn(source: SettingSource, key: string): string {
  if (source === 'environment') return environmentName(key);
  return source === 'flag' ? flagName(key) : key;
}

function unknownKey(source: SettingSource, key: string): AppError {
  const nearest = nearestKey(key, Object.keys(settingRows));
  return new AppError(
    'invalid_configuration',
    `unknown setting ${spelledIn(source, key)}; did you mean ${spelledIn(source, nearest)}?`,
  );
}

function bad(key: string, demand: string): AppError {
  return new AppError('invalid_configuration', `${key} ${demand}`);
}

function readValue(key: string, type: SettingKind, raw: unknown): unknown {
  switch (type.kind) {
    case 'text':
      if (typeof raw !== 'string') throw bad(key, 'must be a string');
      if (raw.trim() === '') throw bad(key, 'must not be empty; leave it out instead');
      return raw;
    case 'choice':
      if (typeof raw === 'string' && type.choices.includes(raw)) return raw;
      throw bad(key, `must be one of ${type.choices.join(', ')}`);
    case 'address': {
      const address = typeof raw === 'string' ? parseListenAddress(raw) : null;
      if (address === null) throw bad(key, 'must be host:port, for example 127.0.0.1:8080');
      return address;
    }
    default:
      return readNumber(key, type, raw);
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
    if (/^[0-9]{1,15}$/.test(raw)) value = Number(raw);
    else if (type.kind === 'size') value = parseByteSize(raw);
    else if (type.kind === 'duration') value = parseDurationMs(raw);
  }
  const form = { integer: 'an integer', size: 'a size in bytes', duration: 'a duration' }[
    type.kind
  ];
  if (value === null || !Number.isSafeInteger(value)) throw bad(key, `must be ${form}`);
  if (value < type.min || value > type.max) {
    throw bad(key, `must be ${form} from ${type.min} to ${type.max}`);
  }
  return value;
}
