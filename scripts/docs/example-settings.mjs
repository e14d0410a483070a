// Generates contrib/seriesdb.example.toml: every setting with its default, commented out. So the
// unchanged file has no effect.

const lineMax = 100;

/**
 * `allowed` describes the values of a setting; `places` are the paths where a server looks for the
 * file.
 */
export function exampleSettings({ rows, allowed, places }) {
  const head = [
    '# Settings of seriesdb. Made from src/config/settings.ts by "npm run docs"; copy it, do not edit it.',
    '#',
    ...comment(`Put the copy to one of ${places.join(', ')}, or name it by --config.`),
    ...comment('Every key stands here with its default; take the # away from those to change.'),
    ...comment('Check it: seriesdb config check --config FILE'),
  ];
  const parts = [];
  let table = '';
  for (const [key, row] of Object.entries(rows)) {
    const [owner, name] = key.includes('.') ? key.split('.', 2) : ['', key];
    if (owner !== table) parts.push(`[${owner}]`);
    table = owner;
    parts.push(settingPart(name, row, allowed));
  }
  return [head.join('\n'), ...parts].join('\n\n');
}

function settingPart(name, { type, fallback, purpose }, allowed) {
  const values = allowed(type).replaceAll('`', '');
  const about = comment(`${purpose.replaceAll('`', '')} (${values})`);
  const value = fallback === null ? '' : JSON.stringify(fallback);
  return [...about, `#${name} = ${value}`.trimEnd()].join('\n');
}

/** A comment wrapped at words. */
function comment(text) {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > lineMax) lines.push('#');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}
