import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Child } from '../../../origin/stack/child.ts'
import { startDatabase } from '../../../origin/stack/database.ts'
import { freePort } from '../../../origin/stack/ports.ts'
import { descendants } from '../hostile/where-it-could-be.ts'

const PASSWORD = 'canary-6c1f0e'

let stateDir: string
let port: number
const lines: string[] = []
let child: Child
beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'svc-database-'))
  // The remains of an `initdb` that was killed.
  const unfinished = join(stateDir, 'origin', 'postgres.new')
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, 'PG_VERSION'), '18')
  port = await freePort()
  await start()
})
afterAll(async () => {
  await child?.stop()
  rmSync(stateDir, { recursive: true, force: true })
})

async function start(): Promise<void> {
  await startDatabase(stateDir, port, PASSWORD, {
    onLine: (line) => lines.push(line),
    started: () => {},
    created: (created) => void (child = created),
  })
}

async function ask(text: string, password = PASSWORD): Promise<unknown[][]> {
  const client = new Client({
    connectionString: `postgres://svc:${password}@127.0.0.1:${port}/postgres`,
  })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

describe('the database of a local stack', () => {
  it('writes to disk before it responds, and listens only on this machine', async () => {
    for (const [setting, value] of [
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['listen_addresses', '127.0.0.1'],
      ['unix_socket_directories', ''],
    ])
      expect(await ask(`show ${setting}`)).toEqual([[value]])
  })

  it('keeps committed data after a kill with open sessions', async () => {
    await ask('create table kept (n int)')
    const open = new Client({
      connectionString: `postgres://svc:${PASSWORD}@127.0.0.1:${port}/postgres`,
    })
    open.on('error', () => {})
    await open.connect()
    for (let round = 1; round <= 3; round++) {
      await ask(`insert into kept values (${round})`)
      const busy = open.query('select pg_sleep(30)').catch(() => 'broken')
      await child.kill()
      await start()
      expect(await ask('select max(n) from kept')).toEqual([[round]])
      expect(await busy).toBe('broken')
    }
  })

  it('missing authentication: rejects clients without the password', async () => {
    await expect(ask('select 1', 'guess')).rejects.toThrow('password authentication failed')
    await expect(ask('select 1', '')).rejects.toThrow()
  })

  it('leak: does not expose its password in process arguments, or row values in its output', async () => {
    const processes = JSON.stringify(descendants())
    expect(processes).toContain(stateDir)
    expect(processes).not.toContain(PASSWORD)
    await ask('create table unique_values (v text unique)')
    await ask("insert into unique_values values ('canary-4bd2')")
    await expect(ask("insert into unique_values values ('canary-4bd2')")).rejects.toThrow('unique')
    expect(lines.join('\n')).not.toContain('canary')
  })

  it('refuses to start next to a PGlite folder, and says what to do', async () => {
    const old = mkdtempSync(join(tmpdir(), 'svc-database-old-'))
    mkdirSync(join(old, 'origin', 'pglite'), { recursive: true })
    const hooks = { onLine: () => {}, started: () => {}, created: () => {} }
    const beginning = startDatabase(old, port, PASSWORD, hooks)
    await expect(beginning).rejects.toThrow(/PGlite\. Set SVC_STATE_DIR to a new folder, or delete/)
    rmSync(old, { recursive: true })
  })
})
