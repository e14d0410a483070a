/**
 * Times that name no zone, on clocks that are changed: some come twice, and some never. Of those
 * that come twice, the order of a series' rows tells which is which.
 */

import { momentsOfShown } from '../model/zone.js';

import { RowFault } from './table-fault.js';

/** A time that no clock of the zone shows. */
export class NoSuchTime extends RowFault {
  readonly zone: string;

  constructor(zone: string) {
    super(`clocks in ${zone} skip this time`);
    this.zone = zone;
  }
}

/** So many series are known at a time. */
const seriesMax = 20_000;

/** Where a series is. Its times that come twice are taken for the first until order says else. */
interface Series {
  lastMs: number;
  /** Within an hour that comes twice; null: outside. */
  fold: Fold | null;
}

interface Fold {
  /** How far its two moments are apart, and where it is: both tell it from another one. */
  readonly startMs: number;
  readonly isDescending: boolean;
  isSecondPass: boolean;
  /** Rows of the first pass, and the first of them; the second pass settles them. */
  rows: number;
  readonly firstRow: number;
}

/** Two folds are months apart; one is shorter than this. */
const foldMs = 86_400_000;

interface Ambiguity {
  readonly count: number;
  /** Where the first one stands. */
  readonly row: number;
}

export class LocalTimes {
  readonly zone: string;
  readonly #series = new Map<string, Series>();
  /** Of folds that no series is in any more. */
  #settled: Ambiguity = { count: 0, row: 0 };
  #name = '';
  #row = 0;

  constructor(zone: string) {
    this.zone = zone;
  }

  /** Of which series and row the next time is. */
  enter(series: string, row: number): void {
    this.#name = series;
    this.#row = row;
  }

  /** The moment at which clocks show `shownMs`, as if that were UTC. Throws NoSuchTime. */
  readonly momentOf = (shownMs: number): number => {
    const [early, late] = momentsOfShown(shownMs, this.zone);
    if (early === undefined) throw new NoSuchTime(this.zone);
    const series = this.#seriesAt(shownMs);
    const last = series.lastMs;
    series.lastMs = shownMs;
    if (late === undefined) {
      if (series.fold !== null) this.#leave(series);
      return early;
    }
    const fold = this.#foldOf(series, { last, shownMs });
    const isBack = fold.isDescending ? shownMs >= last : shownMs <= last;
    if (fold.rows > 0 && isBack) fold.isSecondPass = true;
    fold.rows += fold.isSecondPass ? 0 : 1;
    return fold.isSecondPass === fold.isDescending ? early : late;
  };

  /** Times that come twice, of which nothing told which one they are. */
  get ambiguity(): Ambiguity {
    const open = [...this.#series.values()].flatMap(({ fold }) => (fold === null ? [] : [fold]));
    return open.reduce(withFold, this.#settled);
  }

  #seriesAt(shownMs: number): Series {
    const known = this.#series.get(this.#name);
    if (known !== undefined) return known;
    if (this.#series.size >= seriesMax) {
      for (const series of this.#series.values()) this.#leave(series);
      this.#series.clear();
    }
    const made = { lastMs: shownMs, fold: null };
    this.#series.set(this.#name, made);
    return made;
  }

  #foldOf(series: Series, times: { readonly last: number; readonly shownMs: number }): Fold {
    const { last, shownMs } = times;
    const { fold } = series;
    if (fold !== null && Math.abs(fold.startMs - shownMs) < foldMs) return fold;
    if (fold !== null) this.#leave(series);
    const made = {
      ...{ startMs: shownMs, isDescending: shownMs < last, isSecondPass: false },
      ...{ rows: 0, firstRow: this.#row },
    };
    series.fold = made;
    return made;
  }

  #leave(series: Series): void {
    if (series.fold !== null) this.#settled = withFold(this.#settled, series.fold);
    series.fold = null;
  }
}

function withFold(sum: Ambiguity, { isSecondPass, rows, firstRow }: Fold): Ambiguity {
  if (isSecondPass || rows === 0) return sum;
  return { count: sum.count + rows, row: sum.count === 0 ? firstRow : Math.min(sum.row, firstRow) };
}
