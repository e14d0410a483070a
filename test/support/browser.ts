/**
 * A browser for tests of the built-in page. One browser serves a test process, and each test gets a
 * new context. Every console error, policy violation and request to another server fails the test.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { assert } from 'chai';

import { rootFolder } from './page-session.js';

import type { Browser, BrowserContext, ContextOptions, Page, Playwright } from './browser-types.js';

interface FoundBrowser {
  readonly packages: string;
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
}

/** No flag gives a page more rights than usual. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// A machine with other load takes seconds for what takes milliseconds.
const kWaitMs = 30_000;
const kFirstMs = 300_000;

/** Opens an address in a new context. */
export type OpenPage = (url: string, options?: OpenOptions) => Promise<Page>;

interface OpenOptions extends ContextOptions {
  /** The page has a clock that the test can put forward. */
  readonly hasClock?: boolean;
  /** Runs in the page before its own. */
  readonly script?: string;
}

let opened: Promise<Browser> | null = null;

export async function openBrowser(): Promise<Browser> {
  const script = pathToFileURL(path.join(rootFolder, 'scripts/ui/browser.mjs')).href;
  const { findBrowser } = (await import(script)) as { findBrowser: () => Promise<FoundBrowser> };
  const { packages, executable, env } = await findBrowser();
  const { chromium } = createRequire(packages)('playwright-core') as Playwright;
  const all = { ...process.env, LD_PRELOAD: undefined, ...env };
  return chromium.launch({ executablePath: executable, args: flags, env: all });
}

/** Null if there is no browser and the run is local; in CI a missing browser fails. */
async function browser(): Promise<Browser | null> {
  try {
    return await (opened ??= openBrowser());
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`NO TEST OF THE PAGE RUNS, there is no browser: ${reason}\n`);
    return null;
  }
}

/** The text of axe, which is run in a page. */
export function axe(): string {
  const packages = createRequire(path.join(rootFolder, 'build/browser/package.json'));
  return readFileSync(packages.resolve('axe-core/axe.min.js'), 'utf8');
}

interface Expected {
  /** Further console messages to allow, such as expected refusals. */
  readonly console?: RegExp;
}

/**
 * A test with pages. Every page is checked when it closes. The server runs until then, because a
 * page may send requests at any time.
 */
export function onPages(
  body: (open: OpenPage) => Promise<void>,
  { console: expected }: Expected = {},
): (this: Mocha.Context) => Promise<void> {
  return async function () {
    // The first one may have to install it.
    this.timeout(kFirstMs);
    const running = await browser();
    if (running === null) {
      this.skip();
    }
    const contexts: BrowserContext[] = [];
    const faults: string[] = [];
    try {
      await body(async (url, { hasClock = false, script = '', ...options } = {}) => {
        const context = await running.newContext({
          ...{ locale: 'en-GB', timezoneId: 'Europe/Berlin' },
          ...options,
        });
        contexts.push(context);
        await watch(context, new URL(url).origin, faults);
        if (script !== '') await context.addInitScript({ content: script });
        const page = await context.newPage();
        if (hasClock) await page.clock.install();
        await page.goto(url);
        return page;
      });
    } finally {
      await Promise.all(contexts.map((context) => context.close()));
    }
    const others = faults.filter((fault) => expected?.test(fault) !== true);
    assert.deepEqual(others, [], 'what went wrong in the page');
  };
}

const tellViolations = `addEventListener('securitypolicyviolation', (event) => {
  console.error('forbidden by the policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

async function watch(context: BrowserContext, origin: string, faults: string[]): Promise<void> {
  context.setDefaultTimeout(kWaitMs);
  await context.addInitScript({ content: tellViolations });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  context.on('weberror', (error) => {
    faults.push(String(error.error()));
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin === origin || ['data:', 'blob:'].includes(url.protocol)) return;
    faults.push(`a request to ${request.url()}`);
  });
}
