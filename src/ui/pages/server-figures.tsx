/** Every figure of /status. */

import { printCount } from '../units.js';

import type { Status } from '../../client/client.js';

export function AllFigures({ status }: { readonly status: Status }) {
  const { storage, memory, runtime, compatibility_debt: debt } = status;
  const figures = Object.entries({ ...storage, ...memory, ...runtime, ...debt });
  return (
    <details class="figures">
      <summary>All {figures.length} figures</summary>
      <table class="rows">
        <caption class="unseen">All figures</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {figures.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                <span class="name">{name}</span>
              </th>
              <td class="number">{Number.isInteger(value) ? printCount(value) : value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
