/** The form that corrects the guessed format of a table. */

import { zone } from '../preferences.js';
import { Field } from '../widgets/field.js';
import { givenRoles, type LoadFields, type Role } from './wishes.js';

import type { DecimalMark } from '../../common/tables/cell-numbers.js';
import type { ChosenColumn } from '../../common/tables/chosen-columns.js';

interface LoadFieldsOptions {
  readonly fields: LoadFields;
  /** The metric derived from the file name. */
  readonly stem: string;
  readonly change: (changes: Partial<LoadFields>) => void;
}

const marks: readonly (readonly [DecimalMark | '', string])[] = [
  ['', 'as most numbers have it'],
  ['.', 'point: 1.5'],
  [',', 'comma: 1,5'],
];

export function TableFields({ fields, stem, change }: LoadFieldsOptions) {
  const { metric, zone: written, decimal, datePattern, nulls } = fields;
  return (
    <div class="fields load-fields" role="group" aria-label="About the table">
      <Field
        name="Metric"
        value={metric}
        hint={stem}
        write={(text) => {
          change({ metric: text });
        }}
      />
      <Field
        name="Time zone"
        value={written}
        hint="UTC"
        options={[...new Set(['UTC', zone.value])]}
        write={(text) => {
          change({ zone: text });
        }}
      />
      <Field
        name="Date format"
        value={datePattern}
        hint="DD.MM.YYYY hh:mm"
        write={(text) => {
          change({ datePattern: text });
        }}
      />
      <label class="field">
        Decimal mark
        <select
          value={decimal}
          onChange={(event) => {
            const [mark] = marks.find(([one]) => one === event.currentTarget.value) ?? [''];
            change({ decimal: mark });
          }}
        >
          {marks.map(([mark, words]) => (
            <option key={mark} value={mark}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Field
        name="Words for a missing number"
        value={nulls}
        hint="off, err"
        write={(text) => {
          change({ nulls: text });
        }}
      />
    </div>
  );
}

interface RolesOptions {
  readonly columns: readonly ChosenColumn[];
  readonly roles: LoadFields['roles'];
  readonly change: (roles: LoadFields['roles']) => void;
}

/** Empty: the guessed role. */
const kGuessed = '';

export function ColumnTable({ columns, roles, change }: RolesOptions) {
  const give = (name: string, role: Role | undefined): void => {
    const next = new Map([...roles].filter(([one, given]) => one !== name && !isOnce(role, given)));
    if (role !== undefined) next.set(name, role);
    change(next);
  };
  return (
    <table class="load-table">
      <caption>Columns</caption>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Is</th>
          <th scope="col">Holds</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ name, role, type }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <select
                aria-label={`Role of ${name}`}
                value={roles.get(name) ?? kGuessed}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  give(
                    name,
                    givenRoles.find((one) => one === value),
                  );
                }}
              >
                <option value={kGuessed}>{type === '' ? 'guessed' : `guessed: ${role}`}</option>
                {givenRoles.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </td>
            <td class="quiet">{type}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Only one column can hold the times, and only one the metrics. */
function isOnce(role: Role | undefined, given: Role): boolean {
  return role === given && (role === 'time' || role === 'metric');
}
