/** Detects that only one of client and server uses TLS, or that a certificate is not trusted. */

import { connect } from 'node:tls';

import { clientCodes, type SeriesDbError } from '../../client/client.js';

const kProbeMs = 2000;

/** Error codes of Node.js for an untrusted certificate; other codes are not explained. */
const distrusted: ReadonlySet<unknown> = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_NOT_YET_VALID', 'CERT_SIGNATURE_FAILURE'],
]);
const notTls: ReadonlySet<unknown> = new Set([
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  ...['ERR_SSL_RECORD_LAYER_FAILURE', 'ERR_SSL_HTTP_REQUEST'],
]);

/** A sentence; null if the error has another cause. */
export async function otherSide(error: SeriesDbError, url: string): Promise<string | null> {
  if (error.code !== clientCodes.network || !URL.canParse(url)) return null;
  const { code, reason } = causeOf(error);
  const { protocol, host } = new URL(url);
  if (protocol === 'https:') {
    if (notTls.has(code)) return `${host} speaks plain HTTP, not TLS; use http://${host}`;
    if (!distrusted.has(code)) return null;
    return `the certificate of ${host} is not trusted (${reason}); name its CA by --ca FILE`;
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return null;
  return (await speaksTls(url)) ? `${host} speaks TLS, not plain HTTP; use https://${host}` : null;
}

function causeOf({ cause }: SeriesDbError): { readonly code: unknown; readonly reason: string } {
  // Node.js wraps the cause in a TypeError "fetch failed".
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return { code: null, reason: String(inner) };
  return { code: 'code' in inner ? inner.code : null, reason: inner.message };
}

/** Certificates are not verified here, because no data is sent. */
function speaksTls(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
    const end = (answer: 'tls' | 'other') => (): void => {
      socket.destroy();
      resolve(answer === 'tls');
    };
    socket.setTimeout(kProbeMs);
    socket.once('secureConnect', end('tls'));
    socket.once('timeout', end('other')).once('error', end('other'));
  });
}
