// A proxy before an object store that fails as networks and stores fail. Signatures stay valid,
// because the store is told the host that was signed: the proxy's.
import http from 'node:http';

/**
 * Each request meets at most one of the faults. A rule without `methods` is for all of them, and
 * one without `below` for all keys. 7 % of the groups meet one, 5 % of other writes, and 3 % of
 * the reads; of the probe's fifty requests at each start an eighth as many.
 *
 * - delay: the request is held, and then served.
 * - reset: the connection is reset, and the store hears nothing.
 * - cut: the store hears half of the request.
 * - swallow: the request takes effect, and the client hears a reset.
 * - late: the client hears a reset at once, and the request takes effect later.
 * - slow, conflict: the answers 503 and 409, which Amazon gives when it is busy.
 */
const weather = [
  { fault: 'late', methods: ['PUT'], below: 'log-', chance: 0.01, mostMs: 4000 },
  { fault: 'swallow', methods: ['PUT'], below: 'log-', chance: 0.01 },
  { fault: 'late', methods: ['PUT'], below: 'spine-', chance: 0.01, mostMs: 4000 },
  { fault: 'swallow', methods: ['PUT'], below: 'spine-', chance: 0.01 },
  { fault: 'late', methods: ['PUT', 'DELETE'], chance: 0.005, mostMs: 4000 },
  { fault: 'swallow', chance: 0.01 },
  { fault: 'cut', methods: ['PUT'], chance: 0.005 },
  { fault: 'reset', chance: 0.01 },
  { fault: 'delay', chance: 0.01, mostMs: 400 },
  { fault: 'slow', chance: 0.005 },
  { fault: 'conflict', methods: ['PUT'], isCreate: true, chance: 0.005 },
];

const said = {
  slow: [503, 'SlowDown'],
  conflict: [409, 'ConditionalRequestConflict'],
};

const isOf = ({ methods, below, isCreate }, { method, url, headers }) =>
  (methods === undefined || methods.includes(method)) &&
  (below === undefined || url.includes(`/${below}`)) &&
  (isCreate === undefined || headers['if-none-match'] !== undefined);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Proxy {
  /** Requests that were held, and have not ended. */
  held = 0;
  requests = 0;
  counts = {};
  isCalm = false;
  isAway = false;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  #options;

  constructor(options) {
    this.#options = options;
  }

  /** The rule whose turn it is, and null for most requests. */
  #fault(asked) {
    this.requests += 1;
    const { rules, random } = this.#options;
    if (this.isCalm) return null;
    const share = asked.url.includes('/nodes/') ? 1 / 8 : 1;
    const isMet = (rule) => isOf(rule, asked) && random.chance(rule.chance * share);
    const found = rules.find(isMet) ?? null;
    if (found !== null) this.counts[found.fault] = (this.counts[found.fault] ?? 0) + 1;
    return found;
  }

  async serve(asked, response) {
    const { socket } = response;
    if (this.isAway) return socket.resetAndDestroy();
    const rule = this.#fault(asked);
    const waitMs = this.#options.random.below((rule?.mostMs ?? 0) + 1);
    switch (rule?.fault) {
      case 'reset':
        return socket.resetAndDestroy();
      case 'cut':
        await this.#sendHalf(asked);
        return socket.resetAndDestroy();
      case 'swallow':
        await this.#send(asked);
        return socket.resetAndDestroy();
      case 'late':
        socket.resetAndDestroy();
        this.held += 1;
        await sleep(waitMs);
        await this.#send(asked);
        this.held -= 1;
        return;
      case 'slow':
      case 'conflict': {
        const [status, code] = said[rule.fault];
        return response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
      }
      default:
        if (waitMs > 0) await sleep(waitMs);
        return this.#pass(asked, response);
    }
  }

  async #pass(asked, response) {
    const answer = await this.#send(asked);
    if (answer === null) return response.socket?.resetAndDestroy();
    const { status, headers, body } = answer;
    delete headers['transfer-encoding'];
    delete headers.connection;
    response.writeHead(status, headers).end(body);
  }

  #begin({ method, url, headers }) {
    const { targets, random } = this.#options;
    const { hostname, port } = new URL(random.pick(targets));
    return http.request({ hostname, port, method, path: url, headers, agent: this.#agent });
  }

  /** The answer of the store; null if there is none. */
  #send(asked) {
    return new Promise((resolve) => {
      const request = this.#begin(asked);
      request.on('error', () => resolve(null));
      request.on('response', (answer) => {
        const pieces = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('error', () => resolve(null));
        answer.on('end', () => {
          const { statusCode: status, headers } = answer;
          resolve({ status, headers, body: Buffer.concat(pieces) });
        });
      });
      request.end(asked.body);
    });
  }

  #sendHalf(asked) {
    return new Promise((resolve) => {
      const request = this.#begin(asked);
      request.on('error', () => undefined);
      request.on('close', resolve);
      request.write(asked.body.subarray(0, asked.body.length / 2), () => request.destroy());
    });
  }
}

/**
 * Listens until it is closed. `targets` are the addresses of one store, of which each request takes
 * one; `random` has `chance`, `below` and `pick`, as `test/support/random.ts`.
 */
export async function startProxy({ targets, random, rules = weather }) {
  const proxy = new Proxy({ targets, random, rules });
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method, url, headers } = request;
      void proxy.serve({ method, url, headers, body: Buffer.concat(pieces) }, response);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** How often each fault was met, and the number of all requests. */
    told: () => ({ requests: proxy.requests, ...proxy.counts }),
    setCalm: (isCalm) => {
      proxy.isCalm = isCalm;
    },
    /** Away: every connection is reset. */
    setAway: (isAway) => {
      proxy.isAway = isAway;
    },
    /** Resolves when no request is held any more. */
    idle: async () => {
      while (proxy.held > 0) await sleep(20);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
