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
import { POLICY_SCHEMA, policySchemaText } from '../../.ci/policy-schema.ts'
import { PROJECT_SCHEMA, projectSchemaText } from '../../.ci/project-schema.ts'
import { DECISIONS, docsPath, documentName } from '../../edge/docs/document-paths.ts'
import { linkResolver } from '../../edge/docs/link-resolver.ts'
import {
  matchesPattern,
  namesInSection,
  UNLISTED_PATTERNS,
  SECTIONS,
} from '../../edge/docs/sections.ts'
import { FAILURE_CODES } from '../../origin/actions/run.ts'
import { renderMarkdown } from '../../shared/documents/markdown.ts'
import { ERROR_CODES } from '../../shared/errors/error-codes.ts'

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

const files = servedDocuments()
const pageOf = (file: string) =>
  file === `docs/${DECISIONS}/`
    ? docsPath(DECISIONS)
    : files.includes(file)
      ? docsPath(documentName(file))
      : undefined
const documents = files.map((file) => ({
  file,
  path: docsPath(documentName(file)),
  ...renderMarkdown(read(file), linkResolver(file, pageOf)),
}))

describe('the documents that the edge serves', () => {
  it('match the list of documents, otherwise run npm run docs-list', () => {
    expect(readFileSync(DOCUMENTS_LIST, 'utf8')).toBe(documentsList())
  })

  it('are all assigned to a section in edge/docs/sections.ts', () => {
    const patterns = [...SECTIONS.flatMap(({ names }) => names), ...UNLISTED_PATTERNS]
    const homeless = files
      .map(documentName)
      .filter((name) => !patterns.some((pattern) => matchesPattern(pattern, name)))
    expect(homeless).toEqual([])
  })

  it('are listed once', () => {
    const offered = SECTIONS.flatMap((section) => namesInSection(section, files.map(documentName)))
    expect(offered.filter((name, place) => offered.indexOf(name) !== place)).toEqual([])
  })

  it('describe their topic in the first sentence', () => {
    const list = readFileSync(DOCUMENTS_LIST, 'utf8')
    const bare = list.match(/file: 'docs\/(?!decisions)[^']+', title: ".+", lead: "",/g)
    expect(bare).toBeNull()
  })

  it('have headings that descend one level at a time', () => {
    const jumps = documents.flatMap(({ file, headings }) =>
      headings
        .filter(({ depth }, place) => depth > (headings[place - 1]?.depth ?? 1) + 1)
        .map(({ text }) => `${file}: ${text}`),
    )
    expect(jumps).toEqual([])
  })

  it('link only to existing headings', () => {
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

  it('link only to served documents', () => {
    const lost = documents.flatMap(({ file }) =>
      [...read(file).matchAll(/\]\(([^)#\s:/][^)#\s:]*\.md)(?:#[^)]*)?\)/g)]
        .map(([, href]) => join(dirname(file), href!))
        .filter((target) => target.startsWith('docs/') && !files.includes(target))
        .map((target) => `${file} -> ${target}`),
    )
    expect(lost.filter((link) => !UNSERVED.some((file) => link.endsWith(` ${file}`)))).toEqual([])
  })
})

describe('the errors page', () => {
  const page = readFileSync(ERRORS_PAGE, 'utf8')

  it('matches the code, otherwise run npm run errors-page', () => {
    expect(page).toBe(errorsPage(page))
  })

  it('has an anchor for every error code', () => {
    const { headings } = documents.find(({ file }) => file === 'docs/errors.md')!
    const ids = headings.map(({ id }) => id)
    expect(Object.keys(ERROR_CODES).filter((code) => !ids.includes(code))).toEqual([])
  })

  it('names every failure code of actions', () => {
    expect(FAILURE_CODES.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  })
})

describe('the JSON Schema of wallet policies', () => {
  it('matches the code, otherwise run npm run policy-schema', () => {
    expect(readFileSync(POLICY_SCHEMA, 'utf8')).toBe(policySchemaText())
  })
})

describe('the JSON Schema of svc.json', () => {
  it('matches the code, otherwise run npm run project-schema', () => {
    expect(readFileSync(PROJECT_SCHEMA, 'utf8')).toBe(projectSchemaText())
  })
})

describe('the API reference', () => {
  it('matches the OpenAPI documents of both services, otherwise run npm run api-pages', async () => {
    for (const [file, text] of await apiPages()) expect(readFileSync(file, 'utf8')).toBe(text)
  }, 60_000)
})
