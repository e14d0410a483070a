// `npm run test:rewrite`: plays every transcript and writes down what came back. The difference in
// git is the review: an answer is kept only when the language says so.
import { main, runNode } from './project.mjs';
import { setup } from './setup.mjs';

await main(() => {
  setup();
  process.env.SDB_REWRITE = '1';
  const tests = 'dist/test/transcripts/query.test.js';
  return runNode(['node_modules/mocha/bin/mocha.js', '--no-config', '--reporter', 'dot', tests]);
});
