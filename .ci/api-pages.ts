/**
 * Writes `docs/api.md`, `docs/core-api.md` and its parts from the OpenAPI documents of both services (`npm run api-pages`). A
 * test holds that the pages are what comes of the code.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { headingIds } from '../shared/documents/heading-ids.ts'
import type { OpenApiDocument } from '../shared/openapi/document.ts'
import { CORE_GROUPS, type Group, TRIGGER_GROUPS } from './api-reference/groups.ts'
import { coreDocument, triggerDocument } from './api-reference/load.ts'
import { headingOf, type Operation, operationText } from './api-reference/operation-text.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))

/** The texts of all pages, by their files. */
export async function apiPages(): Promise<Map<string, string>> {
  const pages = new Map([
    [`${docs}api.md`, triggerPage(grouped(await triggerDocument(), TRIGGER_GROUPS))],
  ])
  const core = grouped(coreDocument(), CORE_GROUPS)
  pages.set(`${docs}core-api.md`, coreIndex(core))
  for (const [group, operations] of core)
    pages.set(`${docs}core-api/${group.name}.md`, corePage(group, operations))
  return pages
}

type Grouped = Map<Group, Operation[]>

function grouped({ paths }: OpenApiDocument, groups: readonly Group[]): Grouped {
  const found: Grouped = new Map(groups.map((group) => [group, []]))
  for (const [path, methods] of Object.entries(paths))
    for (const [method, description] of Object.entries(methods)) {
      const operation = { ...description, method, path } as unknown as Operation
      const group = groups.find(({ paths: pattern }) => pattern.test(path))
      if (group && !isPage(operation)) found.get(group)!.push(operation)
    }
  return found
}

/** What browsers show is not for programs. */
function isPage({ responses }: Operation): boolean {
  const types = Object.keys(responses[200]?.content ?? {})
  return types.length > 0 && types.every((type) => /^text\/html|javascript/.test(type))
}

const MADE = '<!-- Made by `npm run api-pages`: not edited by hand. -->'

function triggerPage(groups: Grouped): string {
  const service = { url: '{triggers_url}', errors: 'errors.md' }
  const sections = [...groups].map(([{ title }, operations]) =>
    [`## ${title}`, ...operations.map((each) => operationText(each, service))].join('\n\n'),
  )
  return `# The trigger API

${MADE}

Triggers and their runs, for programs. Every operation under \`/api\` takes a token that the program makes itself and a person
approves ([SKILL.md](/SKILL.md) leads an agent through it). \`{triggers_url}\` also passes on the [core API](core-api.md).
[\`/openapi.json\`](/openapi.json) says the same for programs; [triggers.md](triggers.md) tells what it is for.

${sections.join('\n\n')}
`
}

function coreIndex(groups: Grouped): string {
  const sections = [...groups].map(([{ name, title }, operations]) => {
    const idOf = headingIds()
    const rows = operations.map((each) => {
      const heading = headingOf(each)
      return `| [\`${heading}\`](core-api/${name}.md#${idOf(heading)}) | ${each.summary.replaceAll('|', '\\|')} |`
    })
    return [`## ${title}`, ['| Operation | Does |', '|---|---|', ...rows].join('\n')].join('\n\n')
  })
  return `# The core API

${MADE}

Accounts, wallets, groups, usage keys, executions and credit. \`{base_url}\` is the origin, where TLS ends inside the machine that
holds the keys; \`{triggers_url}\` answers the same paths for who wants the nearest point. [\`/core/v1/openapi.json\`](/core/v1/openapi.json)
says the same for programs, and the origin's \`/core/v1/swagger-ui\` lets one try it. Every POST with a key takes an
\`Idempotency-Key\`, so that it can be sent again without being done twice.

${sections.join('\n\n')}
`
}

function corePage({ title, about }: Group, operations: Operation[]): string {
  const service = { url: '{base_url}', errors: '../errors.md' }
  return `# ${title}: core API

${MADE}

${about} [All operations](../core-api.md).

## Operations

${operations.map((each) => operationText(each, service)).join('\n\n')}
`
}

if (import.meta.main)
  for (const [file, text] of await apiPages()) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
