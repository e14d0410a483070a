// `npm run check:bucket`: what is kept on an object store, on a real Ceph of this machine. The last
// line is "N passed, N failed".
import aws4 from 'aws4';

import { inRoot, main, runCollected } from '../project.mjs';
import { cephKeys, startCeph } from './ceph.mjs';
import { setup } from '../setup.mjs';

async function put(url, target, body) {
  const { host } = new URL(url);
  const headers = body === undefined ? {} : { 'content-type': 'application/xml' };
  const service = { host, service: 's3', region: 'us-east-1' };
  const signed = aws4.sign({ ...service, method: 'PUT', path: target, body, headers }, cephKeys);
  const answer = await fetch(url + target, { method: 'PUT', headers: signed.headers, body });
  if (!answer.ok) throw new Error(`PUT ${target}: ${answer.status} ${await answer.text()}`);
}

const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const expiring =
  '<LifecycleConfiguration><Rule><ID>all</ID><Filter><Prefix></Prefix></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>';

/** Buckets, how each is made, and the tests that the probe fails in it. */
const buckets = [
  { name: 'plain', fails: [] },
  { name: 'versioned', query: '?versioning', body: versioning, fails: ['create', 'taken'] },
  { name: 'expiring', query: '?lifecycle', body: expiring, fails: ['lifecycle'] },
];

/** The names of the tests that failed, or what the command said instead. */
async function probed(name, url) {
  const program = inRoot('dist/bin/seriesdb.js');
  const args = ['bucket', 'probe', `s3://${name}/of/a-database`, '--endpoint', url, '--json'];
  const { text } = await runCollected([program, ...args]);
  try {
    const lines = text.trim().split('\n');
    const findings = lines.map((line) => JSON.parse(line));
    return findings.flatMap(({ test, verdict }) => (verdict === 'failed' ? [test] : []));
  } catch {
    return [text.trim()];
  }
}

await main(async () => {
  await setup();
  process.env.AWS_ACCESS_KEY_ID = cephKeys.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = cephKeys.secretAccessKey;
  const ceph = await startCeph();
  let failed = 0;
  let passed = 0;
  try {
    for (const { name, query, body, fails } of buckets) {
      await put(ceph.urls[0], `/${name}`);
      if (query !== undefined) await put(ceph.urls[0], `/${name}${query}`, body);
      for (const url of ceph.urls) {
        const found = await probed(name, url);
        const isRight = found.join() === fails.join();
        passed += Number(isRight);
        failed += Number(!isRight);
        console.log(`${isRight ? 'ok' : 'FAIL'} ${name} at ${url}: ${found.join(', ') || 'fit'}`);
      }
    }
  } finally {
    ceph.stop();
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});
