import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { ChildHooks } from './chain.ts'
import { Child, ChildFailedError } from './child.ts'
import { makeDataFolder, postgresServer, postgresUrl, waitUntilFree } from './postgres.ts'

/** Time limit for stopping the database. It allows for PostgreSQL's final checkpoint on a slow disk. */
const STOP_MS = 20_000

/**
 * Creates the data folder at the first start.
 * @throws {ChildFailedError} if the database cannot be started, or the folder contains a PGlite database from an
 * earlier version
 */
export async function startDatabase(
  stateDir: string,
  port: number,
  password: string,
  hooks: ChildHooks & {
    /** Called with the child before the database is ready, so that the child can be stopped during startup. */
    created(child: Child): void
  },
): Promise<{ url: string }> {
  refusePglite(stateDir)
  mkdirSync(join(stateDir, 'origin'), { recursive: true, mode: 0o700 })
  const dataDir = join(stateDir, 'origin', 'postgres')
  await makeDataFolder(dataDir, password)
  await waitUntilFree(dataDir)
  const child = new Child({
    name: 'database',
    ...postgresServer(dataDir, port),
    ipc: false,
    starts: 'recovering from its last shutdown',
    stopSignal: 'SIGINT',
    stopMs: STOP_MS,
    ...hooks,
  })
  hooks.created(child)
  const url = postgresUrl(port, password)
  await child.pollUntilReady(() => canConnect(url))
  return { url }
}

/** Connects to the database and returns true. Rejects while the server is starting. */
export async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } finally {
    await client.end()
  }
}

/** PostgreSQL cannot read PGlite's files, and starting with an empty database would silently lose credits. */
function refusePglite(stateDir: string): void {
  const old = join(stateDir, 'origin', 'pglite')
  if (!existsSync(old)) return
  throw new ChildFailedError(
    'database',
    `cannot read ${old}, which an earlier version wrote with PGlite. Set SVC_STATE_DIR to a new folder, or delete this one. Accounts, wallets, groups and triggers are stored elsewhere and are kept; credits, payment receipts and outcomes of the last day are lost`,
  )
}
