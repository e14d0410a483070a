import { assert } from 'chai';
import { readFileSync } from 'node:fs';

const read = (file: string): string =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');

/** Productions by name, blanks made one. */
function productions(text: string): ReadonlyMap<string, string> {
  const all = text.matchAll(/^(\w+) += ([\s\S]*? ;)$/gm);
  return new Map([...all].map(([, name = '', body = '']) => [name, body.replace(/\s+/g, ' ')]));
}

describe('the grammar of SeriesQL', () => {
  const page = productions(/^```ebnf\n([\s\S]*?)^```$/m.exec(read('docs/seriesql.md'))?.[1] ?? '');
  const parsers = ['parser.ts', 'source-parser.ts', 'expression-parser.ts'];
  const comments = parsers
    .flatMap((file) => [
      ...read(`src/query/seriesql/language/${file}`).matchAll(/\/\*\*[\s\S]*?\*\//g),
    ])
    .map(([comment]) => comment.replace(/^\s*(?:\/\*\*|\*)? ?/gm, '').replace(/ ?\*\/$/, ''));
  const quoted = productions(comments.join('\n'));

  it("is quoted above each production's parser method, as in the docs", () => {
    assert.isAbove(page.size, 25);
    for (const [name, body] of page) assert.strictEqual(quoted.get(name), body, name);
    assert.sameMembers([...quoted.keys()], [...page.keys()]);
  });

  it('names no production that is missing', () => {
    const words = ['int', 'uint', 'float', 'string', 'duration', 'timestamp'];
    const known = new Set([...page.keys(), ...words, 'word', 'quoted', 'name', 'label', 'alias']);
    for (const [name, body] of page) {
      const used = [...body.replace(/"[^"]*"/g, '').matchAll(/\w+/g)].map(([word]) => word);
      assert.deepEqual(
        used.filter((word) => !known.has(word)),
        [],
        name,
      );
    }
  });
});
