/** The current or last load. It continues while another page is shown. */

import { signal } from '@preact/signals';

import { announce } from '../announce.js';
import { ask } from '../data/server.js';
import { sentenceOf } from '../data/fault.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { noAccount, store, type Account } from './store.js';
import { pageWords } from './wishes.js';

import type { LoadPlan } from './plan.js';

export interface Loading {
  readonly file: File;
  readonly plan: LoadPlan;
  readonly state: 'running' | 'done' | 'stopped';
  readonly account: Account;
  /** The reason why it stopped; empty if the user stopped it, or if it did not stop. */
  readonly fault: string;
}

export const loading = signal<Loading | null>(null);

let controller: AbortController | null = null;

export async function load(file: File, plan: LoadPlan): Promise<void> {
  const own = new AbortController();
  controller = own;
  let now: Loading = { file, plan, state: 'running', account: noAccount, fault: '' };
  const show = (changes: Partial<Loading>): void => {
    now = { ...now, ...changes };
    loading.value = now;
  };
  show({});
  try {
    const account = await store(file, {
      ...{ plan, unit: clock.value.unit },
      send: (lines) => ask((client) => client.ingestAll(lines, optionsOf(own.signal))),
      show: (sum) => {
        show({ account: sum });
      },
    });
    show({ state: 'done', account });
  } catch (error) {
    const columns = plan.kind === 'table' ? (plan.mapping.guess?.labels ?? []) : [];
    const fault = own.signal.aborted ? '' : pageWords(sentenceOf(error), columns);
    show({ state: 'stopped', fault });
  }
  announce(accountWords(now));
}

/** Samples stored so far stay. */
export function stopLoading(): void {
  controller?.abort();
}

/** The caller sizes the batches, so each call is one request. */
const optionsOf = (signal: AbortSignal) =>
  ({ on_error: 'skip', batch_size: Number.MAX_SAFE_INTEGER, signal }) as const;

export function accountWords({ file, state, account }: Loading): string {
  const { samples, refused, cells } = account;
  const parts = [
    counted(samples, ['sample', 'samples']),
    ...(refused === 0 ? [] : [counted(refused, ['line refused', 'lines refused'])]),
    ...(cells === 0 ? [] : [counted(cells, ['cell skipped', 'cells skipped'])]),
  ];
  const verb = { running: 'Loading', done: 'Loaded', stopped: 'Stopped loading' }[state];
  return `${verb} ${file.name}: ${parts.join(', ')}.`;
}

function counted(count: number, [one, many]: readonly [string, string]): string {
  return `${printCount(count)} ${count === 1 ? one : many}`;
}
