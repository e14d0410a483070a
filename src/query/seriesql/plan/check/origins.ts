/**
 * The places of checked expressions in the text. All are noted, but only errors and names look some
 * of them up. So the index is built on the first look-up.
 */

import type { Expr } from '../plan.js';

/** The origin of a checked expression. */
interface Origin {
  /** The offset in the text. */
  readonly start: number;
  /** The number of its parts, including those of names that it uses. */
  readonly size: number;
}

export class Origins {
  readonly #noted: { readonly expr: Expr; readonly origin: Origin }[] = [];
  #byExpr: Map<Expr, Origin> | null = null;
  /** The number of noted origins that are already in the map. */
  #orderedCount = 0;

  /** The first note of an expression counts. */
  note(expr: Expr, origin: Origin): void {
    this.#noted.push({ expr, origin });
  }

  of(expr: Expr): Origin | undefined {
    const byExpr = (this.#byExpr ??= new Map<Expr, Origin>());
    for (const { expr: one, origin } of this.#noted.slice(this.#orderedCount)) {
      if (!byExpr.has(one)) byExpr.set(one, origin);
    }
    this.#orderedCount = this.#noted.length;
    return byExpr.get(expr);
  }
}
