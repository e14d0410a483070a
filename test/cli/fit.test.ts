import { assert } from 'chai';

import { printTable } from '../../src/cli/session/table.js';

const columns = [{ name: 'name' }, { name: 'count', isNumber: true }, { name: 'text' }];
const widest = (table: string): number => Math.max(...table.split('\n').map((line) => line.length));

describe('a command-line table', () => {
  const row = ['a name of thirty characters    .', 1234567890, 'short'] as const;

  it('fits the screen, truncating the widest texts first', () => {
    const table = printTable(columns, [row], { width: 40 });
    assert.isAtMost(widest(table), 40);
    assert.match(table, /\na name of thirty c\S*… +1234567890 {2}short\n$/);
  });

  it('truncates no number, and no text below a readable width', () => {
    const table = printTable(columns, [row], { width: 5 });
    assert.match(table, /\na name…? +1234567890 {2}short\n$/);
  });

  it('is not truncated if it fits, without a screen, or with a single column', () => {
    const whole = printTable(columns, [row], { width: null });
    assert.strictEqual(printTable(columns, [row], { width: widest(whole) }), whole);
    assert.include(printTable(columns, [row], { width: widest(whole) - 1 }), '…');
    const lone = printTable([{ name: 'name' }], [[row[0]]], { width: 10 });
    assert.include(lone, row[0]);
  });

  it('counts wide characters as two columns, also in long tables', () => {
    const rows = Array.from({ length: 1001 }, () => ['日本'.repeat(10), 1, 'x']);
    const table = printTable(columns, rows, { width: 30 });
    assert.strictEqual(table.split('\n')[1], '日本日本日本日本…      1  x');
  });
});
