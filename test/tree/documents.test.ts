import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { apiPages } from '../../.ci/api-pages.ts'
import {
  DOCUMENTS_LIST,
  documentsList,
  servedDocuments,
  UNSERVED,
} from '../../.ci/documents-list.ts'
import { ERRORS_PAGE, errorsPage } from '../../.ci/errors-page.ts'
import { DECISIONS, docsPath, nameOf } from '../../edge/docs/addresses.ts'
import { linksOf } from '../../edge/docs/links.ts'
import { isNamedBy, namesOf, PARTS, SECTIONS } from '../../edge/docs/sections.ts'
import { FAILURE_CODES } from '../../origin/actions/run.ts'
import { renderMarkdown } from '../../shared/documents/markdown.ts'
import { ERROR_CODES } from '../../shared/error-codes.ts'

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

const files = servedDocuments()
const pageOf = (file: string) =>
  file === `docs/${DECISIONS}/`
    ? docsPath(DECISIONS)
    : files.includes(file)
      ? docsPath(nameOf(file))
      : undefined
const documents = files.map((file) => ({
  file,
  path: docsPath(nameOf(file)),
  ...renderMarkdown(read(file), linksOf(file, pageOf)),
}))

describe('the documents that the edge serves', () => {
  it('are those that are there: else run npm run docs-list', () => {
    expect(readFileSync(DOCUMENTS_LIST, 'utf8')).toBe(documentsList())
  })

  it('have each a place in edge/docs/sections.ts', () => {
    const patterns = [...SECTIONS.flatMap(({ names }) => names), ...PARTS]
    const homeless = files
      .map(nameOf)
      .filter((name) => !patterns.some((pattern) => isNamedBy(pattern, name)))
    expect(homeless).toEqual([])
  })

  it('are offered once', () => {
    const offered = SECTIONS.flatMap((section) => namesOf(section, files.map(nameOf)))
    expect(offered.filter((name, place) => offered.indexOf(name) !== place)).toEqual([])
  })

  it('say in their first sentence what they are about', () => {
    const list = readFileSync(DOCUMENTS_LIST, 'utf8')
    const bare = list.match(/file: 'docs\/(?!decisions)[^']+',\n\s+title: .+\n\s+lead: "",/g)
    expect(bare).toBeNull()
  })

  it('have headings that go down one level at a time', () => {
    const jumps = documents.flatMap(({ file, headings }) =>
      headings
        .filter(({ depth }, place) => depth > (headings[place - 1]?.depth ?? 1) + 1)
        .map(({ text }) => `${file}: ${text}`),
    )
    expect(jumps).toEqual([])
  })

  it('link to headings that are there', () => {
    const ids = new Map(
      documents.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]),
    )
    const lost = documents.flatMap(({ file, path, html }) =>
      [...html.matchAll(/<a href="((?:\/docs\/[\w/-]+)?)#([^"]+)"/g)]
        .filter(
          ([, page, id]) => !ids.get(page === '' ? path : page!)?.has(decodeURIComponent(id!)),
        )
        .map(([, page, id]) => `${file} -> ${page}#${id}`),
    )
    expect(lost).toEqual([])
  })

  it('link to no document that is not served', () => {
    const lost = documents.flatMap(({ file }) =>
      [...read(file).matchAll(/\]\(([^)#\s:/][^)#\s:]*\.md)(?:#[^)]*)?\)/g)]
        .map(([, href]) => join(dirname(file), href!))
        .filter((target) => target.startsWith('docs/') && !files.includes(target))
        .map((target) => `${file} -> ${target}`),
    )
    expect(lost.filter((link) => !UNSERVED.some((file) => link.endsWith(` ${file}`)))).toEqual([])
  })
})

describe('the page of errors', () => {
  const page = readFileSync(ERRORS_PAGE, 'utf8')

  it('is what comes of the code: else run npm run errors-page', () => {
    expect(page).toBe(errorsPage(page))
  })

  it('has an anchor for every word that an error can have', () => {
    const { headings } = documents.find(({ file }) => file === 'docs/errors.md')!
    const ids = headings.map(({ id }) => id)
    expect(Object.keys(ERROR_CODES).filter((code) => !ids.includes(code))).toEqual([])
  })

  it('names every way in which a run of an action fails', () => {
    expect(FAILURE_CODES.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  })
})

describe('the reference of operations', () => {
  it('is what comes of both services’ OpenAPI documents: else run npm run api-pages', async () => {
    for (const [file, text] of await apiPages()) expect(readFileSync(file, 'utf8')).toBe(text)
  }, 60_000)
})
