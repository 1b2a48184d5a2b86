/** A Postgres server for tests, without durability. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canConnect } from '../../../origin/stack/database.ts'
import { Child } from '../../../origin/stack/child.ts'
import { freePort } from '../../../origin/stack/ports.ts'
import { makeDataFolder, postgresServer, postgresUrl } from '../../../origin/stack/postgres.ts'

/** Test data does not need to survive a crash. */
const FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Each open database has a pool, and several test files run in parallel.
  max_connections: '500',
}

export type PostgresServer = {
  /** URL of the initial, empty database. */
  url: string
  close(): Promise<void>
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  const dataDir = join(folder, 'data')
  const password = randomBytes(32).toString('base64url')
  await makeDataFolder(dataDir, password)
  const port = await freePort()
  const child = new Child({
    name: 'database',
    ...postgresServer(dataDir, port, { ...FORGETFUL, unix_socket_directories: folder }),
    ipc: false,
    stopSignal: 'SIGQUIT',
    onLine: () => {},
    started: () => {},
  })
  const onExit = () => process.kill(child.pid, 'SIGQUIT')
  process.once('exit', onExit)
  // A query over a Unix socket takes two thirds of the time of one over loopback.
  const url = `${postgresUrl(port, password)}?host=${folder}&port=${port}`
  await child.pollUntilReady(() => canConnect(url))
  return {
    url,
    close: async () => {
      process.off('exit', onExit)
      await child.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
