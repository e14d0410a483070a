import { expect } from 'chai';

interface Script {
  knownPaths: (files: readonly string[]) => ReadonlySet<string>;
  deadPaths: (text: string, known: ReadonlySet<string>) => Iterable<string>;
}

const script = new URL('../../../scripts/docs/paths.mjs', import.meta.url).href;

const files = ['native/storage/view/view.h', 'src/query/run.ts', 'docs/README.md'];

async function deadIn(text: string): Promise<readonly string[]> {
  const { deadPaths, knownPaths } = (await import(script)) as Script;
  return [...deadPaths(text, knownPaths(files))];
}

describe('paths in documents', () => {
  it('must exist, with or without the first folders', async () => {
    expect(await deadIn('`native/storage/view/view.h`, src/query. docs/README.md')).to.be.empty;
    expect(await deadIn('`storage/view/view.h`, `view/view.h`')).to.be.empty;
    expect(await deadIn('`read/view.h`')).to.deep.equal(['read/view.h does not exist']);
    expect(await deadIn('see native/read/.')).to.deep.equal(['native/read does not exist']);
    expect(await deadIn('docs/old/README.md')).to.deep.equal(['docs/old/README.md does not exist']);
  });

  it('may have a part in capitals that stands for any name', async () => {
    expect(await deadIn('`src/cli/commands/NAME.ts` docs/decisions/NNNN-words.md')).to.be.empty;
  });

  it('are not the routes and media types beside them', async () => {
    expect(await deadIn('`metrics/find`, `text/plain`, /api/v1/docs/page, build/src/x')).to.be
      .empty;
  });
});
