import { expect } from 'chai';

interface Script {
  widthMax: number;
  doorsOf: (wing: string, readme: string) => string[];
  doorProblems: (options: { doors: string[]; graph: Map<string, string[]> }) => string[];
}

const script = new URL('../../../scripts/layers/native-doors.mjs', import.meta.url).href;
const load = async (): Promise<Script> => (await import(script)) as Script;

const door = 'native/index/door.h';

/** A door whose chain of includes has `width` headers. */
function chainOf(width: number): Map<string, string[]> {
  const names = [door, ...Array.from({ length: width }, (_, at) => `native/index/part${at}.h`)];
  return new Map(names.map((name, at) => [name, names.slice(at + 1, at + 2)]));
}

async function problemsOf(graph: Map<string, string[]>): Promise<string[]> {
  const { doorProblems } = await load();
  return doorProblems({ doors: [door], graph });
}

describe('doors of native', () => {
  it('are the headers of the entry paragraph', async () => {
    const { doorsOf } = await load();
    const readme = 'It owns `a.h`. Entry: `b.h`,\n`room/c.h`; see `d.cc`.\n\n`e.h` is a part.\n';
    expect(doorsOf('index', readme)).to.deep.equal(['native/index/b.h', 'native/index/room/c.h']);
    expect(doorsOf('index', 'No header.\n')).to.deep.equal([]);
  });

  it('may include the largest width, counted over all steps, and no header more', async () => {
    const { widthMax } = await load();
    expect(await problemsOf(chainOf(widthMax))).to.deep.equal([]);
    const [problem, ...others] = await problemsOf(chainOf(widthMax + 1));
    expect(problem).to.include(`${door} includes ${widthMax + 1} headers`);
    expect(others).to.deep.equal([]);
  });

  it('count a header once, and headers outside the project not at all', async () => {
    const { widthMax } = await load();
    const graph = chainOf(widthMax);
    graph.set(door, [...graph.keys()].slice(1).concat('native/napi.h'));
    expect(await problemsOf(graph)).to.deep.equal([]);
  });

  it('exist', async () => {
    expect((await problemsOf(new Map())).join()).to.include('does not exist');
  });
});
