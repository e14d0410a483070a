// `node scripts/peers/record-answers.mjs [seed]`: records Prometheus' answers to random queries on
// random series in test/promql/recorded-answers.json. A test compares our answers. Long answers and
// most empty or refused ones are left out.
import { writeFileSync } from 'node:fs';

import { freePort, inRoot, main } from '../project.mjs';

const file = 'test/promql/recorded-answers.json';
const count = 500;
const valuesMax = 60;
/** One of this many empty answers is recorded. */
const emptyEvery = 10;

const test = (name) => import(inRoot(`dist/test/${name}.js`));

await main(async () => {
  const { randomSeries } = await test('promql/random-data');
  const { PeerCases } = await test('promql/peer-cases');
  const { RealPrometheus } = await test('promql/real-prometheus');
  const seed = Number(process.argv[2] ?? 1);
  const peer = await RealPrometheus.start(await freePort());
  try {
    await peer.write(randomSeries(seed));
    const cases = new PeerCases(seed);
    const recorded = [];
    let empty = 0;
    while (recorded.length < count) {
      const [path, parameters] = cases.next();
      const { status, body } = await peer.ask(path, parameters);
      const values = valuesIn(body);
      if (values > valuesMax) continue;
      if (values === 0 && ++empty % emptyEvery !== 0) continue;
      recorded.push({ path, parameters, status, body });
    }
    const lines = recorded.map((one) => JSON.stringify(one));
    writeFileSync(inRoot(file), `{"seed":${seed},"recorded":[\n${lines.join(',\n')}\n]}\n`);
    console.log(`${count} answers, seed ${seed}`);
    return 0;
  } finally {
    peer.stop();
  }
});

function valuesIn({ data }) {
  if (data === undefined) return 0;
  if (data.resultType === 'scalar' || data.resultType === 'string') return 1;
  return data.result.reduce((sum, { values }) => sum + (values?.length ?? 1), 0);
}
