/** Helpers for tests of the commands that maintain a database's files. */

import { assert } from 'chai';

import { runCli, type CliResult } from './cli.js';
import { Client } from './client.js';

import type { Server } from './server.js';

export const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];

export const adminUrl = (server: Server): string => `http://127.0.0.1:${String(server.adminPort)}`;

export function lines(metric: string, from: number, count: number): string {
  const one = (i: number): string =>
    JSON.stringify({ metric, labels: { host: `h${String(i % 3)}` }, ts: i, value: i / 8 });
  return `${Array.from({ length: count }, (_, i) => one(from + i)).join('\n')}\n`;
}

export async function ingest(server: Server, body: string): Promise<void> {
  assert.isAbove(await new Client(server.port).ingest(body), 0);
}

/** The output of a command that must succeed. */
export function done({ code, out, err }: CliResult): string {
  assert.strictEqual(code, 0, err);
  return out;
}

/** All samples of a place, sorted. */
export async function exported(place: readonly string[]): Promise<string> {
  const out = done(await runCli(['export', ...place]));
  return out.split('\n').sort().join('\n');
}

/** The last line of a command's JSON output. */
export async function told(args: readonly string[]): Promise<Record<string, unknown>> {
  const text = done(await runCli([...args, '--json']));
  return JSON.parse(text.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}
