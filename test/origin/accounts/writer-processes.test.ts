/** Several origin processes on one Postgres, some of which are killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, inArray, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { auditEntries, chainWrites, payers, processes } from '../../../origin/db/schema.ts'
import { nodeBundles } from '../../../origin/stack/bundles.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import type { WriterProcessInput } from './writer-process.ts'
import { newHash, startWriting, type Writing } from './writing.ts'

/** Short, so that the leases of a killed process are soon free, but long enough for a busy machine. */
const LEASE_MS = 1_500
const KILLS = 20

const WRITER_PROCESS = fileURLToPath(new URL('./writer-process.ts', import.meta.url))

describe('writers of several processes', () => {
  let server: FreshDatabase
  let world: Writing
  const rootKey = randomBytes(32)
  beforeAll(async () => {
    server = await freshDatabase()
    world = await startWriting(await openDatabase({ url: server.url }), rootKey)
  })
  afterEach(() => world.closeWriters())
  afterAll(async () => {
    await world.close()
    await server.drop()
  })

  it('share the payers, one for each, and complete all writes', async () => {
    const first = await world.open({ leaseMs: LEASE_MS, processId: 'first' })
    const second = await world.open({ leaseMs: LEASE_MS, processId: 'second' })
    const hashes = Array.from({ length: 40 }, newHash)
    await Promise.all(hashes.map((hash, n) => (n % 2 ? first : second).newAccount(hash)))
    for (const hash of hashes) expect(await world.accounts(hash)).toBe(1)
    const rows = await world.writes()
    const lanes = new Set(rows.map(({ payer, processId }) => `${processId} ${payer}`))
    expect(new Set(rows.map(({ processId }) => processId))).toEqual(new Set(['first', 'second']))
    const nonces = rows.map(({ payer, nonce }) => `${payer} ${nonce}`)
    expect(new Set(nonces).size).toBe(nonces.length)
    expect(lanes.size).toBeGreaterThanOrEqual(2)
  })

  it('fail with 503 in a process that cannot get a payer', async () => {
    await world.open({ payers: 1, leaseMs: LEASE_MS })
    const { newAccount } = await world.open({ payers: 1, leaseMs: LEASE_MS })
    await expect(newAccount(newHash())).rejects.toBeInstanceOf(ContractUnavailableError)
  })

  it('create one account for one write ID at two processes at once', async () => {
    const [first, second] = [
      await world.open({ leaseMs: LEASE_MS }),
      await world.open({ leaseMs: LEASE_MS }),
    ]
    for (let n = 0; n < 5; n++) {
      const [hash, writeId] = [newHash(), randomUUID()]
      const both = [first.newAccount(hash, writeId), second.newAccount(hash, writeId)]
      const [one, other] = await Promise.all(both)
      expect(one!.hash).toBe(other!.hash)
    }
  })

  it('sign nothing more with a payer after losing its lease', async () => {
    const lost = await world.open({ payers: 1, leaseMs: 60_000 })
    await lost.newAccount(newHash())
    const thief = { processId: 'thief', leaseUntil: new Date(Date.now() + 60_000) }
    await world.db.update(payers).set(thief).where(eq(payers.number, 1))
    const before = (await world.writes()).length
    await expect(lost.newAccount(newHash())).rejects.toBeInstanceOf(ContractUnavailableError)
    expect((await world.writes()).length).toBe(before)
    await world.db.update(payers).set({ leaseUntil: new Date(0) })
  })

  it('settle a write that a closed process left behind', async () => {
    const hash = newHash()
    const first = await world.open({ payers: 1, leaseMs: LEASE_MS, waitMs: 1_000 })
    await first.newAccount(newHash())
    await world.standStill()
    const given = await first.newAccount(hash, 'left').catch((error: unknown) => error)
    expect(given).toBeInstanceOf(ContractUnavailableError)
    await first.close()
    await world.send('anvil_dropAllTransactions', [])
    const second = await world.open({ payers: 1, leaseMs: LEASE_MS })
    await world.mineUntil(second.newAccount(hash, 'left'), 300)
    await world.goOn()
    expect(await world.accounts(hash)).toBe(1)
  })

  describe('of which one with heartbeats holds the only payer', () => {
    const children: ChildProcess[] = []
    afterEach(() => Promise.all(children.splice(0).map(killed)))

    /** Starts a process that has a payer, with a lease of minutes, and has written once. */
    const startHolder = async (holder: string) => {
      const opened = await world.open({ leaseMs: LEASE_MS })
      const accountHash = newHash()
      await opened.newAccount(accountHash)
      await opened.close()
      const { contractAddress: address, contractBlock: block } = world.chain
      const child = await startWriterProcess(
        {
          rpcUrl: world.rpcUrl,
          contract: { address, block },
          databaseUrl: server.url,
          rootKey: rootKey.toString('hex'),
          accountHash,
          leaseMs: LEASE_MS,
          payers: 1,
          heartbeatAs: holder,
          writeIds: [],
        },
        new Set(),
      )
      children.push(child)
      const messages: { done?: string; log?: { failed?: string } }[] = []
      child.on('message', (message) => void messages.push(message as (typeof messages)[number]))
      const send = (writeId: string) => child.send(writeId)
      const done = (writeId: string) =>
        expect
          .poll(() => messages.some((message) => message.done === writeId), { timeout: 20_000 })
          .toBe(true)
      send(`${holder} first`)
      await done(`${holder} first`)
      const leftMs = sql<number>`(extract(epoch from ${payers.leaseUntil} - now()) * 1000)::float8`
      const left = async () =>
        (await world.db.select({ leftMs }).from(payers).where(eq(payers.number, 1)))[0]!.leftMs
      await expect.poll(left, { timeout: 20_000 }).toBeGreaterThan(60_000)
      return { child, messages, send, done, accountHash }
    }
    const endProcessLease = (id: string) =>
      world.db
        .update(processes)
        .set({ leaseUntil: sql`clock_timestamp()` })
        .where(eq(processes.id, id))
    const openOther = () => world.open({ payers: 1, leaseMs: LEASE_MS })

    it('SIGKILL: another process takes over once the lease of the killed one has ended', async () => {
      const { child } = await startHolder('killed holder')
      await killed(child)
      const other = await openOther()
      await expect(other.newAccount(newHash())).rejects.toBeInstanceOf(ContractUnavailableError)
      await endProcessLease('killed holder')
      const hash = newHash()
      await other.newAccount(hash)
      expect(await world.accounts(hash)).toBe(1)
    })

    it('SIGSTOP: the process sends nothing after it has lost its payer while it was suspended', async () => {
      const { child, messages, send, done, accountHash } = await startHolder('stopped holder')
      child.kill('SIGSTOP')
      await endProcessLease('stopped holder')
      const other = await openOther()
      await other.addGroup(accountHash, 'other')
      // The suspended process reads this before or after it notices that it has lost its payer.
      send('late')
      messages.length = 0
      child.kill('SIGCONT')
      const failures = () => messages.filter(({ log }) => log?.failed?.includes('other processes'))
      await expect.poll(() => failures().length, { timeout: 20_000 }).toBeGreaterThan(2)
      expect(await world.groups('late')).toBe(0)
      expect((await world.writes()).map(({ writeId }) => writeId)).not.toContain('late')
      await other.addGroup(accountHash, 'other again')
      await other.close()
      await done('late')
      expect(await world.groups('late')).toBe(1)
      const nonces = (await world.writes()).map(({ payer, nonce }) => `${payer} ${nonce}`)
      expect(new Set(nonces).size).toBe(nonces.length)
    })
  })

  it('SIGKILL between send and answer, twenty times: have one effect for each write ID', async () => {
    const opened = await world.open({ leaseMs: LEASE_MS })
    const accountHash = newHash()
    await opened.newAccount(accountHash)
    await opened.close()
    const { contractAddress: address, contractBlock: block } = world.chain
    const input = { rpcUrl: world.rpcUrl, contract: { address, block }, databaseUrl: server.url }
    const given = { ...input, rootKey: rootKey.toString('hex'), leaseMs: 300, accountHash }
    const all: string[] = []
    const done = new Set<string>()
    let betweenSendAndAnswer = 0
    const rowsOf = async (writeIds: string[]) => {
      const rows = await world.db
        .select({ writeId: chainWrites.writeId })
        .from(chainWrites)
        .where(inArray(chainWrites.writeId, writeIds))
      return rows.length
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const fresh = Array.from({ length: 4 }, (_, n) => `kill ${kill} ${n}`)
      all.push(...fresh)
      const writeIds = all.filter((writeId) => !done.has(writeId))
      const child = await startWriterProcess({ ...given, writeIds }, done)
      // Kills every other process before or around the writing of a row, and the rest once there is a row.
      if (kill % 2)
        await expect.poll(() => rowsOf(fresh), { interval: 2, timeout: 20_000 }).not.toBe(0)
      await sleep(Math.random() * (kill % 2 ? 20 : 150))
      await killed(child)
      const sent = new Set((await world.writes()).map(({ writeId }) => writeId))
      if (writeIds.some((writeId) => sent.has(writeId) && !done.has(writeId)))
        betweenSendAndAnswer++
    }
    const left = all.filter((writeId) => !done.has(writeId))
    const last = await startWriterProcess({ ...given, writeIds: left }, done)
    await expect.poll(() => done.size, { timeout: 20_000 }).toBe(all.length)
    const times = await world.groupCounts()
    expect(all.filter((name) => times.get(name) !== 1)).toEqual([])
    // Each write has exactly one entry in the audit log, in a gapless sequence.
    const entries = () =>
      world.db
        .select({ operation: auditEntries.operation, sequence: auditEntries.sequence })
        .from(auditEntries)
        .where(inArray(auditEntries.operation, all))
        .orderBy(auditEntries.sequence)
    await expect
      .poll(async () => (await entries()).map(({ operation }) => operation).toSorted(), {
        timeout: 20_000,
      })
      .toEqual(all.toSorted())
    expect((await entries()).map(({ sequence }) => sequence)).toEqual(all.map((_, n) => n + 1))
    await killed(last)
    // Otherwise the test covered nothing.
    expect(betweenSendAndAnswer).toBeGreaterThan(KILLS / 4)
  })
})

/** Starts a process, and returns when it begins to write. */
async function startWriterProcess(
  input: WriterProcessInput,
  done: Set<string>,
): Promise<ChildProcess> {
  const [script] = await nodeBundles([WRITER_PROCESS])
  const said: string[] = []
  const child = fork(script!, [JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await new Promise<void>((ready, failed) => {
    child.on('message', (message: { ready?: true; done?: string; log?: object }) => {
      if (message.done !== undefined) done.add(message.done)
      if (message.log) said.push(JSON.stringify(message.log))
      if (message.ready) ready()
    })
    child.on('exit', (code) => failed(new Error(`the process ended (${code}): ${said.join('')}`)))
  })
  return child
}

/** Kills a process, and returns when all of its output has been read. */
async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((closed) => child.once('close', closed))
  child.kill('SIGKILL')
  await gone
}
