/** Self-signed certificates for 127.0.0.1, written as X.509 in DER, valid for a day around now. */

import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { temporaryDirectory } from './server.js';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  let head = [tag, length];
  if (length > 255) head = [tag, 0x82, length >> 8, length & 255];
  else if (length > 127) head = [tag, 0x81, length];
  return Buffer.concat([Buffer.from(head), body]);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const objectId = (text: string): Buffer => der(0x06, hex(text));

function utcTime(at: Date): Buffer {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(text.slice(2)));
}

/** `name` becomes the subject's common name, by which tests tell certificates apart. */
export function makeCertificate(name: string, namedCurve = 'prime256v1'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const dayMs = 86_400_000;
  const algorithm = sequence(objectId('2a8648ce3d040302'));
  const subject = sequence(
    der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(name, 'utf8')))),
  );
  const alternativeName = sequence(der(0x87, hex('7f000001')));
  const extensions = sequence(
    sequence(objectId('551d11'), der(0x04, alternativeName)),
    sequence(objectId('551d13'), der(0x04, sequence(der(0x01, hex('ff'))))),
  );
  const content = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, Buffer.concat([hex('01'), Buffer.from(String(process.hrtime.bigint() % 100_000n))])),
    algorithm,
    subject,
    sequence(utcTime(new Date(Date.now() - dayMs)), utcTime(new Date(Date.now() + dayMs))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, der(0x03, hex('00'), signature));
  const base64 = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Files that a test rewrites, and the settings that name them. */
export function certificateFiles(first: Certificate) {
  const folder = temporaryDirectory();
  const write = (one: Certificate): void => {
    writeFileSync(path.join(folder, 'cert.pem'), one.cert);
    writeFileSync(path.join(folder, 'key.pem'), one.key);
  };
  write(first);
  const names = `tls_cert = "${folder}/cert.pem"\ntls_key = "${folder}/key.pem"\n`;
  return { folder, write, toml: names };
}
