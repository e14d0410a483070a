import { PassThrough } from 'node:stream';

import { assert } from 'chai';

import { Meter } from '../../src/cli/session/meter.js';

describe('the progress bar', () => {
  it('shows the completed share and the samples', () => {
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
    draw(screen);
    const drawn = String(screen.read());
    assert.include(drawn, 'a.ndjson');
    assert.include(drawn, '50%');
    assert.include(drawn, '12,345 samples');
  });

  it('writes to neither stdout nor stderr without a terminal', () => {
    const written: string[] = [];
    const restore = [process.stdout, process.stderr].map((stream) => {
      const write = stream.write.bind(stream);
      stream.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
      return () => {
        stream.write = write;
      };
    });
    try {
      draw(null);
    } finally {
      for (const one of restore) one();
    }
    assert.deepEqual(written, []);
  });
});

function draw(screen: NodeJS.WritableStream | null): void {
  const meter = new Meter({ screen, title: 'a.ndjson', total: 200 });
  meter.show(100, 12_345);
  meter.stop();
}
