/**
 * A real server in a child process, as a user starts it. Tests, benchmarks and the demo see the
 * database only from outside: command line, socket, exit code, `/proc`. No child outlives this
 * process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { cpuSecondsOf } from './cpu-time.js';
import { programFile } from './program.js';

export interface ServerOptions {
  readonly dataDir: string;
  /** Further flags after those that every test uses. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The program of another build; this build's if left out. */
  readonly program?: string | undefined;
  /** The server's `ulimit -n`; that of this process if left out. */
  readonly descriptorLimit?: number | undefined;
  /** The server's `ulimit -f`, in KiB: appending to a longer file fails. */
  readonly fileLimitKib?: number | undefined;
}
type Surroundings = Omit<ServerOptions, 'dataDir' | 'args'>;

export interface Exit {
  /** Null when a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The complete output, both streams. */
  readonly output: string;
}

const startTimeoutMs = 60_000;
// The kernel's unit of CPU time in /proc; the same on every Linux that Node supports.
/** True if a sanitizer build of the addon is under test: its memory use is not representative. */
export const isSanitized = process.env['SDB_TEST_ADDON'] !== undefined;

const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh empty directory, removed when this process ends. */
export function temporaryDirectory(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-'));
  folders.add(folder);
  return folder;
}

/** Removes a temporary directory before the process ends, for tests that fill many. */
export function removeDirectory(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** The size of all files below a folder. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

/** Runs the command line until it exits. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  descriptorLimit?: number,
): Promise<Exit> {
  const child = new Child(args, { env, descriptorLimit });
  const timer = setTimeout(() => {
    child.signal('SIGKILL');
  }, startTimeoutMs);
  const exit = await child.exit;
  clearTimeout(timer);
  return exit;
}

/** The arguments with which every test starts a server. */
export function serveArguments(options: ServerOptions): string[] {
  const fixed = ['serve', '--data-dir', options.dataDir, '--listen', '127.0.0.1:0'];
  // One thread: most tests examine single requests. Tests of several threads pass the flag, and
  // other builds may not support several.
  const isSaid = options.args?.includes('--listeners') === true || options.program !== undefined;
  const one = isSaid ? [] : ['--listeners', '1'];
  return [...fixed, '--fsync', 'always', '--log-level', 'warn', ...one, ...(options.args ?? [])];
}

/** Starts a server and waits until it prints its address. Rejects if it exits before that. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = new Child(serveArguments(options), options);
  const timer = setTimeout(() => {
    child.signal('SIGKILL');
  }, startTimeoutMs);
  try {
    return new Server(child, await child.port());
  } finally {
    clearTimeout(timer);
  }
}

/** Starts a server and kills it after a moment, most likely in the middle of its recovery. */
export async function killDuringStart(options: ServerOptions, afterMs: number): Promise<void> {
  const child = new Child(serveArguments(options), options);
  const timer = setTimeout(() => {
    child.signal('SIGKILL');
  }, afterMs);
  await child.exit;
  clearTimeout(timer);
}

/**
 * Kills every running server. A suite calls it at its end: a failed test leaves its server running,
 * which would keep the test runner alive.
 */
export async function killServers(): Promise<void> {
  const ends = [...running].map(
    async (child) =>
      new Promise((resolve) => {
        child.on('close', resolve);
        child.kill('SIGKILL');
      }),
  );
  await Promise.all(ends);
}

// The inherited environment, without settings, settings file, the user's cache and the test's seed.
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('SERIESDB_'));
  return {
    ...Object.fromEntries(entries),
    XDG_CONFIG_HOME: '/nowhere',
    // No user can make a folder there.
    XDG_CACHE_HOME: '/dev/null',
  };
}

/** For benchmarks, which run a server as `npm start` does. */
const nodeFlags = (process.env['SDB_TEST_NODE_FLAGS'] ?? '').split(' ').filter(Boolean);

class Child {
  readonly exit: Promise<Exit>;
  readonly pid: number;
  private readonly process: ChildProcess;
  private output = '';
  private onOutput: () => void = () => undefined;

