/** The fields of a comparison: a metric and a filter. */

import { useEffect, useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { choose } from '../location.js';
import { operators, printFilter } from '../series-filter.js';

const kOffered = 50;
/** The pause in typing before the server is asked. */
const kTypingMs = 150;

/** The typed text, until the text in the address changes. */
function useTyped(text: string) {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    setTyped(text);
  }, [text]);
  return [typed, setTyped] as const;
}

export function MetricChoice({ metric }: { readonly metric: string | null }) {
  const [typed, setTyped] = useTyped(metric ?? '');
  const answer = useAnswer<readonly string[]>({
    question: async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, kTypingMs));
      signal.throwIfAborted();
      const asked = { prefix: typed, limit: kOffered };
      const found = await ask((client) => client.findMetrics(asked, { signal }));
      return found.map((one) => one.metric);
    },
    key: typed,
    againAfterMs: () => null,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        choose({ m: typed.trim() === '' ? null : typed.trim() });
      }}
    >
      <input
        type="search"
        aria-label="Metric"
        placeholder="Metric"
        spellcheck={false}
        autocomplete="off"
        list="compared-metrics"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
        }}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          choose({ m: text === '' ? null : text, w: null });
        }}
      />
      <datalist id="compared-metrics">
        {(answer.value ?? []).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </form>
  );
}

/** A condition whose value has no quotes, such as `host=web-1`. */
const unquoted = /^\{?\s*([\w.]+)\s*(=~|!~|!=|=)\s*([^'"{}\s,][^'"{},]*?)\s*\}?$/;

/** The filter that was meant: braces and the quotes of a single value are optional. */
function meantFilter(text: string): string | null {
  if (text === '') return null;
  const [, key, written, value] = unquoted.exec(text) ?? [];
  const op = operators.find((one) => one === written);
  if (key !== undefined && op !== undefined && value !== undefined) {
    return printFilter([{ key, op, value }]);
  }
  return text.startsWith('{') ? text : `{${text}}`;
}

export function TextFilter({ filter }: { readonly filter: string }) {
  const [typed, setTyped] = useTyped(filter);
  return (
    <input
      type="text"
      aria-label="Filter of series"
      placeholder="{region='eu'}"
      spellcheck={false}
      autocomplete="off"
      value={typed}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
      }}
      onChange={(event) => {
        choose({ w: meantFilter(event.currentTarget.value.trim()) });
      }}
    />
  );
}
