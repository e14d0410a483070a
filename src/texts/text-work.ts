/**
 * How much work texts make, so that loops over rows know when to give way to others, however
 * different their rows are.
 */

/** Units of texts that were made and compared so far; about a nanosecond or two each. */
let work = 0;

/** JavaScript has one thread, so one count tells how much was done since somebody looked. */
export function textWork(): number {
  return work;
}

export function noteTextWork(units: number): void {
  work += units;
}
