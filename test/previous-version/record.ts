/**
 * `npm run record-version`: records what this version of the code writes to its databases and which statements it
 * uses, as the fixture against which the next version is tested (docs/deploy.md#releases).
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { commonForm } from './common-form.ts'
import {
  type DatabaseName,
  migratedSqlite,
  migrationTags,
  type SqliteName,
} from './sqlite-schema.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Rows by database, as text of JSON. */
const data = new Map<string, unknown>()

/** Statements by database. `objects` are those of all Durable Objects. */
const statements = new Map<string, Map<string, string>>()

function add(database: string, statement: string): void {
  const known = statements.get(database) ?? new Map<string, string>()
  statements.set(database, known)
  const form = commonForm(statement)
  const shortest = known.get(form)
  if (shortest === undefined || statement.length < shortest.length) known.set(form, statement)
}

const server = createServer((request, response) => {
  const [, kind, name = ''] = (request.url ?? '').split('/')
  const received = json(request).then((body) => {
    if (kind === 'data') data.set(name, body)
    else for (const [database, statement] of body as [string, string][]) add(database, statement)
  })
  received.then(
    () => response.end(),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
const { port } = server.address() as AddressInfo
const child = spawn(
  process.execPath,
  [
    `${root}/node_modules/vitest/vitest.mjs`,
    'run',
    '--config',
    'test/previous-version/vitest.config.ts',
    ...process.argv.slice(2),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SVC_RECORDER: `http://127.0.0.1:${port}` },
  },
)
const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
server.close()

/** Returns the statements that compile on the schema of this version; tests that build other schemas have others too. */
function compiling(database: SqliteName, of: string): string[] {
  const sqlite = migratedSqlite(database)
  return [...(statements.get(of)?.values() ?? [])].filter((statement) => {
    try {
      sqlite.prepare(statement)
      return true
    } catch {
      return false
    }
  })
}

/** Only these can be prepared in Postgres. */
const PREPARABLE = /^\s*(select|insert|update|delete|with)\b/i

const recorded: Record<DatabaseName, string[]> = {
  origin: [...(statements.get('origin')?.values() ?? [])].filter((text) => PREPARABLE.test(text)),
  edge: compiling('edge', 'edge'),
  'trigger-queue': compiling('trigger-queue', 'objects'),
  'chain-watcher': compiling('chain-watcher', 'objects'),
}
for (const [name, list] of Object.entries(recorded)) {
  const fixture = {
    migrations: migrationTags(name as DatabaseName),
    data: data.get(name) ?? null,
    statements: list.toSorted(),
  }
  const file = new URL(`./fixture/${name}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(fixture, null, 1)}\n`)
  console.log(`${name}: ${list.length} statements`)
}
process.exitCode = code ?? 1
