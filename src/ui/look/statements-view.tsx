/** The statements behind the chart, to copy. */

import { useState } from 'preact/hooks';

import { baseUrl } from '../data/base.js';
import { curlOf, shellText } from '../data/curl.js';
import { status } from '../data/server.js';
import { printPlace } from '../url.js';
import { Copyable } from '../widgets/copyable.js';

const forms = ['SeriesQL', 'curl', 'CLI', 'TypeScript'] as const;
type StatementForm = (typeof forms)[number];

export function StatementsView({ statements }: { readonly statements: readonly string[] }) {
  const [form, setForm] = useState<StatementForm>('SeriesQL');
  return (
    <div class="statements">
      <div class="above" role="group" aria-label="Copy as">
        {forms.map((one) => (
          <button
            key={one}
            type="button"
            class="button small"
            aria-pressed={one === form}
            onClick={() => {
              setForm(one);
            }}
          >
            {one}
          </button>
        ))}
      </div>
      {statements.map((statement, at) => (
        <div key={statement}>
          <Copyable name={`Statement ${at + 1} as ${form}`} text={formOf(statement, form)} />
          <a href={printPlace({ page: 'ask', keys: new Map([['q', statement]]) })}>Open in Ask</a>
        </div>
      ))}
    </div>
  );
}

/** Quoted for a shell. The token is an environment variable of the user. */
function formOf(statement: string, form: StatementForm): string {
  if (form === 'curl') return curlOf('seriesql', shellText(statement));
  // The CLI reads the same variable.
  if (form === 'CLI') return `seriesdb query --url ${baseUrl} ${shellText(statement)}`;
  return form === 'TypeScript' ? programOf(statement) : statement;
}

function programOf(statement: string): string {
  const isAsked = status.value?.auth_required === true;
  const token = isAsked ? ', token: process.env.SDB_TOKEN' : '';
  const text = statement.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
  return [
    "import { SeriesDbClient } from 'seriesdb/client';",
    '',
    `const client = new SeriesDbClient({ url: '${baseUrl}'${token} });`,
    `const { rows } = await client.seriesql(\`${text}\`);`,
  ].join('\n');
}
