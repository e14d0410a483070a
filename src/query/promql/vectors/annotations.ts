/** What an answer should be taken with care for, in Prometheus' words. */

import type { Place } from '../syntax/ast.js';

/** A piece of the text as `line:column`, for people. */
type TellPlace = (place: Place) => string;

/** Where something is said, and where the expression ends that says it. */
interface Said {
  readonly place: Place;
  readonly end: number;
}

/**
 * What is said twice has the place of the last time, as in Prometheus, which evaluates one
 * expression after another: that which ends last is last, however long it took.
 */
export class Annotations {
  readonly #tellPlace: TellPlace;
  readonly #warnings = new Map<string, Said>();
  readonly #infos = new Map<string, Said>();

  constructor(tellPlace: TellPlace) {
    this.#tellPlace = tellPlace;
  }

  /** `by`: the expression that says it, if not that at the place. */
  warn(what: string, place: Place, by = place): void {
    note(this.#warnings, what, { place, end: by.end });
  }

  inform(what: string, place: Place, by = place): void {
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
