// Converts the Markdown of docs/ to HTML by marked: links, anchors, tables and diagrams.
import { Marked, Renderer } from 'marked';

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (one) => escapes[one]);

/** The anchor of a heading by GitHub's rules. */
function slugOf(title) {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return plain
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Keeps anchors of HTML in Markdown, removes comments, and turns the rest into text. */
function rawHtml(text) {
  const anchor = /^<a id="[\w-]+">(?:<\/a>)?\s*$/.exec(text);
  if (anchor !== null) return `${text.trim().replace('</a>', '')}</a>`;
  if (text === '</a>') return '';
  return text.replace(/<!--[\s\S]*?-->/g, '').trim() === '' ? '' : escaped(text);
}

/** `linkOf` maps a link target to its address. Null leaves only the link's text. */
export function htmlOfMarkdown(markdown, linkOf) {
  const slugs = new Map();
  const renderer = {
    heading({ tokens, depth, text }) {
      const slug = slugOf(text);
      const count = slugs.get(slug) ?? 0;
      slugs.set(slug, count + 1);
      const id = count === 0 ? slug : `${slug}-${count}`;
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const address = linkOf(href);
      return address === null ? words : `<a href="${escaped(address)}">${words}</a>`;
    },
    image: () => '',
    html: ({ text }) => rawHtml(text),
    code({ text, lang }) {
      // Diagrams are omitted, since the text next to them says the same.
      if (lang === 'mermaid') return '';
      return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
    },
    table(token) {
      const table = Renderer.prototype.table.call(this, token);
      return `<div class="wide" tabindex="0">${table}</div>\n`;
    },
    tablecell({ header, tokens }) {
      // An empty header cell is a plain cell.
      const tag = header && tokens.length > 0 ? 'th' : 'td';
      return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
    },
  };
  return new Marked({ gfm: true, renderer }).parse(markdown);
}
