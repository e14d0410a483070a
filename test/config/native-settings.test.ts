import { assert } from 'chai';

import { fixedNativeSettings, liveNativeSettings } from '../../src/config/native-settings.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { settingKeys, settingRows } from '../../src/config/settings.js';

describe('the settings passed to the engine unchanged', () => {
  const file = new Map<string, unknown>([
    ['history_keep_ms', 5],
    ['max_series', 7],
    ['compaction', false],
  ]);
  const { settings } = resolveSettings({ file });
  const live: Readonly<Record<string, unknown>> = liveNativeSettings(settings);
  const fixed: Readonly<Record<string, unknown>> = fixedNativeSettings(settings);

  it("have the addon's names, with the reloadable ones separate", () => {
    assert.strictEqual(live['historyKeepMs'], 5);
    assert.strictEqual(fixed['maxSeries'], 7);
    assert.strictEqual(fixed['isCompacting'], false);
    assert.notProperty(fixed, 'historyKeepMs');
    assert.notProperty(live, 'maxSeries');
  });

  it('are those marked in the table, each under a name of its own', () => {
    const names = settingKeys.flatMap((key) => settingRows[key].native ?? []);
    assert.strictEqual(new Set(names).size, names.length);
    assert.sameMembers([...Object.keys(live), ...Object.keys(fixed)], names);
    for (const key of settingKeys) {
      const { native, isLive } = settingRows[key];
      if (native === undefined) continue;
      assert.strictEqual((isLive === true ? live : fixed)[native], settings[key], key);
    }
  });
});
