import { expect } from 'chai';

import {
  ConnectionGate,
  openConnectionGate,
  reservedDescriptors,
} from '../../src/http/transport/connection-gate.js';

/** A gate with room for `room` connections, and its messages. */
async function gateWithRoom(room: number) {
  const said: (string | number)[] = [];
  let files = 10;
  let open = 0;
  const gate = await openConnectionGate({
    limit: files + reservedDescriptors + room,
    countDescriptors: () => Promise.resolve(files + open),
    onFull: (reason) => said.push(reason),
    onRoom: (refused) => said.push(refused),
  });
  const take = (count: number): number => {
    let taken = 0;
    for (let at = 0; at < count; at += 1) if (gate.everybody.open()) taken += 1;
    open += taken;
    return taken;
  };
  const leave = (count: number): void => {
    for (let at = 0; at < count; at += 1) gate.everybody.close();
    open -= count;
  };
  const openFiles = async (count: number): Promise<void> => {
    files += count;
    await gate.recount();
  };
  return { gate, said, take, leave, openFiles };
}

describe('the connection gate', () => {
  it('accepts connections up to its limit, and logs once that it refuses more', async () => {
    const { gate, said, take, leave } = await gateWithRoom(20);
    expect(take(20)).to.equal(20);
    expect([said, gate.reason]).to.deep.equal([[], null]);
    expect(take(5)).to.equal(0);
    expect(said).to.have.length(1);
    expect(said[0]).to.equal(gate.reason);
    expect(gate.reason).to.contain('20 are open').and.to.contain('78 descriptors');
    leave(3);
    expect(take(4)).to.equal(3);
    expect(said).to.have.length(1);
    leave(5);
    expect([said[1], gate.reason]).to.deep.equal([6, null]);
    expect(take(6)).to.equal(5);
    expect(gate.refusedTotal).to.equal(7);
  });

  it('reserves some connections for the admin listener', async () => {
    const { gate, take } = await gateWithRoom(20);
    take(25);
    const taken = Array.from({ length: 6 }, () => gate.operator.open());
    expect(taken).to.deep.equal([true, true, true, true, false, false]);
    gate.operator.close();
    expect([gate.operator.open(), gate.operator.open()]).to.deep.equal([true, false]);
  });

  it('lowers its limit when more files are open, and closes no connection', async () => {
    const { gate, take, leave, openFiles } = await gateWithRoom(20);
    take(20);
    await openFiles(8);
    expect(gate.room).to.equal(12);
    leave(8);
    expect(take(1)).to.equal(0);
    leave(1);
    expect(take(2)).to.equal(1);
    await openFiles(-8);
    expect(take(20)).to.equal(8);
  });

  it('keeps its limit while connections change during a descriptor count', async () => {
    const { gate, take, leave, openFiles } = await gateWithRoom(40);
    let counted = gate.recount();
    take(30);
    await counted;
    expect(gate.room).to.equal(40);
    counted = gate.recount();
    leave(25);
    await counted;
    expect(gate.room).to.equal(40);
    // More files than the closed connections can explain.
    counted = openFiles(35);
    leave(5);
    await counted;
    expect(gate.room).to.equal(5);
  });

  it('accepts every connection if the descriptor limit is unknown', async () => {
    const nobodyKnows = {
      countDescriptors: () => Promise.resolve(null),
      onFull: fail,
      onRoom: fail,
    };
    const gate = await openConnectionGate({ ...nobodyKnows, limit: null });
    for (let at = 0; at < 100_000; at += 1) expect(gate.everybody.open()).to.equal(true);
    const other = new ConnectionGate({ ...nobodyKnows, limit: 100 });
    await other.recount();
    expect(other.everybody.open()).to.equal(true);
  });

  it('does not start with room for fewer than sixteen', async () => {
    expect((await gateWithRoom(16)).gate.room).to.equal(16);
    const error: unknown = await gateWithRoom(15).catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'too_few_descriptors');
    expect(String(error)).to.contain('only 73 files').and.to.contain('the server needs 74');
  });
});

function fail(): void {
  throw new Error('the gate was never full');
}
