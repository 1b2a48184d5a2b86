/** Highlights the code samples of our documents on the server, so that pages need no script for it. */
import { escape } from './escape.ts'

/** Class of a token in the HTML: comment, string, keyword or name, number or constant. */
type Token = 'c' | 's' | 'k' | 'n'

/** One alternative per token, tried in this order at each position. */
type Grammar = readonly (readonly [Token, string])[]

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"`
const QUOTED = String.raw`'(?:[^'\\\n]|\\.)*'`
const NUMBER = String.raw`(?<![\w.])-?(?:0x[\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)n?(?!\w)`

const JAVASCRIPT: Grammar = [
  ['c', String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`],
  ['s', `${STRING}|${QUOTED}|${'`'}(?:[^${'`'}\\\\]|\\\\.)*${'`'}`],
  [
    'k',
    String.raw`(?<![\w.])(?:as|async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|import|in|instanceof|interface|let|new|of|return|satisfies|switch|throw|try|type|typeof|var|void|while|yield)(?![\w:])`,
  ],
  ['n', String.raw`${NUMBER}|(?<![\w.])(?:true|false|null|undefined)(?!\w)`],
]
const JSON_GRAMMAR: Grammar = [
  ['k', String.raw`${STRING}(?=\s*:)`],
  ['s', STRING],
  ['n', String.raw`${NUMBER}|\b(?:true|false|null)\b`],
]
const SHELL: Grammar = [
  ['c', String.raw`(?<=^|\s)#[^\n]*`],
  ['s', String.raw`'[^']*'|"(?:[^"\\]|\\[^])*"`],
  ['n', String.raw`\$(?:\w+|\{[^}\n]*\})`],
  ['k', String.raw`(?<=\s)--?[a-zA-Z][\w-]*`],
]
const SQL: Grammar = [
  ['c', String.raw`--[^\n]*`],
  ['s', QUOTED],
  [
    'k',
    String.raw`\b(?:SELECT|FROM|WHERE|AND|OR|NOT|INSERT|INTO|VALUES|UPDATE|SET|DELETE|JOIN|ON|AS|GROUP|ORDER|BY|LIMIT|DESC|CREATE|GRANT|TO|ROLE|WITH)\b`,
  ],
  ['n', NUMBER],
]

const GRAMMARS: Record<string, Grammar> = {
  js: JAVASCRIPT,
  ts: JAVASCRIPT,
  json: JSON_GRAMMAR,
  sh: SHELL,
  bash: SHELL,
  sql: SQL,
}

/** @returns HTML; without tokens if the language is not known */
export function highlight(code: string, language: string): string {
  const grammar = GRAMMARS[language]
  if (!grammar) return escape(code)
  const pattern = new RegExp(
    grammar.map(([token, source]) => `(?<${token}>${source})`).join('|'),
    'gm',
  )
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [token] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    html += `${escape(code.slice(end, match.index))}<span class="${token}">${escape(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escape(code.slice(end))
}
