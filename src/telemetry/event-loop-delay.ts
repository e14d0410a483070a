/** The delay of timers on a JavaScript thread, sampled during the server's lifetime. */

import { Latency, type LatencyFigures } from './latency.js';

const kSampleMs = 100;

export class EventLoopDelay {
  readonly #latency = new Latency();
  readonly #timer: NodeJS.Timeout;
  #expectedAt = performance.now() + kSampleMs;

  constructor() {
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#latency.record(Math.max(0, now - this.#expectedAt) / 1000);
      this.#expectedAt = now + kSampleMs;
    }, kSampleMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  figures(): LatencyFigures {
    return this.#latency;
  }
}
