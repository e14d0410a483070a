/** A progress bar on a terminal: one line that is drawn again at most ten times a second. */

import { clearLine, cursorTo } from 'node:readline';

import { cut } from './fit.js';

interface MeterOptions {
  /** Null if nobody watches: the meter then writes nothing. */
  readonly screen: NodeJS.WritableStream | null;
  readonly title: string;
  /** Null if the total is unknown. */
  readonly total: number | null;
  /** The unit of the count beside the bar. Default: samples. */
  readonly unit?: string;
}

const kBarCells = 30;
const kRedrawMs = 100;
/** Columns of a terminal that does not tell. */
const kUsualColumns = 80;

export class Meter {
  readonly #options: MeterOptions;
  readonly #startedAt = performance.now();
  #total: number;
  #position = 0;
  #count = 0;
  #isFull = false;
  #drawnAt = -Infinity;

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#total = options.total ?? 0;
    this.#draw();
  }

  /** `total`: set if the estimate has changed. */
  show(position: number, count: number, total = this.#total): void {
    this.#position = position;
    this.#count = count;
    this.#total = total;
    if (performance.now() - this.#drawnAt >= kRedrawMs) this.#draw();
  }

  /** Fills the bar, whatever the estimate was. */
  fill(count: number): void {
    this.#isFull = true;
    this.show(this.#total, count);
  }

  /** Leaves the bar on the screen. The next output stands below it. */
  stop(): void {
    this.#draw();
    this.#options.screen?.write('\n');
  }

  #draw(): void {
    const { screen } = this.#options;
    if (screen === null) return;
    this.#drawnAt = performance.now();
    cursorTo(screen, 0);
    // A line that wraps would leave its first part behind at each redraw.
    const told = 'columns' in screen ? Number(screen.columns) : 0;
    const columns = told > 0 ? told : kUsualColumns;
    screen.write(cut(this.#line(this.#drawnAt - this.#startedAt), columns - 1));
    clearLine(screen, 1);
  }

  #line(elapsedMs: number): string {
    const { title, total, unit = 'samples' } = this.#options;
    const counted = `${this.#count.toLocaleString('en')} ${unit}`;
    if (total === null) return `${title} | ${counted} | ${printed(elapsedMs)}`;
    const share = this.#isFull ? 1 : Math.min(1, this.#position / Math.max(1, this.#total));
    const full = Math.floor(share * kBarCells);
    const bar = '█'.repeat(full) + '░'.repeat(kBarCells - full);
    const left = share === 0 ? '' : ` | ${printed((elapsedMs * (1 - share)) / share)} left`;
    return `${title} ${bar} ${Math.floor(share * 100)}% | ${counted}${left}`;
  }
}

/** `42s`, `3m 7s`, `2h 5m` */
function printed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
