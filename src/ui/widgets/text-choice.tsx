/** A choice that is written, with a word about what was not understood. */

import { useId, useRef, useState } from 'preact/hooks';

interface TextChoiceOptions {
  readonly name: string;
  readonly hint: string;
  readonly fault: string;
  readonly options?: readonly string[];
  /** On the button. */
  readonly verb?: string;
  /** Whether it was understood. */
  readonly take: (text: string) => boolean;
}

export function TextChoice(choice: TextChoiceOptions) {
  const { name, hint, fault, options, verb = 'Set', take } = choice;
  const [isBad, setBad] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <form
      class="text-choice"
      onSubmit={(event) => {
        event.preventDefault();
        setBad(!take(field.current?.value.trim() ?? ''));
      }}
    >
      <label for={id}>{name}</label>
      <div class="row">
        <input
          id={id}
          ref={field}
          type="text"
          placeholder={hint}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={isBad}
          {...(options === undefined ? {} : { list: `${id}-list` })}
        />
        <button type="submit" class="button">
          {verb}
        </button>
      </div>
      {options === undefined ? null : (
        <datalist id={`${id}-list`}>
          {options.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {isBad ? (
        <p class="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </form>
  );
}
