/** The tokens that a listener knows. Knows nothing of HTTP; schemes.ts finds what is shown. */

import { createHash, timingSafeEqual } from 'node:crypto';

import { AppError } from '../../common/errors/app-error.js';

import type { LabelPairs } from '../../common/model/selector.js';

/** What a token may be good for. */
export const tokenScopes = ['read', 'write', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export interface TokenEntry {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
  /** What it writes has these labels, and nothing else is there for it; absent: all is. */
  readonly labels?: LabelPairs;
}

/** Who asks. */
export interface Caller {
  /** As the log calls it; null where nobody had to say. */
  readonly name: string | null;
  may(scope: TokenScope): boolean;
  /** Null: not bound to any. Of one token always the same list. */
  readonly labels: LabelPairs | null;
}

/** Takes what a request shows, in the order of trial. Null: none of it is a token that is known. */
export type TokenCheck = (secrets: readonly string[]) => Caller | null;

/** Where no token is asked for, all may do all. */
export const anybody: Caller = { name: null, may: () => true, labels: null };

export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

/** The token of a setting, which may do all. No name in a file has a colon. */
export function tokenOfSetting(key: string, secret: string): TokenEntry {
  return { name: `setting:${key}`, scopes: tokenScopes, digest: digestOf(secret) };
}

/**
 * A check of secrets. Digests are compared, and each with all, so that
 * neither length nor first wrong byte nor place shows in the time taken. Null means that no token
 * is asked for: all may pass.
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
