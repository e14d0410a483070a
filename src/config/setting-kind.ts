/** The kinds of settings: how a row of the table describes one, and what its value then is. */

import type { AddressRange } from '../model/address-range.js';
import type { ListenAddress } from '../model/listen-address.js';

/** Samples of the metrics that `match` names, of the series with these labels, live for `keepMs`. */
export interface RetentionRule {
  readonly match: string;
  /** What a series has exactly so, beside others. */
  readonly labels: Readonly<Record<string, string>>;
  readonly keepMs: number;
}

/** What the items of a list are. */
interface ListItems {
  /** `*` is any. */
  readonly origin: string;
  /** Lower case. */
  readonly 'host name': string;
  readonly 'address range': AddressRange;
  /** `*` is all. */
  readonly 'attribute name': string;
}

export type ListPart = keyof ListItems;

/** How a value is read. Sizes also as `64MiB`; durations as `10s`, or a number of milliseconds. */
export type SettingKind =
  /** `isEmptyUnset`: the empty text means the same as leaving the key out. */
  | { readonly kind: 'text'; readonly isSecret?: boolean; readonly isEmptyUnset?: boolean }
  | { readonly kind: 'address' | 'boolean' | 'retention' }
  | { readonly kind: 'list'; readonly of: ListPart }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'integer' | 'size' | 'duration'; readonly min: number; readonly max: number };

export interface SettingRow {
  readonly type: SettingKind;
  /** As written in a file; null when absence means something. */
  readonly fallback: string | number | boolean | readonly string[] | null;
  readonly purpose: string;
  /** A reload changes it in the running server; any other key needs a restart. */
  readonly isLive?: true;
  /** The key is read and checked, but nothing heeds it yet. */
  readonly isPending?: true;
  /** The member of the engine's options, or of its limits where `isLive`, that is the value. */
  readonly native?: string;
}

/** What `readSetting` makes of a kind that says nothing more. */
interface PlainValues {
  readonly text: string;
  readonly address: ListenAddress;
  readonly boolean: boolean;
  readonly retention: readonly RetentionRule[];
  readonly integer: number;
  readonly size: number;
  /** Milliseconds. */
  readonly duration: number;
}

type KindValue<Type extends SettingKind> = Type extends { readonly kind: keyof PlainValues }
  ? PlainValues[Type['kind']]
  : Type extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Type extends { readonly of: infer Part extends ListPart }
      ? readonly ListItems[Part][]
      : never;

type IsUnset = { readonly fallback: null } | { readonly type: { readonly isEmptyUnset: true } };

/** The value of the setting that a row describes. */
export type SettingValue<Row extends SettingRow> =
  KindValue<Row['type']> | (Row extends IsUnset ? null : never);
