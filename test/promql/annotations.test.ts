/**
 * The place of an annotation that several parts of an expression produce, in any order of
 * evaluation.
 */
import { expect } from 'chai';

import { Annotations } from '../../src/query/promql/vectors/annotations.js';

const at = (start: number, end: number): { start: number; end: number } => ({ start, end });

describe('annotations of PromQL answers', () => {
  it('have the position of the second operand, although it is evaluated first', () => {
    const notes = new Annotations(({ start }) => String(start));
    notes.warn('odd', at(60, 62), at(50, 80));
    notes.warn('odd', at(10, 12), at(0, 40));
    notes.inform('so', at(10, 12));
    notes.inform('so', at(60, 62));
    expect(notes.warnings).to.deep.equal(['PromQL warning: odd (60)']);
    expect(notes.infos).to.deep.equal(['PromQL info: so (60)']);
  });

  it('have the position of the outer call, which is evaluated after the inner one', () => {
    const notes = new Annotations(({ start }) => String(start));
    notes.warn('odd', at(30, 32), at(20, 60));
    notes.warn('odd', at(10, 12), at(0, 70));
    expect(notes.warnings).to.deep.equal(['PromQL warning: odd (10)']);
  });
});
