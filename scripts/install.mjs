// npm's install step: compares the binaries of uWebSockets.js with their record, and builds the
// addon.
import { ensureAddon } from './native-build.mjs';
import { main } from './project.mjs';
import { stampDependencies } from './setup.mjs';
import { refuseAlteredBinaries } from './uws-binaries.mjs';

await main(async () => {
  refuseAlteredBinaries();
  await ensureAddon();
  stampDependencies();
});
