// Markdown as this repository writes it, as HTML: what docs/ has of GitHub's Markdown, and no more.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (one) => escapes[one]);

/** The anchor of a heading, as GitHub makes it. */
export function slugOf(title) {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return plain
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Stands for a span of code while the text around it is looked at. */
const kHeld = '\uE000';

/** Spans of code keep what stands in them. */
function inline(text, linkOf) {
  const spans = [];
  const held = text.replace(/``([^`](?:.*?[^`])?)``(?!`)|`([^`]+)`/gs, (_, two, one) => {
    spans.push(`<code>${escaped((two ?? one).trim())}</code>`);
    return kHeld;
  });
  let at = 0;
  return escaped(held)
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words, target) => {
      const href = linkOf(target);
      return href === null ? words : `<a href="${href}">${words}</a>`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*(?!\s)([^*]+?)\*(?![\w*])/g, '<em>$1</em>')
    .replace(/&lt;(https?:[^&\s]+)&gt;/g, '<a href="$1">$1</a>')
    .replace(/\\([\\`*_|[\]{}()#+.!<>-])/g, '$1')
    .replaceAll(kHeld, () => spans[at++] ?? '');
}

const isTableRule = (line = '') => /^\|[\s:|-]+\|$/.test(line.trim());

/** Cells, at bars that no backslash stands before. */
function cellsOf(line) {
  const inner = line.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const itemForm = /^(\s*)(?:[-*]|(\d+)\.) +(.*)$/;

class Reader {
  constructor(lines, linkOf) {
    this.lines = lines;
    this.linkOf = linkOf;
    this.at = 0;
    this.slugs = new Map();
  }

  html() {
    const blocks = [];
    while (this.at < this.lines.length) blocks.push(this.block());
    return blocks.filter((one) => one !== '').join('\n');
  }

  text(markdown) {
    return inline(markdown, this.linkOf);
  }

  block() {
    const line = this.lines[this.at];
    const anchor = /^<a id="([\w-]+)"><\/a>$/.exec(line);
    if (anchor !== null) return this.taken(`<a id="${anchor[1]}"></a>`);
    if (line.trim() === '') return this.taken('');
    if (line.startsWith('<!--')) return this.comment();
    if (/^(```|~~~)/.test(line)) return this.code();
    if (/^#{1,6} /.test(line)) return this.heading();
    if (/^(---|\*\*\*)$/.test(line)) return this.taken('<hr />');
    if (line.startsWith('|') && isTableRule(this.lines[this.at + 1])) return this.table();
    if (line.startsWith('>')) return this.quote();
    if (itemForm.test(line)) return this.list();
    return this.paragraph();
  }

  taken(html) {
    this.at += 1;
    return html;
  }

  comment() {
    while (this.at < this.lines.length && !this.lines[this.at].includes('-->')) this.at += 1;
    return this.taken('');
  }

  code() {
    const [, fence, language = ''] = /^(```|~~~)(\w*)/.exec(this.lines[this.at]);
    const end = this.lines.findIndex((line, at) => at > this.at && line.startsWith(fence));
    const text = this.lines.slice(this.at + 1, end < 0 ? undefined : end).join('\n');
    this.at = end < 0 ? this.lines.length : end + 1;
    // A drawing says what stands in words beside it.
    if (language === 'mermaid') return '';
    return `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;
  }

  heading() {
    const [, marks, title] = /^(#+) (.*)$/.exec(this.lines[this.at]);
    const slug = slugOf(title);
    const count = this.slugs.get(slug) ?? 0;
    this.slugs.set(slug, count + 1);
    const id = count === 0 ? slug : `${slug}-${count}`;
    return this.taken(`<h${marks.length} id="${id}">${this.text(title)}</h${marks.length}>`);
  }

  table() {
    const head = cellsOf(this.lines[this.at]);
    this.at += 2;
    const rows = [];
    while (this.lines[this.at]?.startsWith('|')) rows.push(cellsOf(this.lines[this.at++]));
    const rowOf = (cells, tagOf) => {
      const made = cells.map((cell) => `<${tagOf(cell)}>${this.text(cell)}</${tagOf(cell)}>`);
      return `<tr>${made.join('')}</tr>`;
    };
    const body = rows.map((cells) => rowOf(cells, () => 'td')).join('\n');
    // A head of nothing is none.
    const heads = rowOf(head, (cell) => (cell === '' ? 'td' : 'th'));
    const table = `<thead>${heads}</thead>\n<tbody>${body}</tbody>`;
    return `<div class="wide" tabindex="0"><table>${table}</table></div>`;
  }

  quote() {
    const lines = [];
    while (this.lines[this.at]?.startsWith('>'))
      lines.push(this.lines[this.at++].replace(/^> ?/, ''));
    return `<blockquote>${this.inner(lines)}</blockquote>`;
  }

  /** Lines that are deeper than the mark belong to its item. */
  list() {
    const [, indent, number] = itemForm.exec(this.lines[this.at]);
    const tag = number === undefined ? 'ul' : 'ol';
    const items = [];
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      const found = itemForm.exec(line);
      const isItem = found?.[1].length === indent.length;
      const isDeeper = /^\s+\S/.test(line) && /^\s*/.exec(line)[0].length > indent.length;
      if (isItem) items.push([found[3]]);
      else if (isDeeper) items.at(-1).push(line);
      else if (line.trim() === '' && this.goesOn(indent)) items.at(-1).push('');
      else if (line.trim() === '' || found !== null || this.isBlock(line)) break;
      else items.at(-1).push(line);
      this.at += 1;
    }
    const bodies = items.map((lines) => `<li>${this.inner(outdented(lines))}</li>`);
    return `<${tag}>\n${bodies.join('\n')}\n</${tag}>`;
  }

  /** Behind an empty line there is more of the list. */
  goesOn(indent) {
    const next = this.lines.slice(this.at).find((line) => line.trim() !== '') ?? '';
    const depth = /^\s*/.exec(next)[0].length;
    return depth > indent.length || (depth === indent.length && itemForm.test(next));
  }

  isBlock(line) {
    return /^(#{1,6} |```|~~~|\||>|<!--)/.test(line);
  }

  paragraph() {
    const lines = [];
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      const isOther = line.trim() === '' || this.isBlock(line) || itemForm.test(line);
      if (isOther && lines.length > 0) break;
      lines.push(line.trim());
      this.at += 1;
    }
    const html = this.text(lines.join('\n'));
    return html.trim() === '' ? '' : `<p>${html}</p>`;
  }

  inner(lines) {
    const html = new Reader(lines, this.linkOf).html();
    // Items of one paragraph are no paragraphs.
    return /^<p>(?:(?!<p>)[\s\S])*<\/p>$/.test(html) ? html.slice(3, -4) : html;
  }
}

function outdented([first, ...rest]) {
  const depths = rest
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*/.exec(line)[0].length);
  const depth = Math.min(...depths, 40);
  return [first, ...rest.map((line) => line.slice(depth))];
}

/** `linkOf` gives the address of a target as written; null: the words alone stand there. */
export function htmlOfMarkdown(markdown, linkOf) {
  return new Reader(markdown.split('\n'), linkOf).html();
}