  constructor(
    args: readonly string[],
    { env, descriptorLimit, fileLimitKib, program = programFile }: Surroundings,
  ) {
    const limits = [
      ...(descriptorLimit === undefined ? [] : ['-n', String(descriptorLimit)]),
      ...(fileLimitKib === undefined ? [] : ['-f', String(fileLimitKib)]),
    ];
    const command = [process.execPath, ...nodeFlags, program, ...args];
    // exec replaces the shell by the server.
    const limited = ['bash', '-c', 'ulimit $0 && exec "$@"', limits.join(' ')];
    const [file = '', ...rest] = limits.length === 0 ? command : [...limited, ...command];
    this.process = spawn(file, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inheritedEnvironment(), ...env },
    });
    this.pid = this.process.pid ?? -1;
    running.add(this.process);
    const collect = (text: string): void => {
      this.output += text;
      this.onOutput();
    };
    this.process.stdout?.setEncoding('utf8').on('data', collect);
    this.process.stderr?.setEncoding('utf8').on('data', collect);
    this.exit = new Promise((resolve, reject) => {
      this.process.on('error', reject);
      this.process.on('close', (code, signal) => {
        running.delete(this.process);
        resolve({ code, signal, output: this.output });
      });
    });
  }

  /** The port that the server announces. */
  async port(): Promise<number> {
    const announced = new Promise<number>((resolve) => {
      this.onOutput = () => {
        const match = /listening on https?:\/\/[^\s:]+:(\d+)/.exec(this.output);
        if (match !== null) resolve(Number(match[1]));
      };
    });
    const ended = this.exit.then(({ code, signal, output }): never => {
      throw new Error(`the server ended with ${String(code ?? signal)} at start:\n${output}`);
    });
    return Promise.race([announced, ended]);
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  printed(): string {
    return this.output;
  }
}

/** A server that listens. */
export class Server {
  /** The port of the admin listener; null if it is off. */
  readonly adminPort: number | null;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has exited, for any reason. */
  readonly exit: Promise<Exit>;
  private readonly child: Child;

  constructor(child: Child, port: number) {
    this.child = child;
    this.port = port;
    this.pid = child.pid;
    this.url = `http://127.0.0.1:${String(port)}`;
    this.exit = child.exit;
    const admin = /admin on https?:\/\/\S+:(\d+)/.exec(child.printed())?.[1];
    this.adminPort = admin === undefined ? null : Number(admin);
  }

  /** Signals the server to reload its settings. */
  hangUp(): void {
    this.child.signal('SIGHUP');
  }

  /** Stops it orderly: it finishes, flushes, and should exit with 0. */
  async stop(): Promise<Exit> {
    this.child.signal('SIGTERM');
    return this.exit;
  }

  /** Kills it, the closest a process can get to a power cut. */
  async kill(): Promise<Exit> {
    this.child.signal('SIGKILL');
    return this.exit;
  }

  /** CPU time of its threads so far, without that of threads that ended. */
  cpuSeconds(): number {
    const folder = `/proc/${String(this.pid)}/task`;
    return readdirSync(folder)
      .map((thread) => cpuSecondsOf(path.join(folder, thread)))
      .reduce((sum, one) => sum + one, 0);
  }

  /** CPU time in user mode so far, in steps of 10 ms. */
  userSeconds(): number {
    const text = readFileSync(`/proc/${String(this.pid)}/stat`, 'utf8');
    // The name of the program may have spaces. Behind it, the 12th field is user time.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) / 100;
  }

  /** Resident memory now. */
  residentBytes(): number {
    return this.statusBytes('VmRSS');
  }

  /** The peak of its resident memory so far. */
  peakBytes(): number {
    return this.statusBytes('VmHWM');
  }

  /** Files and sockets that it holds open now. */
  descriptorCount(): number {
    return this.descriptors().length;
  }

  /** The target of each descriptor, like `socket:[7]`; empty if it was just closed. */
  descriptors(): readonly string[] {
    const folder = `/proc/${String(this.pid)}/fd`;
    return readdirSync(folder).map((number) => {
      try {
        return readlinkSync(path.join(folder, number));
      } catch {
        return '';
      }
    });
  }

  /** Its complete output so far. */
  printed(): string {
    return this.child.printed();
  }

  private statusBytes(name: string): number {
    const status = readFileSync(`/proc/${String(this.pid)}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  }
}
