/** A real server, its settings in a file that a test rewrites, and requests to both listeners. */

import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';

import { loadUwsTransport } from '../../src/http/transport/uws-library.js';

import { startServer, temporaryDirectory, type Server, type ServerOptions } from './server.js';

export const transportNames: readonly string[] = [
  'node',
  ...(typeof loadUwsTransport() === 'string' ? [] : ['uws']),
];

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The client's source address; any of 127.0.0.0/8 works. */
  readonly from?: string;
  /** Speaks TLS and trusts this certificate only. */
  readonly ca?: string;
  readonly agent?: https.Agent;
}

export interface Asked {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Common name of the certificate that the server showed. */
  readonly certificate: string;
}

export function ask(port: number | null, target: string, options: AskOptions = {}) {
  const { method = 'GET', headers = {}, body, from, ca, agent } = options;
  return new Promise<Asked>((resolve, reject) => {
    const request = (ca === undefined ? http : https).request(
      {
        host: '127.0.0.1',
        port: port ?? 0,
        path: target,
        method,
        headers: { ...headers },
        agent: agent ?? false,
        ...(from === undefined ? {} : { localAddress: from }),
        ...(ca === undefined ? {} : { ca }),
      },
      (response) => {
        const { socket } = response;
        const peer = 'getPeerCertificate' in socket ? (socket as TlsSocket) : null;
        const certificate = peer?.getPeerCertificate().subject.CN ?? '';
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: answered } = response;
          const text = Buffer.concat(pieces).toString('utf8');
          resolve({ status, headers: answered, body: text, certificate });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** The result: the last line of a JSON lines answer, or of a command's --json output. */
export function lastLine(text: string): Readonly<Record<string, unknown>> {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return JSON.parse(line) as Readonly<Record<string, unknown>>;
}

interface TlsSocket {
  getPeerCertificate(): { readonly subject: { readonly CN?: string } };
}

export interface ConfiguredServer {
  readonly server: Server;
  readonly dataDir: string;
  /** Writes another settings file; nothing reads it before a reload. */
  readonly rewrite: (toml: string) => void;
}

/** The admin listener takes any free port; `toml` may hold tables. */
export async function startConfigured(
  transport: string,
  toml: string,
  { env = {}, args = [], ...rest }: Omit<ServerOptions, 'dataDir'> = {},
): Promise<ConfiguredServer> {
  const dataDir = temporaryDirectory();
  const file = path.join(temporaryDirectory(), 'seriesdb.toml');
  const rewrite = (text: string): void => {
    writeFileSync(file, text);
  };
  rewrite(toml);
  const server = await startServer({
    dataDir,
    args: ['--config', file, '--transport', transport, '--admin-listen', '127.0.0.1:0', ...args],
    env: { SERIESDB_ADMIN_ENABLED: 'true', ...env },
    ...rest,
  });
  return { server, dataDir, rewrite };
}
