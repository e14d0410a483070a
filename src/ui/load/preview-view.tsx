/** The preview of a file before it is loaded. */

import { printCount } from '../units.js';

import type { PreviewRow } from '../../common/tables/preview-row.js';

export function RowTable({ rows }: { readonly rows: readonly PreviewRow[] }) {
  if (rows.length === 0) return null;
  return (
    <div class="load-scroll" tabIndex={0} role="region" aria-label="First rows">
      <table class="load-table">
        <caption>First rows, as they would be stored</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Labels</th>
            <th scope="col">Samples</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, series, samples }, at) => (
            <tr key={String(at)}>
              <td>{String(time)}</td>
              <td>
                <code>{series}</code>
              </td>
              <td>
                <code>{samples}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ComplaintsOptions {
  readonly complaints: readonly string[];
  /** The total, shown or not. */
  readonly count: number;
  readonly of: string;
}

export function Complaints({ complaints, count, of }: ComplaintsOptions) {
  if (complaints.length === 0) return null;
  const more = count - complaints.length;
  return (
    <div class="complaints">
      <p>Left out of {of}:</p>
      <ul>
        {complaints.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {more > 0 ? <li class="quiet">and {printCount(more)} more</li> : null}
      </ul>
    </div>
  );
}
