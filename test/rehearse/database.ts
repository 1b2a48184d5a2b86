import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { Child } from '../../origin/stack/child.ts'
import { canConnect } from '../../origin/stack/database.ts'
import {
  makeDataFolder,
  postgresServer,
  postgresUrl,
  waitUntilFree,
} from '../../origin/stack/postgres.ts'
import type { Certificate } from '../doubles/web-server.ts'
import type { DatabaseServer } from '../nightly/recovery/archived-database.ts'

const PORT = 5432

/** Starts a durable Postgres server at 127.0.0.1 that supports TLS. */
export async function startDatabase(
  folder: string,
  { key, cert }: Certificate,
): Promise<DatabaseServer> {
  mkdirSync(folder)
  const dataDir = join(folder, 'data')
  const password = randomBytes(32).toString('base64url')
  await makeDataFolder(dataDir, password)
  const tls = {
    ssl_cert_file: join(folder, 'server.pem'),
    ssl_key_file: join(folder, 'server.key'),
  }
  writeFileSync(tls.ssl_cert_file, cert)
  writeFileSync(tls.ssl_key_file, key, { mode: 0o600 })
  const url = postgresUrl(PORT, password)
  let child: Child
  const start = async () => {
    await waitUntilFree(dataDir)
    child = new Child({
      name: 'database',
      ...postgresServer(dataDir, PORT, { ...tls, ssl: 'on' }),
      ipc: false,
      stopSignal: 'SIGINT',
      onLine: () => {},
      started: () => {},
    })
    await child.pollUntilReady(() => canConnect(url))
  }
  await start()
  return { dataDir, url: () => url, start, stop: () => child.stop(), kill: () => child.kill() }
}
