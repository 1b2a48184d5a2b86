/** Parses the fenced blocks of the documentation: commands, files to save, and expected output. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

export type Block = {
  page: string
  /** Line of the opening fence, counted from 1. */
  line: number
  heading: string
  /** Info string of the fence; empty if it has no info string. */
  language: string
  text: string
}

/** `README.md` and all Markdown files under `docs/`, sorted. */
export function pages(): string[] {
  const inDocs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
  const named = inDocs.map((path) => `docs/${path.replaceAll('\\', '/')}`)
  return ['README.md', ...named.filter((path) => path.endsWith('.md')).toSorted()]
}

export const blocksOf = (page: string) => blocksIn(page, readFileSync(root + page, 'utf8'))

/** @throws {Error} for an indented or unclosed fence, which would otherwise be skipped silently */
export function blocksIn(page: string, markdown: string): Block[] {
  const blocks: Block[] = []
  let heading = page
  let open: Block | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, indent, language = ''] = /^(\s*(?:>\s*)*)(?:`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (indent !== undefined && (indent !== '' || line.startsWith('~') || line.startsWith('````')))
      throw new Error(`${page}:${index + 1}: a fence that is indented, or of another kind`)
    if (open !== undefined) {
      if (indent === undefined) open.text += `${line}\n`
      else if (language === '') {
        blocks.push(open)
        open = undefined
      } else throw new Error(`${page}:${open.line}: a fence that does not close`)
    } else if (indent !== undefined) open = { page, line: index + 1, heading, language, text: '' }
    else heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: a fence that does not close`)
  return blocks
}

/** The path to save a block under, from a comment in its first line. */
export const fileOf = ({ language, text }: Block) =>
  /^js|ts$/.test(language) ? /^\/\/ (\/tmp\/[\w.-]+)\n/.exec(text)?.[1] : undefined

export const isCommands = ({ language }: Block) => language === 'sh' || language === 'bash'

/** True if the block can be the output of the block before it. */
export const canBeOutput = ({ language }: Block) => ['', 'text', 'json'].includes(language)
