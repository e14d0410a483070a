/** Warnings and infos of an answer, in Prometheus' wording. */

import type { TextPlace } from '../syntax/ast.js';

/** The place in the text as `line:column`, for people. */
type TellPlace = (place: TextPlace) => string;

/** The place of an annotation, and the end of the expression that causes it. */
interface Said {
  readonly place: TextPlace;
  readonly end: number;
}

/**
 * Collects annotations. A repeated one keeps the place of the expression that ends last in the
 * text, regardless of timing. Prometheus, which evaluates one expression after another, does the
 * same.
 */
export class Annotations {
  readonly #tellPlace: TellPlace;
  readonly #warnings = new Map<string, Said>();
  readonly #infos = new Map<string, Said>();

  constructor(tellPlace: TellPlace) {
    this.#tellPlace = tellPlace;
  }

  /** `by`: the expression that causes the annotation, if it is not the one at `place`. */
  warn(what: string, place: TextPlace, by = place): void {
    note(this.#warnings, what, { place, end: by.end });
  }

  inform(what: string, place: TextPlace, by = place): void {
    note(this.#infos, what, { place, end: by.end });
  }

  get warnings(): readonly string[] {
    return this.#told('warning', this.#warnings);
  }

  get infos(): readonly string[] {
    return this.#told('info', this.#infos);
  }

  #told(kind: string, notes: ReadonlyMap<string, Said>): readonly string[] {
    return [...notes].map(
      ([what, { place }]) => `PromQL ${kind}: ${what} (${this.#tellPlace(place)})`,
    );
  }
}

function note(notes: Map<string, Said>, what: string, said: Said): void {
  const before = notes.get(what);
  if (before === undefined || before.end <= said.end) notes.set(what, said);
}
