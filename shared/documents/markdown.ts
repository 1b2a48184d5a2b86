/** Renders our own documents. Raw HTML is passed through unescaped, so user input must never be rendered here. */
import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { escape, unescape } from './escape.ts'
import { headingIds } from './heading-ids.ts'
import { highlight } from './highlight.ts'

export type Heading = { depth: number; id: string; text: string }

type RenderedDocument = {
  /** Text of the document's only h1, without markup. */
  title: string
  html: string
  /** Headings in document order, excluding the h1. */
  headings: Heading[]
}

/**
 * Maps a link to a URL of our site. Undefined if the target is not served, for example a source file. The link's text
 * is then rendered without a link.
 */
export type ResolveLink = (href: string) => string | undefined

/** Renders a document without its h1. @throws {Error} if the document does not have exactly one h1 */
export function renderMarkdown(text: string, resolve: ResolveLink): RenderedDocument {
  const marked = new Marked({ gfm: true })
  const headings: Heading[] = []
  const idOf = headingIds()
  const titles: string[] = []

  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const words = plainText(tokens)
        const id = idOf(words)
        if (depth === 1) {
          titles.push(words)
          return ''
        }
        headings.push({ depth, id, text: words })
        return `<h${depth} id="${escape(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      /** Code blocks are focusable, so that they can be scrolled by keyboard. A script adds the copy button to the bar. */
      code({ text: code, lang = '' }) {
        const name = lang === 'text' ? '' : `<span>${escape(lang)}</span>`
        return `<div class="sample"><div class="bar">${name}</div><pre tabindex="0"><code>${highlight(code, lang)}</code></pre></div>\n`
      },
      table(token) {
        // HTML does not need these end tags, which would make the longest pages of the API reference 10 % larger.
        const table = Renderer.prototype.table.call(this, token).replaceAll(/<\/t[dhr]>\n?/g, '')
        const about = `Table: ${token.header.map(({ tokens }) => plainText(tokens)).join(', ')}`
        return `<div class="scroll" role="group" tabindex="0" aria-label="${escape(about)}">${table}</div>\n`
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens)
        const target = resolve(href)
        if (target !== undefined) return `<a href="${escape(target)}">${shown}</a>`
        const path = href.replace(/^(\.{1,2}\/)+/, '').replace(/#.*$/, '')
        return plainText(tokens) === path ? `<code>${escape(path)}</code>` : shown
      },
      // HTML comments are removed, because they are meant for editors of the source.
      html: ({ text: markup }) => markup.replaceAll(/<!--[^]*?-->\n?/g, ''),
    },
  })

  const html = marked.parse(text, { async: false })
  const [title, ...others] = titles
  if (title === undefined || others.length > 0)
    throw new Error(`expected one h1 in the document, found ${titles.length}: ${titles.join(', ')}`)
  return { title, html, headings }
}

export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const { tokens: inner, text = '' } = token as Tokens.Generic & { text?: string }
      return inner ? plainText(inner) : unescape(text)
    })
    .join('')
}
