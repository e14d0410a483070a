/**
 * The tokens of a listener. This file knows nothing of HTTP; schemes.ts extracts secrets from
 * requests.
 */

import { createHash, timingSafeEqual } from 'node:crypto';

import { AppError } from '../../common/errors/app-error.js';

import type { LabelPairs } from '../../common/model/selector.js';

/** Permissions of a token. */
export const tokenScopes = ['read', 'write', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export interface TokenEntry {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
  /**
   * The token sees only series with these labels, and its writes get them. Absent: no restriction.
   */
  readonly labels?: LabelPairs;
}

/** The authenticated client. */
export interface Caller {
  /** The name in the log; null if no token was required. */
  readonly name: string | null;
  may(scope: TokenScope): boolean;
  /** Null: not bound to labels. The list of a token is always the same object. */
  readonly labels: LabelPairs | null;
}

/** Checks the secrets of a request, in order. Null if none of them is a known token. */
export type TokenCheck = (secrets: readonly string[]) => Caller | null;

/** The caller if no token is required. It has all scopes. */
export const anybody: Caller = { name: null, may: () => true, labels: null };

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/**
 * The token of a setting, with all scopes. Names in the token file have no colon, so they cannot
 * clash.
 */
export function tokenOfSetting(key: string, secret: string): TokenEntry {
  return { name: `setting:${key}`, scopes: tokenScopes, digest: digestOf(secret) };
}

/**
 * Creates a check of secrets. It compares each digest with all known ones. So the time reveals
 * neither length, nor first wrong byte, nor position. With null, no token is required and all
 * callers pass.
 */
export function createTokenCheck(entries: readonly TokenEntry[] | null): TokenCheck {
  if (entries === null) return () => anybody;
  const known = entries.map(({ name, scopes, digest, labels = null }) => {
    const caller: Caller = { name, may: (scope) => scopes.includes(scope), labels };
    return { digest, caller };
  });
  return (secrets) => {
    let found: Caller | null = null;
    for (const secret of secrets) {
      const shown = digestOf(secret);
      for (const { digest, caller } of known) {
        if (timingSafeEqual(shown, digest)) found ??= caller;
      }
    }
    return found;
  };
}

/** Throws `forbidden_scope`. */
export function requireScope(caller: Caller, scope: TokenScope): void {
  if (caller.may(scope)) return;
  throw new AppError('forbidden_scope', `this request needs a token with the scope ${scope}`);
}
