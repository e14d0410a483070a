/**
 * Where checked expressions stand. All are noted and few are asked for, in errors and where a name
 * stands for one: so they are put in order no earlier than that.
 */

import type { Expr } from '../plan.js';

/** What is known of a checked expression. */
interface Origin {
  /** Where it stands in the text. */
  readonly start: number;
  /** Its parts, and those of what it names. */
  readonly size: number;
}

export class Origins {
  readonly #noted: { readonly expr: Expr; readonly origin: Origin }[] = [];
  #byExpr: Map<Expr, Origin> | null = null;
  /** Of those noted, how many are in the map. */
  #orderedCount = 0;

  /** What is noted of an expression first counts. */
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
