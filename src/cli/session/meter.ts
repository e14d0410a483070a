/** A progress bar; silent where nobody looks. */

import { Presets, SingleBar } from 'cli-progress';

interface MeterOptions {
  readonly screen: NodeJS.WritableStream | null;
  readonly title: string;
  /** Null when nobody knows how much there is. */
  readonly total: number | null;
  /** What is counted beside it; samples when left out. */
  readonly unit?: string;
}

const knownFormat = '{title} {bar} {percentage}% | {count} {unit} | {eta_formatted} left';
const unknownFormat = '{title} | {count} {unit} | {duration_formatted}';

export class Meter {
  readonly #bar: SingleBar | null;

  constructor({ screen, title, total, unit = 'samples' }: MeterOptions) {
    if (screen === null) {
      this.#bar = null;
      return;
    }
    const format = total === null ? unknownFormat : knownFormat;
    const options = { format, stream: screen, fps: 10, hideCursor: true, barsize: 30 };
    this.#bar = new SingleBar({ ...options, gracefulExit: false }, Presets.shades_classic);
    this.#bar.start(total ?? 0, 0, { title, count: '0', unit });
  }

  /** `total` where it is foreseen to be another by now. */
  show(position: number, count: number, total?: number): void {
    if (total !== undefined) this.#bar?.setTotal(total);
    this.#bar?.update(position, { count: count.toLocaleString('en') });
  }

  /** It is done, whatever was foreseen. */
  fill(count: number): void {
    if (this.#bar !== null) this.show(this.#bar.getTotal(), count);
  }

  /** Leaves the bar on the screen, so that what is printed next stands below it. */
  stop(): void {
    this.#bar?.stop();
  }
}
