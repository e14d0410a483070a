/** A locally installed Prometheus with the same samples. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { snappy, writeRequest, type SentSeries } from '../support/remote-write.js';

import type { NaiveSeries } from './naive-source.js';
import type { PromAnswer, PromBody } from './scripts/world.js';

const kStale = 0x7ff0000000000002n;
const features = 'promql-experimental-functions,promql-delayed-name-removal,promql-duration-expr';

/** The series in the form of remote_write. */
export function sentSeries(series: readonly NaiveSeries[]): readonly SentSeries[] {
  return series.map(({ labels, samples }) => ({
    labels: Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))),
    samples: samples.map(([ts, value]) => [ts, value === 'stale' ? kStale : value] as const),
  }));
}

export class RealPrometheus {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #base: string;

  static async start(port: number): Promise<RealPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'seriesdb-prometheus-'));
    writeFileSync(join(folder, 'prometheus.yml'), 'global: { scrape_interval: 1h }\n');
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        ...['--web.enable-remote-write-receiver', `--enable-feature=${features}`],
        '--storage.tsdb.retention.time=100y',
      ],
      { stdio: 'ignore' },
    );
    const started = new RealPrometheus(child, folder, port);
    await started.#ready();
    return started;
  }

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.#base = `http://127.0.0.1:${port}`;
  }

  async #ready(): Promise<void> {
    for (let left = 200; left > 0; left -= 1) {
      const answer = await fetch(`${this.#base}/-/ready`).catch(() => null);
      if (answer?.ok === true) return;
      await pause(100);
    }
    throw new Error('prometheus does not start');
  }

  async write(series: readonly NaiveSeries[]): Promise<void> {
    const answer = await fetch(`${this.#base}/api/v1/write`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
      },
      body: new Uint8Array(snappy(writeRequest(sentSeries(series)))),
    });
    if (!answer.ok) throw new Error(`prometheus: ${answer.status} ${await answer.text()}`);
  }

  async ask(path: string, parameters: Readonly<Record<string, string>>): Promise<PromAnswer> {
    const body = new URLSearchParams(parameters);
    const answer = await fetch(`${this.#base}${path}`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as PromBody };
  }

  stop(): void {
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
