/** A Postgres server of its own, which a test kills. Commits are durable. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from '../../../../origin/stack/child.ts'
import { startDatabase } from '../../../../origin/stack/database.ts'
import { freePort } from '../../../../origin/stack/ports.ts'

export type DatabaseServer = {
  url: string
  /** Kills the server, and starts it again. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-killed-'))
  const [port, password] = [await freePort(), randomBytes(32).toString('base64url')]
  let child: Child | undefined
  const start = () =>
    startDatabase(folder, port, password, {
      created: (made) => (child = made),
      onLine: () => {},
      started: () => {},
    })
  const onExit = () => child && process.kill(child.pid, 'SIGQUIT')
  process.once('exit', onExit)
  const { url } = await start()
  return {
    url,
    restart: async () => {
      await child!.kill()
      await start()
    },
    close: async () => {
      process.off('exit', onExit)
      await child!.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
