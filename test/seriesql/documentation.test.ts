import { expect } from 'chai';
import { readFileSync } from 'node:fs';

import { MemoryTarget } from '../support/memory-target.js';
import { play } from '../support/transcript.js';

interface Block {
  readonly language: string;
  readonly text: string;
}

const page = readFileSync(new URL('../../../docs/seriesql.md', import.meta.url), 'utf8');
const blocks: readonly Block[] = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', text = '']) => ({ language, text: text.trimEnd() }),
);

describe('docs/seriesql.md', () => {
  const target = new MemoryTarget();
  before(async () => {
    const load = blocks.find(({ language }) => language === 'load');
    await target.set('now', '1970-01-01T00:05:00Z');
    await play(`load\n${load?.text ?? ''}`, target);
  });

  for (const [at, { language, text }] of blocks.entries()) {
    if (language !== 'sql') continue;
    const next = blocks[at + 1];
    const answer = next?.language === 'text' ? next.text : null;
    for (const query of text.split('\n\n')) {
      it(`runs ${query.replaceAll('\n', ' ').slice(0, 80)}`, async () => {
        const { columns } = await target.query(query);
        expect(columns).not.to.have.length(0);
        if (answer !== null) expect(await play(query, target)).to.equal(answer);
      });
    }
  }

  const translations = [...page.matchAll(/^\| (?:PromQL|InfluxQL|SQL) `.*` \| `(.*)` \|$/gm)];
  for (const [, query = ''] of translations) {
    it(`translates to ${query}`, async () => {
      const { rows } = await target.query(query);
      expect(rows).not.to.have.length(0);
    });
  }

  it('has examples, answers and translations', () => {
    expect(blocks.filter(({ language }) => language === 'sql')).to.have.length.above(14);
    expect(blocks.filter(({ language }) => language === 'text')).to.have.length.above(5);
    expect(translations).to.have.length.above(12);
  });

  it('says what it shows of an error', async () => {
    const drawn = blocks.find(({ text }) => text.startsWith('line 1, column 8'));
    const answer = await play('select valu from temp where time >= 0', target);
    expect(answer).to.equal(`validation_failed 400\n${drawn?.text ?? ''}`);
  });
});
