/** A Postgres server for tests, without durability. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
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
  // The data may be in memory. By default, up to a gigabyte of old log is kept.
  max_wal_size: '256MB',
}

/** Linux keeps files in this folder in memory. */
const MEMORY = '/dev/shm'

/** Far more than the databases of a test run need at a time. */
const MEMORY_MIN_BYTES = 4 * 1024 ** 3

/**
 * Returns the parent folder of a server's data. Creating a database takes 10 ms of CPU time in memory, and 200 ms on ext4:
 * each has 300 files, and ext4 searches for an inode that was not freed in the last minutes.
 */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir() // Not Linux.
  }
}

export type PostgresServer = {
  /** URL of the initial, empty database. */
  url: string
  /** The same database over TCP, at 127.0.0.1. */
  tcpUrl: string
  close(): Promise<void>
}

/** @param tls certificate and key in PEM, with which the server supports TLS */
export async function startPostgres(tls?: { cert: string; key: string }): Promise<PostgresServer> {
  const folder = mkdtempSync(join(parentFolder(), 'svc-postgres-'))
  const dataDir = join(folder, 'data')
  const password = randomBytes(32).toString('base64url')
  await makeDataFolder(dataDir, password)
  const port = await freePort()
  const child = new Child({
    name: 'database',
    ...postgresServer(dataDir, port, {
      ...FORGETFUL,
      ...(tls && tlsSettings(folder, tls)),
      unix_socket_directories: folder,
    }),
    ipc: false,
    stopSignal: 'SIGQUIT',
    onLine: () => {},
    started: () => {},
  })
  const onExit = () => {
    process.kill(child.pid, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', onExit)
  // A query over a Unix socket takes two thirds of the time of one over loopback.
  const tcpUrl = postgresUrl(port, password)
  const url = `${tcpUrl}?host=${folder}&port=${port}`
  await child.pollUntilReady(() => canConnect(url))
  return {
    url,
    tcpUrl,
    close: async () => {
      process.off('exit', onExit)
      await child.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function tlsSettings(folder: string, { cert, key }: { cert: string; key: string }) {
  const files = {
    ssl_cert_file: join(folder, 'server.pem'),
    ssl_key_file: join(folder, 'server.key'),
  }
  writeFileSync(files.ssl_cert_file, cert)
  writeFileSync(files.ssl_key_file, key, { mode: 0o600 })
  return { ssl: 'on', ...files }
}
