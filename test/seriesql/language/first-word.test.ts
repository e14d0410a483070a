import { assert } from 'chai';

import { mayStore } from '../../../src/query/seriesql/language/first-word.js';
import { cpuMs } from '../../support/cpu-time.js';

describe('the first word of a statement', () => {
  it('says if the statement may store', () => {
    const storing = ['insert into m values (1, 2)', ' \n\tDELETE from m', 'Drop metric m', 'drop'];
    const behind = ['-- a\n/* b **/ /**/-- c\n insert', '/* select */delete', '--\ninsert'];
    for (const text of [...storing, ...behind]) assert.isTrue(mayStore(text), text);
    const reading = [
      'select 1',
      'explain insert into m',
      'inserted',
      'insert_x',
      'dropé',
      '"insert"',
      '',
      '-- insert',
    ];
    const open = ['/* insert', '/* insert *', '- insert', '/ insert', '(insert)'];
    for (const text of [...reading, ...open]) assert.isFalse(mayStore(text), text);
  });

  it('is found in linear time', () => {
    const parts = ['/**/', '/*', '--\n', ' ', '/* *', '*/', '/***'];
    const texts = parts.map((one) => one.repeat(16_000));
    const before = cpuMs();
    for (const text of texts) mayStore(text);
    assert.isBelow(cpuMs() - before, 500);
  });
});
