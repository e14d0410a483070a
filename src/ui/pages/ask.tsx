/** The page Ask, for SeriesQL and PromQL. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cancelRun, failed } from '../ask/run.js';
import { SeriesqlAsk } from '../ask/seriesql-ask.js';
import { choose, place } from '../location.js';
import { valueIn } from '../url.js';
import { DocsLink } from '../widgets/docs-link.js';

import type { ComponentType } from 'preact';

const languages = [
  [null, 'SeriesQL'],
  ['promql', 'PromQL'],
] as const;

export function AskPage() {
  const language = valueIn(place.value, 'lang');
  const before = useRef(language);
  useLayoutEffect(() => {
    if (before.current === language) return;
    // An error of the other language does not concern this one.
    before.current = language;
    cancelRun();
    failed.value = null;
  }, [language]);
  return (
    <>
      <h1>Ask</h1>
      <div class="tabs" role="group" aria-label="Language">
        {languages.map(([key, name]) => (
          <button
            key={name}
            type="button"
            aria-pressed={key === language}
            onClick={() => {
              // Each language has its own draft, so the text leaves the address.
              if (key !== language) choose({ lang: key, q: null, over: null, step: null });
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <p class="language-page quiet">
        <DocsLink name={language === null ? 'seriesql' : 'promql'}>
          {language === null ? 'SeriesQL' : 'PromQL'} reference
        </DocsLink>
      </p>
      {language === null ? <SeriesqlAsk /> : <Promql />}
    </>
  );
}

/** Loads the PromQL code only when it is used. */
function Promql() {
  const [Loaded, setLoaded] = useState<ComponentType | null>(null);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { PromqlAsk } = await import('../promql/promql-ask.js');
      setLoaded(() => PromqlAsk);
    };
    void load();
  }, []);
  return Loaded === null ? null : <Loaded />;
}
