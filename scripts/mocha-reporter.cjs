// Mocha's default report, plus the counts in a file for the script that adds them up. The reason of
// a failure is printed at once, too, for a run that is stopped before its end.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on('fail', (_, error) => {
      console.log(`      ${error.message}`);
    });
    const file = options.reporterOptions?.countsFile;
    if (file === undefined) return;
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
};
