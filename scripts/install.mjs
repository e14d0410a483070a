// npm's install step: compares the binaries of uWebSockets.js with their record, and builds the
// addon. SERIESDB_SKIP_NATIVE=1 leaves both to scripts/setup.mjs, which is how setup calls npm
// without being called back.
import { ensureAddon } from './native-build.mjs';
import { main } from './project.mjs';
import { stampDependencies } from './setup.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

await main(() => {
  if (process.env.SERIESDB_SKIP_NATIVE === '1') return;
  refuseAlteredBinaries();
  ensureAddon();
  stampDependencies();
});
