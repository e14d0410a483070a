/** Statements of SeriesQL, or expressions of PromQL: written, run, and what comes of them. */

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
    // What was refused in the other one is no fault of this.
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
              // What was written in each stays where it was.
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

/** Who does not speak it does not load it. */
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
