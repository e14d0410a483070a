/** Settings for operators: secrets hidden, every value with its source. */

import { printAddressRange, type AddressRange } from '../common/model/address-range.js';
import { printDuration } from '../common/model/duration.js';
import { visible } from '../common/model/visible-text.js';
import { printListenAddress, type ListenAddress } from '../common/model/listen-address.js';

import { settingKeys, settingRows, type SettingKey } from './settings.js';

import type { ResolvedSettings, SettingSource } from './resolve.js';
import type { RetentionSetting } from './setting-kind.js';

const kRedacted = '<redacted>';

/** The value as in a file; null means "not set". */
type ShownValue = string | number | boolean | null | readonly (string | ShownRule)[];

interface ShownRule {
  readonly match: string;
  /** Absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly keep: string;
}

function showSetting({ settings }: ResolvedSettings, key: SettingKey): ShownValue {
  const { type } = settingRows[key];
  const value: unknown = settings[key];
  if (value === null) return null;
  // The casts follow the kind, since resolve parsed the value by it.
  switch (type.kind) {
    case 'text':
      return type.isSecret === true ? kRedacted : (value as string);
    case 'address':
      return printListenAddress(value as ListenAddress);
    case 'list':
      if (type.of !== 'address range') return value as readonly string[];
      return (value as readonly AddressRange[]).map(printAddressRange);
    case 'retention':
      return (value as readonly RetentionSetting[]).map(({ match, labels, keepMs }) => {
        const some = Object.keys(labels).length === 0 ? {} : { labels };
        return { match, ...some, keep: printDuration(keepMs) };
      });
    default:
      return value as string | number | boolean;
  }
}

interface ShownSetting {
  readonly value: ShownValue;
  readonly source: SettingSource;
  /** Present if the key has no effect yet. */
  readonly pending?: true;
}

/** Every key, in the order of the table. */
export function showSettings(resolved: ResolvedSettings): Readonly<Record<string, ShownSetting>> {
  const shown = settingKeys.map((key): [string, ShownSetting] => {
    const pending = settingRows[key].isPending === true ? { pending: true as const } : {};
    return [key, { value: showSetting(resolved, key), source: resolved.sources[key], ...pending }];
  });
  return Object.fromEntries(shown);
}

/** A valid settings file, except for the secrets, with the sources as comments. */
export function printSettings(resolved: ResolvedSettings): string {
  const lines = resolved.file === null ? [] : [`# The file: ${visible(resolved.file)}`];
  let table = '';
  for (const [key, { value, source, pending }] of Object.entries(showSettings(resolved))) {
    const [owner, name] = key.includes('.') ? (key.split('.', 2) as [string, string]) : ['', key];
    if (owner !== table) lines.push('', `[${owner}]`);
    table = owner;
    const remark = pending === undefined ? source : `${source}; has no effect yet`;
    if (value === null) lines.push(`# ${name} is not set`);
    else lines.push(`${name} = ${tomlText(value)}  # ${remark}`);
  }
  return `${lines.join('\n')}\n`;
}

function tomlText(value: Exclude<ShownValue, null>): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = value.map((part) =>
    typeof part === 'string' ? JSON.stringify(part) : tomlTable(part),
  );
  return `[${parts.join(', ')}]`;
}

function tomlTable(table: object): string {
  const members = Object.entries(table).map(([key, value]: [string, unknown]) => {
    const name = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
    const isTable = typeof value === 'object' && value !== null;
    return `${name} = ${isTable ? tomlTable(value) : JSON.stringify(value)}`;
  });
  return `{ ${members.join(', ')} }`;
}

/** Keys that are set but have no effect yet. */
export function pendingKeys({ sources }: ResolvedSettings): readonly SettingKey[] {
  return settingKeys.filter(
    (key) => settingRows[key].isPending === true && sources[key] !== 'default',
  );
}
