/**
 * Local times without a zone, where clocks change. Some occur twice, and some never. If a time
 * occurs twice, the order of a series' rows decides which moment is meant.
 */

import { momentsOfShown } from '../model/zone.js';

import { RowFault } from './table-fault.js';

/** A local time that does not exist in the zone. */
export class NoSuchTime extends RowFault {
  readonly zone: string;

  constructor(zone: string) {
    super(`clocks in ${zone} skip this time`);
    this.zone = zone;
  }
}

/** The most series in memory at a time. */
const seriesMax = 20_000;

/**
 * The state of a series. A local time that occurs twice means the first pass until the order shows
 * otherwise.
 */
interface SeriesTimes {
  lastMs: number;
  /** The repeated hour that the series is in; null outside of one. */
  fold: ClockFold | null;
}

interface ClockFold {
  /** A local time within the fold. It distinguishes the fold from another one. */
  readonly startMs: number;
  readonly isDescending: boolean;
  isSecondPass: boolean;
  /** Rows of the first pass, and the first of these rows. A second pass settles them. */
  rows: number;
  readonly firstRow: number;
}

/** A fold is shorter than this, and two folds are months apart. */
const foldMs = 86_400_000;

interface Ambiguity {
  readonly count: number;
  /** The row of the first ambiguous time. */
  readonly row: number;
}

export class LocalTimes {
  readonly zone: string;
  readonly #series = new Map<string, SeriesTimes>();
  /** The ambiguity of folds that no series is in any more. */
  #settled: Ambiguity = { count: 0, row: 0 };
  #name = '';
  #row = 0;

  constructor(zone: string) {
    this.zone = zone;
  }

  /** Sets the series and the row of the next time. */
  enter(series: string, row: number): void {
    this.#name = series;
    this.#row = row;
  }

  /** The moment of the local time `shownMs`, which counts as if it were UTC. Throws NoSuchTime. */
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

  /** Local times that occur twice and that the row order did not settle. */
  get ambiguity(): Ambiguity {
    const open = [...this.#series.values()].flatMap(({ fold }) => (fold === null ? [] : [fold]));
    return open.reduce(withFold, this.#settled);
  }

  #seriesAt(shownMs: number): SeriesTimes {
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

  #foldOf(
    series: SeriesTimes,
    times: { readonly last: number; readonly shownMs: number },
  ): ClockFold {
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

  #leave(series: SeriesTimes): void {
    if (series.fold !== null) this.#settled = withFold(this.#settled, series.fold);
    series.fold = null;
  }
}

function withFold(sum: Ambiguity, { isSecondPass, rows, firstRow }: ClockFold): Ambiguity {
  if (isSecondPass || rows === 0) return sum;
  return { count: sum.count + rows, row: sum.count === 0 ? firstRow : Math.min(sum.row, firstRow) };
}
