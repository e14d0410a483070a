/** The sign of a kind of notes: a shape and a colour, the same everywhere. */

interface Sign {
  readonly shape: string;
  /** The index of a colour class in the style sheet. */
  readonly colour: number;
}

const signOf: Readonly<Record<string, Sign>> = {
  deploy: { shape: '◆', colour: 0 },
  incident: { shape: '▲', colour: 1 },
  maintenance: { shape: '■', colour: 2 },
};

const shapes = ['●', '▼', '◆', '▲', '■'];
const kColours = 7;

function sign(kind: string): Sign {
  const known = Object.hasOwn(signOf, kind) ? signOf[kind] : undefined;
  if (known !== undefined) return known;
  let hash = 0;
  for (const letter of kind) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return { shape: shapes[hash % shapes.length] ?? '●', colour: 3 + (hash % (kColours - 3)) };
}

export const noteColour = (kind: string): string => `kind-${sign(kind).colour}`;

export function NoteShape({ kind }: { readonly kind: string }) {
  return (
    <span class="shape" aria-hidden="true">
      {sign(kind).shape}
    </span>
  );
}
