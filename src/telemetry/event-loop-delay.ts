/** How late timers run on the JavaScript thread, sampled for as long as the server lives. */

import { histogramSamples, type MetricSample } from './exposition.js';
import { Latency, latencyBounds } from './latency.js';

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

  samples(): readonly MetricSample[] {
    return histogramSamples({}, latencyBounds, this.#latency);
  }
}
