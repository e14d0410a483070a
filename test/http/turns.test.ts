import { expect } from 'chai';

import { Turns, type TurnFlow, type TurnLane, type TurnWork } from '../../src/http/intake/turns.js';

/** A body with queued work; every piece takes a millisecond of the clock. */
class Queue implements TurnWork {
  pieces = 0;
  isOpen = true;
  readonly lane: TurnLane;
  readonly name: string;
  readonly world: World;

  constructor(name: string, world: World) {
    this.name = name;
    this.world = world;
    this.lane = world.turns.enter(this);
  }

  /** `count` pieces arrive. Returns how many of them had to wait. */
  arrive(count: number): number {
    this.lane.run((ms) => {
      this.pieces += count;
      return this.work(ms);
    });
    return this.pieces;
  }

  work(ms: number): boolean {
    const until = this.world.now + ms;
    while (this.pieces > 0 && this.world.now < until) {
      this.pieces -= 1;
      this.world.now += 1;
      this.world.done.push(this.name);
    }
    return this.pieces > 0;
  }

  setFlow(flow: TurnFlow): void {
    this.isOpen = flow === 'open';
  }
}

class World {
  now = 0;
  readonly done: string[] = [];
  readonly crowds: ('lasts' | 'over')[] = [];
  readonly callbacks: (() => void)[] = [];
  readonly turns = new Turns({
    turnMs: 4,
    shareMs: 2,
    now: () => this.now,
    nextTurn: (callback) => this.callbacks.push(callback),
    onCrowd: (crowd) => this.crowds.push(crowd),
  });

  /** Runs a turn. Returns its work, one letter a millisecond. */
  turn(): string {
    this.done.length = 0;
    for (const callback of this.callbacks.splice(0)) callback();
    return this.done.join('');
  }
}

describe('the body scheduler', () => {
  let world: World;
  let a: Queue;
  let b: Queue;
  let c: Queue;
  beforeEach(() => {
    world = new World();
    [a, b, c] = [new Queue('a', world), new Queue('b', world), new Queue('c', world)];
  });

  it('a single body is processed as it arrives, with idle event-loop turns between', () => {
    for (let round = 0; round < 5; round++) {
      expect(a.arrive(3)).to.equal(0);
      expect(a.isOpen).to.equal(true);
      expect(world.callbacks).to.have.length(1);
      expect(world.turn()).to.equal('');
      expect(world.callbacks).to.have.length(0);
    }
  });

  it('small work requests no turn, and its use accumulates', () => {
    expect(a.arrive(1)).to.equal(0);
    expect(world.callbacks).to.have.length(0);
    expect(b.arrive(1)).to.equal(0);
    expect(world.callbacks).to.have.length(1);
    // Two of the four milliseconds are left.
    expect(c.arrive(3)).to.equal(1);
    world.turn();
    expect(world.done.join('')).to.equal('c');
    expect(a.arrive(3)).to.equal(0);
  });

  it('bytes past the budget wait, and no body is read until they are processed', () => {
    expect(a.arrive(3)).to.equal(0);
    expect(b.arrive(3)).to.equal(2);
    expect([a.isOpen, b.isOpen, c.isOpen]).to.deep.equal([false, false, false]);
    // A piece that was already on its way is queued, even if it is short.
    expect(c.arrive(1)).to.equal(1);
    expect(world.now).to.equal(4);
    expect(world.turn() + world.turn()).to.equal('bbc');
    expect([a.pieces, b.pieces, c.pieces]).to.deep.equal([0, 0, 0]);
    world.turn();
    expect([a.isOpen, b.isOpen, c.isOpen]).to.deep.equal([true, true, true]);
  });

  it('shares rotate, and no turn exceeds its budget', () => {
    for (const one of [a, b, c]) one.arrive(12);
    expect([a.pieces, b.pieces, c.pieces]).to.deep.equal([8, 12, 12]);
    const turns: string[] = [];
    while (a.pieces + b.pieces + c.pieces > 0) turns.push(world.turn());
    // Near the end, a share is reserved for bodies that resume reading.
    const last = ['bb', 'ccbb', 'cc'];
    expect(turns).to.deep.equal(['aabb', 'ccaa', 'bbcc', 'aabb', 'ccaa', 'bbcc', ...last]);
  });

  it('a body admitted but not read keeps its place', () => {
    a.arrive(4);
    expect(world.turn()).to.equal('');
    // Two are read at a time, because each may take a share.
    expect([a.isOpen, b.isOpen, c.isOpen]).to.deep.equal([true, true, false]);
    expect(b.arrive(5)).to.equal(1);
    expect([a.isOpen, b.isOpen, c.isOpen]).to.deep.equal([false, false, false]);
    expect(world.turn()).to.equal('');
    expect([a.isOpen, b.isOpen, c.isOpen]).to.deep.equal([true, false, true]);
  });

  it('a body that leaves is removed with its queued work', () => {
    for (const one of [a, b, c]) one.arrive(6);
    b.lane.leave();
    b.lane.leave();
    const done = [world.turn(), world.turn(), world.turn()].join('');
    expect(done).to.equal('aaccccccc'.slice(0, done.length)).and.not.contain('b');
    expect(a.pieces + c.pieces).to.equal(0);
    expect(b.arrive(1)).to.equal(6);
  });

  it('a job that throws is charged its time, and the turn continues', () => {
    const fails = (): void => {
      a.lane.run(() => {
        world.now += 4;
        throw new Error('the body is bad');
      });
    };
    expect(fails).to.throw('the body is bad');
    expect(b.arrive(1)).to.equal(1);
    expect(world.turn()).to.equal('b');
  });

  it('reports a crowd while it lasts, and its end', () => {
    const others = Array.from({ length: 6 }, (_, at) => new Queue(String(at), world));
    a.arrive(4);
    expect(world.crowds).to.deep.equal(['lasts']);
    world.turn();
    b.arrive(4);
    expect(world.crowds).to.deep.equal(['lasts']);
    world.turn();
    world.now += 50;
    c.arrive(4);
    expect(world.crowds).to.deep.equal(['lasts', 'lasts']);
    for (const one of others) one.lane.leave();
    expect(world.crowds).to.deep.equal(['lasts', 'lasts', 'over']);
  });

  it('a few bodies are not a crowd', () => {
    for (const one of [a, b, c]) one.arrive(100);
    while (a.pieces + b.pieces + c.pieces > 0) world.turn();
    expect(world.crowds).to.deep.equal([]);
  });
});
