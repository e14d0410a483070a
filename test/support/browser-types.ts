/**
 * The parts of playwright-core's types that tests use: the package is installed when a browser is
 * first needed.
 */

interface Role {
  readonly name?: string | RegExp;
  readonly exact?: boolean;
  readonly level?: number;
}

export interface Locator {
  click(): Promise<void>;
  pressSequentially(text: string, options?: { timeout: number }): Promise<void>;
  press(key: string): Promise<void>;
  count(): Promise<number>;
  textContent(): Promise<string | null>;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  waitFor(options?: { readonly state?: 'visible' | 'hidden' }): Promise<void>;
  getByRole(role: string, options?: Role): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  locator(selector: string): Locator;
  setInputFiles(file: string | InputFile): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  first(): Locator;
  or(other: Locator): Locator;
  nth(index: number): Locator;
  focus(): Promise<void>;
  boundingBox(): Promise<Box | null>;
  evaluate(script: string): Promise<unknown>;
}

/** A file that exists only in memory. */
interface InputFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Uint8Array;
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

interface BrowserResponse {
  status(): number;
  headers(): Readonly<Record<string, string>>;
}

interface PageResponse {
  url(): string;
  body(): Promise<Uint8Array>;
}

export interface BrowserRequest {
  url(): string;
  postData(): string | null;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
}

interface Route {
  continue(): Promise<void>;
  abort(): Promise<void>;
}

export interface Page {
  context(): Pick<BrowserContext, 'newPage' | 'newCDPSession'>;
  goto(url: string): Promise<BrowserResponse | null>;
  reload(): Promise<unknown>;
  goBack(): Promise<unknown>;
  waitForEvent(name: 'download'): Promise<{ path(): Promise<string> }>;
  url(): string;
  content(): Promise<string>;
  evaluate(script: string): Promise<unknown>;
  getByRole(role: string, options?: Role): Locator;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp): Locator;
  locator(selector: string): Locator;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  setViewportSize(size: Size): Promise<void>;
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    insertText(text: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
  readonly clock: {
    install(): Promise<void>;
    fastForward(ms: number): Promise<void>;
  };
  readonly mouse: {
    move(x: number, y: number): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
    wheel(x: number, y: number): Promise<void>;
  };
  route(address: string, handler: (route: Route) => Promise<void>): Promise<unknown>;
  unroute(address: string): Promise<void>;
  on(event: 'response', listener: (response: PageResponse) => void): void;
  on(event: 'request' | 'requestfinished', listener: (request: BrowserRequest) => void): void;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ContextOptions {
  readonly locale?: string;
  readonly timezoneId?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: Size;
  readonly deviceScaleFactor?: number;
  readonly hasTouch?: boolean;
}

/** Chromium's own protocol. */
export interface CdpSession {
  send(method: string, parameters?: object): Promise<unknown>;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<CdpSession>;
  close(): Promise<void>;
  addInitScript(options: { readonly content: string }): Promise<unknown>;
  setDefaultTimeout(ms: number): void;
  on(event: 'request', listener: (request: BrowserRequest) => void): void;
  on(event: 'console', listener: (message: ConsoleMessage) => void): void;
  on(event: 'weberror', listener: (error: { error(): Error }) => void): void;
}

export interface Browser {
  newContext(options: ContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface Playwright {
  readonly chromium: {
    launch(options: {
      readonly executablePath: string;
      readonly args: readonly string[];
      readonly env: NodeJS.ProcessEnv;
    }): Promise<Browser>;
  };
}
