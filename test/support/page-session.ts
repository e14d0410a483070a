/** The commands of a documentation page, and the output printed below each of them. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const rootFolder = fileURLToPath(new URL('../../../', import.meta.url));

export interface Step {
  readonly command: string;
  /** The block in the answer's language right below; null if there is none. */
  readonly answer: string | null;
}

/** The command blocks in order, each with the next block if that is an answer. */
export function stepsOf(page: string, answerLanguage: string): readonly Step[] {
  const text = readFileSync(path.join(rootFolder, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, language, command = ''], at): Step[] => {
    if (language !== 'sh') return [];
    const [, next, answer = ''] = blocks[at + 1] ?? [];
    return [{ command, answer: next === answerLanguage ? answer.trim() : null }];
  });
}

/**
 * Runs the command in the project's root, against the server at this port. Returns both streams.
 */
export function runInShell(
  command: string,
  port: number,
): Promise<{ code: number | null; out: string }> {
  const text = `set -euo pipefail\n${command.replaceAll(':8080', `:${port}`)}`;
  // The sanitizer's library is for the server; preloaded into curl it hangs.
  const env = { ...process.env, SDB_URL: `http://127.0.0.1:${port}`, LD_PRELOAD: undefined };
  const child = spawn('bash', ['-c', text], {
    ...{ cwd: rootFolder, env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let out = '';
  const take = (text: string): void => {
    out += text;
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out });
    });
  });
}
