/** The database of a local stack: a dedicated PostgreSQL server with its data in the state folder. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { ChildHooks } from './chain.ts'
import { Child, ChildFailed } from './child.ts'
import { makeDataFolder, postgresServer, postgresUrl, untilFree } from './postgres.ts'

/** Time for the final checkpoint on a slow disk. */
const STOP_MS = 20_000

/**
 * Starts the database, and creates its data folder at the first start.
 * @throws {ChildFailed} if it cannot be started, or the folder has a PGlite database of an earlier version
 */
export async function startDatabase(
  stateDir: string,
  port: number,
  password: string,
  hooks: ChildHooks & {
    /** Called before the database is ready, so that it can be stopped while it starts. */
    created(child: Child): void
  },
): Promise<{ url: string }> {
  refusePglite(stateDir)
  mkdirSync(join(stateDir, 'origin'), { recursive: true, mode: 0o700 })
  const dataDir = join(stateDir, 'origin', 'postgres')
  await makeDataFolder(dataDir, password)
  await untilFree(dataDir)
  const child = new Child({
    name: 'database',
    ...postgresServer(dataDir, port),
    ipc: false,
    starts: 'recovers what it was writing when it ended',
    stopSignal: 'SIGINT',
    stopMs: STOP_MS,
    ...hooks,
  })
  hooks.created(child)
  const url = postgresUrl(port, password)
  await child.answers(() => canConnect(url))
  return { url }
}

/** Returns true if the server accepts connections. Rejects while it is starting. */
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
  throw new ChildFailed(
    'database',
    `can not read ${old}, which an earlier version wrote with PGlite: set SVC_STATE_DIR to a new folder, or delete that one. Accounts, wallets, groups and triggers are kept elsewhere and stay; credits, receipts of payments and outcomes of the last day begin anew`,
  )
}
