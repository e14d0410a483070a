// `npm run test:rewrite`: runs every transcript and records the answers. Review the difference in
// git, and keep an answer only if it is correct by the language.
import { buildCoreTests } from './native-build.mjs';
import { main, runNode } from './project.mjs';
import { runCoreTests } from './run-tests.mjs';
import { setup } from './setup.mjs';

await main(async () => {
  await setup();
  process.env.SDB_REWRITE = '1';
  const tests = 'dist/test/transcripts/query.test.js';
  const code = runNode([
    'node_modules/mocha/bin/mocha.js',
    '--no-config',
    '--reporter',
    'dot',
    tests,
  ]);
  const { failed } = runCoreTests(buildCoreTests(), ['compaction/transcript_test']);
  return code === 0 && failed === 0 ? 0 : 1;
});
