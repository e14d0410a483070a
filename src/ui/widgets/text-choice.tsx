/** A text field with a button, and an error if the text is invalid. */

import { useId, useRef, useState } from 'preact/hooks';

interface TextChoiceOptions {
  readonly name: string;
  readonly hint: string;
  /** The error for an invalid text. */
  readonly fault: string | ((text: string) => string);
  readonly options?: readonly string[];
  /** The label of the button. */
  readonly verb?: string;
  /** Returns false if the text is invalid. */
  readonly take: (text: string) => boolean;
}

export function TextChoice(choice: TextChoiceOptions) {
  const { name, hint, fault, options, verb = 'Set', take } = choice;
  const [bad, setBad] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <form
      class="text-choice"
      onSubmit={(event) => {
        event.preventDefault();
        const text = field.current?.value.trim() ?? '';
        setBad(take(text) ? null : text);
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
          aria-invalid={bad !== null}
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
      {bad === null ? null : (
        <p class="fault" role="alert">
          {typeof fault === 'string' ? fault : fault(bad)}
        </p>
      )}
    </form>
  );
}
