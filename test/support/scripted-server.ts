/** An HTTP server that answers from a script, and records its requests. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { catalog, isErrorCode } from '../../src/common/errors/catalog.js';

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | readonly string[];
  /** `before`: no answer at all. `inside`: the connection breaks after the body's first piece. */
  readonly breaks?: 'before' | 'inside';
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedServer {
  readonly url: string;
  readonly asked: Asked[];
  close(): void;
}

/**
 * The answers in turn; the last one repeats. With a `unit`, /status is answered separately and not
 * recorded.
 */
export async function startScriptedServer(
  answers: readonly ScriptedAnswer[],
  { unit }: { readonly unit?: string } = {},
): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      if (path === '/status' && unit !== undefined) {
        give(response, { body: JSON.stringify({ timestamp_unit: unit }) });
        return;
      }
      asked.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
      give(response, answers[Math.min(asked.length, answers.length) - 1] ?? {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function give(response: http.ServerResponse, answer: ScriptedAnswer): void {
  if (answer.breaks === 'before') {
    response.destroy();
    return;
  }
  response.writeHead(answer.status ?? 200, { ...answer.headers });
  const body = answer.body ?? '';
  const pieces = typeof body === 'string' ? [body] : body;
  if (answer.breaks === 'inside') {
    response.write(pieces[0] ?? '', () => {
      response.destroy();
    });
    return;
  }
  for (const piece of pieces) response.write(piece);
  response.end();
}

export function refusal(code: string, status: number, error = `refused: ${code}`): ScriptedAnswer {
  const mayPass = isErrorCode(code) && catalog[code].retry;
  const headers: Record<string, string> = mayPass ? { 'retry-after': '0' } : {};
  return { status, headers, body: JSON.stringify({ error, code, status }) };
}
