/** The frame around every page: header, navigation, tools, help and banners. */

import { useEffect, useState } from 'preact/hooks';

import { announce, briefAddress, said, shownBriefly } from './announce.js';
import { isFileAbove, listenForFiles } from './data/chosen-file.js';
import { status } from './data/server.js';
import { forgetToken, isTokenWanted, token } from './data/token.js';
import { pagePath, place } from './location.js';
import { linkedRows, pageOf, type PageRow } from './pages/page-table.js';
import { listenForKeys } from './shortcuts.js';
import { placeOfPage, printPlace } from './url.js';
import { Banners } from './widgets/banners.js';
import { Help } from './widgets/help.js';
import { Icon } from './widgets/icons.js';
import { TokenForm } from './widgets/token-form.js';
import { LiveTool, ThemeTool, TimeTool, ZoneTool } from './widgets/tools.js';

import type { ComponentType } from 'preact';

export function Frame() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(
    () =>
      listenForKeys(() => {
        setHelpOpen(true);
      }),
    [],
  );
  useEffect(listenForFiles, []);
  const row = pageOf(pagePath.value);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment holds the address of the page.
          event.preventDefault();
          document.querySelector<HTMLElement>('main')?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="head">
        <a class="logo" href="#/" aria-label="seriesdb">
          <Icon name="logo" />
          <span>seriesdb</span>
        </a>
        <PageLinks row={row} />
        <div class="tools">
          {row?.tools.includes('time') === true ? <TimeTool /> : null}
          {row?.tools.includes('live') === true ? <LiveTool /> : null}
          <ZoneTool />
          <ThemeTool />
          {token.value === '' ? null : (
            <button type="button" class="tool" title="Forget token" onClick={forgetToken}>
              <Icon name="key" />
              <span class="shown">Forget token</span>
            </button>
          )}
          <button
            type="button"
            class="tool"
            aria-label="Help"
            title="Help"
            onClick={() => {
              setHelpOpen(true);
            }}
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Banners />
        <Shown row={row} />
      </main>
      <Help
        isOpen={isHelpOpen}
        close={() => {
          setHelpOpen(false);
        }}
      />
      {isFileAbove.value ? <p class="file-above">Drop the file to load it</p> : null}
      <Voice />
    </>
  );
}

/** The announcement, and beside it the short notice. */
function Voice() {
  const brief = shownBriefly.value;
  return (
    <>
      <p class="unseen" role="status" aria-live="polite">
        {said.value}
      </p>
      <Brief text={brief} address={briefAddress.value} />
    </>
  );
}

function Brief({ text, address }: { readonly text: string; readonly address: string }) {
  if (text === '') return null;
  return address === '' ? (
    <p class="toast" aria-hidden="true">
      {text}
    </p>
  ) : (
    <p class="toast">
      <a href={address}>{text}</a>
    </p>
  );
}

function PageLinks({ row }: { readonly row: PageRow | undefined }) {
  return (
    <nav class="pages" aria-label="Pages">
      {linkedRows.map((one) => (
        <a
          key={one.path}
          href={printPlace(placeOfPage(one.path, place.value))}
          aria-current={one === row ? 'page' : one.path === row?.under ? 'true' : undefined}
        >
          <Icon name={one.icon} />
          {one.title}
          {one.path === 'server' && status.value?.status === 'degraded' ? (
            <span class="badge bad">degraded</span>
          ) : null}
        </a>
      ))}
    </nav>
  );
}

interface LoadedPage {
  readonly row: PageRow;
  readonly Page: ComponentType;
}

/** The loaded page; above it a token form if the server requires a token. */
function Shown({ row }: { readonly row: PageRow | undefined }) {
  const [loaded, setLoaded] = useState<LoadedPage | null>(null);
  const [fault, setFault] = useState(false);
  useEffect(() => {
    if (row === undefined) return undefined;
    let isWanted = true;
    document.title = `${row.title} · seriesdb`;
    announce(row.title);
    setFault(false);
    row.load().then(
      (Page) => {
        if (isWanted) setLoaded({ row, Page });
      },
      () => {
        setFault(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [row]);
  if (row === undefined) return <NoPage />;
  if (fault) return <Outdated />;
  const isCovered = isTokenWanted.value && !row.isOpen;
  return (
    <>
      {isCovered ? <TokenForm /> : null}
      <div class={isCovered ? 'covered' : undefined} inert={isCovered}>
        {loaded?.row === row ? <loaded.Page /> : null}
      </div>
    </>
  );
}

function NoPage() {
  return (
    <>
      <h1>No such page</h1>
      <p class="nothing">
        There is no page at this address. <a href="#/">All metrics</a>
      </p>
    </>
  );
}

/** Shown if the page's files cannot be loaded, for example after an update of the server. */
function Outdated() {
  return (
    <>
      <h1>This page could not be loaded</h1>
      <p class="nothing">The server does not answer, or has another version of the page.</p>
      <p>
        <button
          type="button"
          class="button main"
          onClick={() => {
            location.reload();
          }}
        >
          Load it again
        </button>
      </p>
    </>
  );
}
