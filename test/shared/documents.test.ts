import { describe, expect, it } from 'vitest'
import { linkResolver } from '../../edge/docs/link-resolver.ts'
import { renderMarkdown } from '../../shared/documents/markdown.ts'

const rendered = (text: string) => renderMarkdown(`# Title\n\n${text}`, () => '/there')
const html = (text: string) => rendered(text).html

describe('a document as HTML', () => {
  it('leaves its h1 to the page, without markup', () => {
    const document = renderMarkdown('# The `svc` & <client>\n\nText', () => undefined)
    expect(document.title).toBe('The svc & <client>')
    expect(document.html).toBe('<p>Text</p>\n')
  })

  it('has one h1', () => {
    expect(() => renderMarkdown('Text', () => undefined)).toThrow('one h1')
    expect(() => rendered('# Another')).toThrow('one h1 in the document, found 2')
  })

  it('gives each heading a unique ID, the same as on GitHub', () => {
    const { headings, html: text } = rendered(
      "## Two words\n## Two words\n## `POST /core/v1/x_y`\n### What's *new*?",
    )
    expect(headings.map(({ id }) => id)).toEqual([
      'two-words',
      'two-words-1',
      'post-corev1x_y',
      'whats-new',
    ])
    expect(text).toContain('<h2 id="two-words-1">Two words</h2>')
  })

  it('shows code verbatim, in a box that scrolls by keyboard', () => {
    expect(html('```sh\necho "<b>" && x\n```')).toBe(
      '<div class="sample"><div class="bar"><span>sh</span></div><pre tabindex="0"><code>echo <span class="s">&quot;&lt;b&gt;&quot;</span> &amp;&amp; x</code></pre></div>\n',
    )
  })

  it('puts a table into a scrollable box, named by its columns', () => {
    expect(html('| `a` | b |\n|---|---|\n| 1 | 2 |')).toMatch(
      /^<div class="scroll" role="group" tabindex="0" aria-label="Table: a, b"><table>/,
    )
  })

  it('keeps our own markup, and drops comments', () => {
    expect(html('<!-- settings: x -->\n\n<details><summary>More</summary></details>')).toBe(
      '<details><summary>More</summary></details>',
    )
  })
})

describe('links of a document', () => {
  const pages: Record<string, string> = {
    'docs/deploy.md': '/docs/deploy',
    'README.md': '/docs/start',
    'docs/decisions/': '/docs/decisions',
  }
  const from = (file: string) => linkResolver(file, (target) => pages[target])

  it.each([
    ['docs/security.md', 'deploy.md#keys', '/docs/deploy#keys'],
    ['docs/security.md', '../README.md', '/docs/start'],
    ['docs/security.md', 'decisions/', '/docs/decisions'],
    ['docs/how-to/verify.md', '../deploy.md', '/docs/deploy'],
    ['README.md', 'docs/deploy.md', '/docs/deploy'],
    ['docs/security.md', '#keys', '#keys'],
    ['docs/security.md', '/openapi.json', '/openapi.json'],
    ['docs/security.md', 'https://example.com/a', 'https://example.com/a'],
  ])('from %s to %s lead to %s', (file, href, target) => {
    expect(from(file)(href)).toBe(target)
  })

  it('to files that are not served become paths', () => {
    const { html: text } = renderMarkdown(
      '# T\n\n[edge/app.ts](../edge/app.ts) and [the app](../edge/app.ts)',
      from('docs/security.md'),
    )
    expect(text).toBe('<p><code>edge/app.ts</code> and the app</p>\n')
  })
})
