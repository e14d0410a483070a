/** What an answer should be taken with care for, in Prometheus' words. */

import type { Place } from '../syntax/ast.js';

/** A piece of the text as `line:column`, for people. */
type TellPlace = (place: Place) => string;

export class Annotations {
  readonly #tellPlace: TellPlace;
  readonly #warnings = new Set<string>();
  readonly #infos = new Set<string>();

  constructor(tellPlace: TellPlace) {
    this.#tellPlace = tellPlace;
  }

  warn(what: string, place: Place): void {
    this.#warnings.add(`PromQL warning: ${what} (${this.#tellPlace(place)})`);
  }

  inform(what: string, place: Place): void {
    this.#infos.add(`PromQL info: ${what} (${this.#tellPlace(place)})`);
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  get infos(): readonly string[] {
    return [...this.#infos];
  }
}
