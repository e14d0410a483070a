/** A text field with its label. */

import { useId } from 'preact/hooks';

interface FieldOptions {
  readonly name: string;
  readonly value: string;
  readonly hint?: string;
  /** Suggestions; other values are allowed. */
  readonly options?: readonly string[];
  /** True if the field gets the focus when its dialog opens. */
  readonly hasFocus?: boolean;
  readonly write: (text: string) => void;
}

export function Field({ name, value, hint, options = [], hasFocus = false, write }: FieldOptions) {
  const id = useId();
  return (
    <label class="field">
      {name}
      <input
        type="text"
        value={value}
        placeholder={hint}
        autofocus={hasFocus}
        spellcheck={false}
        autocomplete="off"
        list={`${id}-list`}
        onInput={(event) => {
          write(event.currentTarget.value);
        }}
      />
      <datalist id={`${id}-list`}>
        {options.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}
