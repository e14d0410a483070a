import { PassThrough } from 'node:stream';

import { assert } from 'chai';

import { Meter } from '../../src/cli/loading/meter.js';

describe('the progress bar', () => {
  it('shows the share that is done and the samples, and says nothing where nobody looks', () => {
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
    const meter = new Meter({ screen, title: 'a.ndjson', total: 200 });
    meter.show(100, 12_345);
    meter.stop();
    const drawn = String(screen.read());
    assert.include(drawn, 'a.ndjson');
    assert.include(drawn, '50%');
    assert.include(drawn, '12,345 samples');
    const silent = new Meter({ screen: null, title: 'a', total: 1 });
    silent.show(1, 1);
    silent.stop();
  });
});
