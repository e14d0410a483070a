/** What an answer should be taken with care for, in Prometheus' words. */

import type { Place } from '../syntax/ast.js';

/** A piece of the text as `line:column`, for people. */
type TellPlace = (place: Place) => string;

/** What is said twice has the place of the last time, as in Prometheus. */
export class Annotations {
  readonly #tellPlace: TellPlace;
  readonly #warnings = new Map<string, Place>();
  readonly #infos = new Map<string, Place>();

  constructor(tellPlace: TellPlace) {
    this.#tellPlace = tellPlace;
  }

  warn(what: string, place: Place): void {
    this.#warnings.set(what, place);
  }

  inform(what: string, place: Place): void {
    this.#infos.set(what, place);
  }

  get warnings(): readonly string[] {
    return this.#told('warning', this.#warnings);
  }

  get infos(): readonly string[] {
    return this.#told('info', this.#infos);
  }

  #told(kind: string, notes: ReadonlyMap<string, Place>): readonly string[] {
    return [...notes].map(([what, place]) => `PromQL ${kind}: ${what} (${this.#tellPlace(place)})`);
  }
}
