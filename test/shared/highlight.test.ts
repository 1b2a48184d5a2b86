import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { highlight } from '../../shared/documents/highlight.ts'
import { buildSearchIndex } from '../../shared/documents/search-index.ts'
import { searchIn } from '../../edge/browser/docs-search/search.ts'

/** Tokens as `<class>:<text>`. */
const tokens = (code: string, language: string) =>
  [...highlight(code, language).matchAll(/<span class="(.)">([^<]*)<\/span>/g)].map(
    ([, token, text]) => `${token}:${text}`,
  )

const text = (html: string) =>
  html
    .replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

describe('the highlighting of code samples', () => {
  it('marks keywords, strings, numbers and comments of JavaScript', () => {
    const code = "const a = await f('//', 12) // not `this`\nconsole.log(x.from, null)"
    expect(tokens(code, 'js')).toEqual([
      'k:const',
      'k:await',
      "s:'//'",
      'n:12',
      'c:// not `this`',
      'n:null',
    ])
  })

  it('tells names from values in JSON', () => {
    expect(
      tokens('{"a": "b", "c": [1.5, true]}', 'json')
        .map((each) => each[0])
        .join(''),
    ).toBe('kskn'.concat('n'))
  })

  it('marks options, variables and comments of a shell, and no hash in a word', () => {
    expect(tokens('curl -sS --data "$X" $HOST/a#b # sends', 'sh')).toEqual([
      'k:-sS',
      'k:--data',
      's:&quot;$X&quot;',
      'n:$HOST',
      'c:# sends',
    ])
  })

  it('keeps the text of every sample of the documents', () => {
    for (const file of ['README.md', 'docs/actions.md', 'docs/credits.md', 'docs/operate.md']) {
      const document = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
      for (const [, language, code] of document.matchAll(/^```(\w+)\n([^]*?)^```$/gm))
        expect(text(highlight(code!, language!))).toBe(code)
    }
  })

  it('XSS: escapes markup within and between tokens', () => {
    for (const language of ['js', 'json', 'sh', 'sql', 'text', '"><script>'])
      expect(highlight('<b> "<script>" /* </script> */', language)).not.toMatch(/<(?!\/?span)/)
  })
})

describe('the search of the documents', () => {
  const search = searchIn(
    buildSearchIndex([
      { href: '/a', title: 'Credits', text: '# Credits\n\nMoney.\n\n## Spending caps\n\nA cap.' },
      {
        href: '/b',
        title: 'Errors',
        text: '# Errors\n\n## spend_cap_reached\n\nRaise the cap of money.',
      },
    ]),
  )
  const found = (query: string) => search(query, 10).map(({ href }) => href)

  it('finds sections that contain all words, headings first', () => {
    expect(found('cap')).toEqual(['/a#spending-caps', '/b#spend_cap_reached'])
    expect(found('cap money')).toEqual(['/b#spend_cap_reached'])
    expect(found('credits')).toEqual(['/a', '/a#spending-caps'])
  })

  it('finds the beginning of a word, and nothing for an unknown word', () => {
    expect(found('spend_c')).toEqual(['/b#spend_cap_reached'])
    expect(found('cap zebra')).toEqual([])
    expect(found('  ')).toEqual([])
  })
})
