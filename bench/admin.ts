/** A server with an admin listener, and its maintenance requests for benchmarks. */
import { ask } from '../test/support/admin-server.js';
import { startServer, type Server } from '../test/support/server.js';

export function startWithAdmin(dataDir: string, program?: string): Promise<Server> {
  return startServer({
    dataDir,
    program,
    args: ['--admin-listen', '127.0.0.1:0'],
    env: { SERIESDB_ADMIN_ENABLED: 'true' },
  });
}

/** Resolves when the task is done. */
export async function order(
  server: Server,
  what: 'flush' | 'compact' | 'gc?history=true',
): Promise<void> {
  const { status, body } = await ask(server.adminPort, `/__admin/${what}`, { method: 'POST' });
  const isDone = status === 200 && !body.includes('"status":"failed"');
  if (!isDone) throw new Error(`${what}: ${body}`);
}
