// Finds the functions of a C++ file by its braces, without a compiler. This suffices to measure
// their length. It understands comments, strings, raw strings, preprocessor lines and member
// initialiser lists.

const scopeWords = /^\s*((inline\s+)?namespace|(template\s*<.*>\s*)?(class|struct|union|enum))\b/s;
const accessWords = /^\s*(public|private|protected)\s*:$/;
const afterParameters = /\)\s*(const|noexcept|override|final|\s)*$/;
const initialisers = /\)\s*(const\s*)?(noexcept\s*)?:[^:]/s;

// Replaces everything except code by blanks, so that lines keep their numbers.
function blankNonCode(text) {
  const noise = new RegExp(
    [
      /R"([^\s()\\]{0,16})\([\s\S]*?\)\1"/,
      /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
      /"(?:\\.|[^"\\\n])*"/,
      /(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'/,
      /^[ \t]*#(?:\\\n|[^\n])*/,
    ]
      .map((pattern) => pattern.source)
      .join('|'),
    'gm',
  );
  return text.replace(noise, (match) => match.replace(/[^\n]/g, ' '));
}

// The class of a member function that stands outside its class; undefined for other functions.
const ownerAtEnd = /((?:\w+::)*[A-Z]\w*)::(?:~?\w+|operator[^\w\s]+)\s*$/;

/**
 * A function's head: its class, and the number of its parameters. These are the first list outside
 * template arguments.
 */
function readHead(header) {
  let nested = 0;
  let begin = -1;
  let commas = 0;
  for (let at = 0; at < header.length; at += 1) {
    const character = header[at];
    if ('(<[{'.includes(character)) {
      if (character === '(' && nested === 0 && begin < 0) begin = at;
      nested += 1;
    } else if (')>]}'.includes(character) && header[at - 1] !== '-') {
      nested -= 1;
      if (begin >= 0 && nested === 0) {
        const isEmpty = header.slice(begin + 1, at).trim() === '';
        const owner = ownerAtEnd.exec(header.slice(0, begin))?.[1];
        return { owner, parameters: isEmpty ? 0 : commas + 1 };
      }
    } else if (character === ',' && nested === 1 && begin >= 0) commas += 1;
  }
  return { owner: undefined, parameters: 0 };
}

/**
 * Every function with a body: its first line, its length in lines, its number of parameters, and
 * its class, if it stands outside.
 */
export function* cppFunctions(text) {
  const code = blankNonCode(text);
  let line = 1;
  let parens = 0;
  let header = { text: '', line: 0 };
  // The kind of each open brace: a scope, a function body, or something else (initialiser, block).
  const open = [];
  const reset = () => {
    header = { text: '', line: 0 };
  };
  for (const character of code) {
    if (character === '\n') line += 1;
    const inBody = open.some((one) => one.kind === 'function');
    if (character === '{') {
      open.push({ kind: kindOf(header.text, parens, inBody), line: header.line, header });
      if (open.at(-1).kind !== 'value') reset();
    } else if (character === '}') {
      const closed = open.pop();
      if (closed?.kind === 'function') {
        const head = readHead(closed.header.text);
        yield { line: closed.line, lines: line - closed.line + 1, ...head };
      }
      if (closed?.kind === 'value') header = closed.header;
      else reset();
    } else if (!inBody) {
      if (character === '(') parens += 1;
      if (character === ')') parens -= 1;
      if (character === ';' && parens === 0 && open.at(-1)?.kind !== 'value') reset();
      else if (open.at(-1)?.kind !== 'value') {
        if (header.line === 0 && character.trim() !== '') header.line = line;
        header.text += character;
        if (accessWords.test(header.text)) reset();
      }
    }
  }
}

function kindOf(header, parens, inBody) {
  if (inBody) return 'block';
  if (parens > 0) return 'value';
  const isScope = scopeWords.test(header) && !afterParameters.test(header);
  if (isScope || /^\s*extern\s*$/.test(header)) return 'scope';
  if (/=\s*$/.test(header)) return 'value';
  // `: size_{0}` in a constructor is a value. The body's brace follows `)`, `}` or a space.
  if (initialisers.test(header) && /[\w>]$/.test(header)) return 'value';
  return header.includes('(') ? 'function' : /[\w>]\s*$/.test(header) ? 'value' : 'block';
}
