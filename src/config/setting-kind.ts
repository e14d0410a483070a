/** The kinds of settings: the row types and their value types. */

import type { AddressRange } from '../common/model/address-range.js';
import type { ListenAddress } from '../common/model/listen-address.js';

/** Retention `keepMs` for series of the metrics in `match` with these labels. */
export interface RetentionRule {
  readonly match: string;
  /** Labels that a series must have, possibly among others. */
  readonly labels: Readonly<Record<string, string>>;
  readonly keepMs: number;
}

/** The kinds of list items. */
interface ListItems {
  /** `*` means any. */
  readonly origin: string;
  /** Lower case. */
  readonly 'host name': string;
  readonly 'address range': AddressRange;
  /** `*` means all. */
  readonly 'attribute name': string;
}

export type ListPart = keyof ListItems;

/** The syntax of a value. Sizes also as `64MiB`; durations as `10s`, or in milliseconds. */
export type SettingKind =
  /** `isEmptyUnset`: an empty text means an absent key. */
  | { readonly kind: 'text'; readonly isSecret?: boolean; readonly isEmptyUnset?: boolean }
  | { readonly kind: 'address' | 'boolean' | 'retention' }
  | { readonly kind: 'list'; readonly of: ListPart }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'integer' | 'size' | 'duration'; readonly min: number; readonly max: number };

export interface SettingRow {
  readonly type: SettingKind;
  /** As written in a file; null if absence has a meaning. */
  readonly fallback: string | number | boolean | readonly string[] | null;
  readonly purpose: string;
  /** A reload changes it; any other key needs a restart. */
  readonly isLive?: true;
  /** The key is parsed and checked, but has no effect yet. */
  readonly isPending?: true;
  /** The engine option, or with `isLive` the limit, that gets the value. */
  readonly native?: string;
}

/** The value type of a kind without further properties. */
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

/** The value type of a row. */
export type SettingValue<Row extends SettingRow> =
  KindValue<Row['type']> | (Row extends IsUnset ? null : never);
