/**
 * Sends requests over several connections. Each connection waits for one answer before it sends
 * again.
 */
import { Connection } from '../connection.js';
import { median, percentile } from '../report.js';

/** A server of ours or of others. */
export interface Asked {
  readonly port: number;
  cpuSeconds(): number;
}

export interface Plan {
  readonly connections: number;
  /** No requests are sent after this time, in milliseconds. */
  readonly mostMs: number;
}

/** The figures of these requests. */
export interface Tally {
  readonly count: number;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server per request. */
  readonly cpuMs: number;
  readonly perSecond: number;
}

/** Sends each request once, in order. Throws unless each answer is a 200. */
export async function askAll(
  server: Asked,
  requests: readonly Buffer[],
  { connections, mostMs }: Plan,
): Promise<Tally> {
  const open = Array.from({ length: connections }, async () => Connection.open(server.port));
  const sockets = await Promise.all(open);
  const times: number[] = [];
  const cpuBefore = server.cpuSeconds();
  const began = performance.now();
  let next = 0;
  const askOn = async (socket: Connection): Promise<void> => {
    for (let now = performance.now(); now < began + mostMs; now = performance.now()) {
      const request = requests[next++];
      if (request === undefined) return;
      const { status } = await socket.exchange(request);
      if (status !== 200) throw new Error(`a request was answered with ${String(status)}`);
      times.push(performance.now() - now);
    }
  };
  await Promise.all(sockets.map(askOn));
  const wallMs = performance.now() - began;
  const cpuMs = (server.cpuSeconds() - cpuBefore) * 1000;
  for (const socket of sockets) socket.close();
  return tallyOf(times, { wallMs, cpuMs });
}

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function tallyOf(times: readonly number[], { wallMs, cpuMs }: Cost): Tally {
  return {
    count: times.length,
    firstMs: times[0] ?? NaN,
    p50Ms: median(times),
    p99Ms: percentile(times, 0.99),
    cpuMs: cpuMs / times.length,
    perSecond: (times.length / wallMs) * 1000,
  };
}
