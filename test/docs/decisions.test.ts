import { expect } from 'chai';

interface Script {
  decisionsPage: (options: {
    pages: Record<string, string>;
    problems: string[];
    note: string;
    table: (head: string[], rows: string[][]) => string;
  }) => string;
}

const script = new URL('../../../scripts/docs/decisions.mjs', import.meta.url).href;

async function indexOf(pages: Record<string, string>): Promise<{ text: string; faults: string[] }> {
  const { decisionsPage } = (await import(script)) as Script;
  const faults: string[] = [];
  const table = (_head: string[], rows: string[][]): string =>
    rows.map((row) => row.join(' | ')).join('\n');
  const paths = Object.entries(pages).map(([name, text]) => [`docs/decisions/${name}`, text]);
  const text = decisionsPage({
    pages: Object.fromEntries(paths) as Record<string, string>,
    problems: faults,
    note: '',
    table,
  });
  return { text, faults };
}

const page = (number: string, status: string): string =>
  `# ${number} Logs have one frame\n\nStatus: ${status} · Topic: storage\n\nText.\n`;

describe('index of decisions', () => {
  it('lists number, title and status by topic', async () => {
    const { text, faults } = await indexOf({
      '0002-logs.md': page('0002', 'superseded by [0007](0007-frames.md)'),
      '0007-frames.md': page('0007', 'accepted').replace('storage', 'codec'),
    });
    expect(faults).to.deep.equal([]);
    expect(text).to.include(
      '## Storage\n\n[0002](0002-logs.md) | Logs have one frame | superseded by [0007](0007-frames.md)',
    );
    expect(text).to.include('## Codec\n\n[0007](0007-frames.md) | Logs have one frame | accepted');
  });

  const wrong: [string, Record<string, string>, string][] = [
    ['no status', { '0002-logs.md': '# 0002 Logs\n\nText.\n' }, 'third line'],
    ['no title', { '0002-logs.md': page('0003', 'accepted') }, 'must begin with'],
    [
      'an unknown topic',
      { '0002-logs.md': page('0002', 'accepted').replace('storage', 'x') },
      'not a topic',
    ],
    ['no successor', { '0002-logs.md': page('0002', 'superseded') }, 'status must be'],
    [
      'a missing successor',
      { '0002-logs.md': page('0002', 'superseded by [0007](0007-frames.md)') },
      'not the page of 0007',
    ],
    [
      'an earlier successor',
      {
        '0001-all.md': page('0001', 'accepted'),
        '0002-logs.md': page('0002', 'amended by [0001](0001-all.md)'),
      },
      'not a later decision',
    ],
    [
      'a number twice',
      { '0002-a.md': page('0002', 'accepted'), '0002-b.md': page('0002', 'accepted') },
      'is taken',
    ],
  ];
  for (const [name, pages, sentence] of wrong) {
    it(`refuses ${name}`, async () => {
      const { faults } = await indexOf(pages);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include(sentence);
    });
  }
});
