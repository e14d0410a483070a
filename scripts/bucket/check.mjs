// `npm run check:bucket`: what is kept on an object store, on a real Ceph of this machine: the
// probe in buckets that are fit and others, each request, backups with a restore, and servers that
// are killed for a minute (`--seconds N`, `--seed N`). The last line is "N passed, N failed".
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { ScriptError, inRoot, main, runCollected } from '../project.mjs';
import { runMocha } from '../run-tests.mjs';
import { cephKeys, startCeph } from './ceph.mjs';
import { runHomes } from './homes.mjs';
import { askStore } from './objects.mjs';
import { setup } from '../setup.mjs';

const put = (url, target, body) =>
  askStore({ url, keys: cephKeys }, { method: 'PUT', target, body });

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

const counts = { passed: 0, failed: 0 };

function tell(isRight, text) {
  counts[isRight ? 'passed' : 'failed'] += 1;
  console.log(`${isRight ? 'ok' : 'FAIL'} ${text}`);
}

async function checkProbe(urls) {
  for (const { name, query, body, fails } of buckets) {
    await put(urls[0], `/${name}`);
    if (query !== undefined) await put(urls[0], `/${name}${query}`, body);
    for (const url of urls) {
      const found = await probed(name, url);
      tell(found.join() === fails.join(), `${name} at ${url}: ${found.join(', ') || 'fit'}`);
    }
  }
}

async function checkRequests([url]) {
  await put(url, '/metrics');
  const { passed, failed } = runMocha('bucket/serve-store', { SERIESDB_TEST_STORE: url });
  counts.passed += passed;
  counts.failed += failed;
}

async function seriesdb(...args) {
  const began = performance.now();
  const { code, text } = await runCollected([inRoot('dist/bin/seriesdb.js'), ...args]);
  if (code !== 0) throw new ScriptError(`seriesdb ${args.join(' ')} ended with ${code}: ${text}`);
  return { text, seconds: (performance.now() - began) / 1000 };
}

async function exported(folder) {
  const { text } = await seriesdb('export', folder);
  const hash = createHash('sha256').update(text.split('\n').sort().join('\n')).digest('hex');
  return `${hash} of ${text.length} characters`;
}

const kSamples = 400_000;

/** Stores samples that hardly compress, so that there are some megabytes to upload. */
async function fill(folder, from) {
  const { open } = await import(inRoot('dist/src/embedded.js'));
  const database = await open(folder);
  for (let at = from; at < from + kSamples; at += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, i) =>
      JSON.stringify({
        metric: 'm',
        labels: { host: `h${i % 50}` },
        ts: (at + i) * 1000,
        value: Math.random(),
      }),
    );
    await database.ingest(lines.join('\n'));
  }
  await database.close();
}

/** Two backups by the two gateways, and what comes back from each. */
async function checkBackups(urls) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-bucket-'));
  const place = (name) => path.join(folder, name);
  const bucket = 's3://plain/backups/one';
  const store = (at) => [bucket, '--endpoint', urls[at % urls.length]];
  try {
    for (const round of [0, 1]) {
      await fill(place('data'), round * kSamples);
      const { text, seconds } = await seriesdb('backup', ...store(round), place('data'), '--json');
      const { bytes, present } = JSON.parse(text.trim().split('\n').at(-1));
      await seriesdb('verify', ...store(round + 1));
      await seriesdb('restore', ...store(round + 1), place(`restored-${round}`));
      const isSame =
        (await exported(place(`restored-${round}`))) === (await exported(place('data')));
      const told = `${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(2)} s, ${present} present`;
      tell(isSame, `backup ${round + 1}: ${told}; restored by the other gateway`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkHomes(urls) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  await put(urls[0], '/homes');
  const store = { urls, keys: cephKeys, bucket: 'homes', prefix: 'db' };
  const { problems, figures } = await runHomes({ store, seed, seconds: Number(values.seconds) });
  const { rounds, kills, takeOvers, fenced, acknowledged } = figures;
  tell(
    problems.length === 0,
    `${rounds} servers, ${kills} kills, ${takeOvers ?? 0} take-overs with ${fenced ?? 0} fenced: ` +
      `${acknowledged} samples acknowledged, lost or wrong: ${problems.length} (seed ${seed})`,
  );
  console.log(JSON.stringify(figures));
}

await main(async () => {
  await setup();
  process.env.AWS_ACCESS_KEY_ID = cephKeys.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = cephKeys.secretAccessKey;
  const ceph = await startCeph();
  try {
    for (const check of [checkProbe, checkRequests, checkBackups, checkHomes]) {
      await check(ceph.urls);
    }
  } finally {
    ceph.stop();
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 ? 0 : 1;
});
