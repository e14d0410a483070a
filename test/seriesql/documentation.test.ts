import { expect } from 'chai';
import { readFileSync } from 'node:fs';

import { errorsOf } from '../../src/http/api/route-errors.js';
import { seriesql } from '../../src/http/routes/seriesql.js';
import { functionNames } from '../../src/query/seriesql/functions/function-names.js';
import { operatorNames } from '../../src/query/seriesql/execute/operators.js';
import { runQuery } from '../../src/query/seriesql/run-query.js';
import { engineOptions, MemoryTarget, memorySource } from '../support/memory-target.js';
import { play } from '../support/transcript.js';

interface Block {
  readonly language: string;
  readonly text: string;
}

const page = readFileSync(new URL('../../../docs/seriesql.md', import.meta.url), 'utf8');
const internals = readFileSync(
  new URL('../../../docs/internals/query.md', import.meta.url),
  'utf8',
);
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

  const section = (title: string, text = page): string => {
    const from = text.indexOf(`\n${title}\n`);
    expect(from, title).to.be.above(0);
    const level = title.indexOf(' ');
    const rest = text.slice(from + title.length + 2);
    const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'));
    return end < 0 ? rest : rest.slice(0, end);
  };

  const examples = blocks.filter(({ language }) => language === 'sql').map(({ text }) => text);
  const asked = examples.join('\n').toLowerCase();

  it('has an example of every function, aggregate and window', () => {
    expect(functionNames).to.have.length.above(50);
    // test/seriesql/functions runs the functions of this list.
    const made = section('### Every function').toLowerCase();
    expect(functionNames.filter((name) => !(asked + made).includes(`${name}(`))).to.deep.equal([]);
  });

  it('has an example of every clause, matcher, fill and statement', () => {
    const words = [
      ...['where', 'group by', 'having', 'order by', ' asc', ' desc', 'limit', 'offset', ' as '],
      ...['by_id(', '.*', "='", "!='", '=~', '!~', 'tag.', 'label.'],
      ...['fill(none)', 'fill(null)', 'fill(previous)', 'fill(linear)', 'fill(0)'],
      ...[' in (', 'between', 'like', 'is null', 'is not null', 'not (', '&&', '||', 'case when'],
      ...['insert into', 'delete from', 'show metrics', 'show series', 'show labels'],
      ...['show label values', 'explain select', 'explain analyze', 'explain bytecode'],
      ...['explain tables_used', '-- ', '/*'],
    ];
    expect(words.filter((word) => !asked.includes(word))).to.deep.equal([]);
  });

  it('names every error code of a query', () => {
    const codes = (seriesql.errors ?? []).filter((code) => !code.startsWith('unsupported_'));
    expect(codes).to.have.length.above(8);
    const errors = section('## Errors');
    expect(codes.filter((code) => !errors.includes(`\`${code}\``))).to.deep.equal([]);
    const reasons = errorsOf(seriesql).filter((code) => /^unsupported_(?!encoding)/.test(code));
    expect(reasons).to.have.length.above(8);
    const said = section('## Fallbacks to the interpreter', internals);
    expect(reasons.filter((reason) => !said.includes(`\`${reason}\``))).to.deep.equal([]);
  });

  it('has every field of stats in its table, and every operator', async () => {
    const query = await runQuery('explain analyze select 1', engineOptions(memorySource()));
    for await (const rows of query.rows) expect(rows).to.have.length(2);
    const said = section('### `stats`');
    const fields = [...said.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, field]) => field);
    const known = Object.keys(query.stats());
    known.splice(known.indexOf('legacy_fallback') + 1, 0, 'as_of', 'warnings', 'fallback_reason');
    expect(fields).to.deep.equal(known);
    for (const name of operatorNames) expect(said).to.contain(`\`${name}\``);
  });

  it('shows the true error messages', async () => {
    const drawn = blocks.find(({ text }) => text.startsWith('line 1, column 8'));
    const answer = await play('select valu from temp where time >= 0', target);
    expect(answer).to.equal(`validation_failed 400\n${drawn?.text ?? ''}`);
  });
});
