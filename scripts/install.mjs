// npm's install step: builds the addon. SERIESDB_SKIP_NATIVE=1 leaves that to
// scripts/setup.mjs, which is how setup calls npm without being called back.
import { ensureAddon } from './native-build.mjs';
import { main } from './project.mjs';
import { stampDependencies } from './setup.mjs';

await main(() => {
  if (process.env.SERIESDB_SKIP_NATIVE === '1') return;
  ensureAddon();
  stampDependencies();
});
