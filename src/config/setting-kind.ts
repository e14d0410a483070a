/** The kinds of settings: the row types and their value types. */

import type { AddressRange } from '../common/model/address-range.js';
import type { ListenAddress } from '../common/model/listen-address.js';
import type { Milliseconds } from '../common/model/timestamp-unit.js';

/** Retention `keepMs` for series with these labels whose metric matches `match`. */
export interface RetentionSetting {
  readonly match: string;
  /** Labels that a series must have; it may have others. */
  readonly labels: Readonly<Record<string, string>>;
  readonly keepMs: Milliseconds;
}

/** The kinds of list items. */
interface ListItems {
  /** `*` means any. */
  readonly origin: string;
  /** In lower case. */
  readonly 'host name': string;
  readonly 'address range': AddressRange;
  /** `*` means all. */
  readonly 'attribute name': string;
}

export type ListPart = keyof ListItems;

/** The syntax of a value. Sizes may be written `64MiB`. Durations are milliseconds or `10s`. */
export type SettingKind =
  /** `isEmptyUnset`: an empty text counts as an absent key. */
  | { readonly kind: 'text'; readonly isSecret?: boolean; readonly isEmptyUnset?: boolean }
  | { readonly kind: 'address' | 'boolean' | 'retention' }
  | { readonly kind: 'list'; readonly of: ListPart }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'integer' | 'size' | 'duration'; readonly min: number; readonly max: number };

export interface SettingRow {
  readonly type: SettingKind;
  /** The default, as written in a file. Null if absence has a meaning. */
  readonly fallback: string | number | boolean | readonly string[] | null;
  readonly purpose: string;
  /** The flag, if it is not the key with dashes. */
  readonly flag?: string;
  /** A reload applies changes of this key; other keys need a restart. */
  readonly isLive?: true;
  /** The key is parsed and checked but has no effect yet. */
  readonly isPending?: true;
  /** The engine option that gets the value; with `isLive`, the engine limit. */
  readonly native?: string;
}

/** The value type of a kind without further properties. */
interface PlainValues {
  readonly text: string;
  readonly address: ListenAddress;
  readonly boolean: boolean;
  readonly retention: readonly RetentionSetting[];
  readonly integer: number;
  readonly size: number;
  readonly duration: Milliseconds;
}

type KindValue<Type extends SettingKind> = Type extends { readonly kind: keyof PlainValues }
  ? PlainValues[Type['kind']]
  : Type extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Type extends { readonly of: infer Part extends ListPart }
      ? readonly ListItems[Part][]
      : never;

type IsUnset = { readonly fallback: null } | { readonly type: { readonly isEmptyUnset: true } };

/** The value type of a row. */
export type SettingValue<Row extends SettingRow> =
  KindValue<Row['type']> | (Row extends IsUnset ? null : never);
