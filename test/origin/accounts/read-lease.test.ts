import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eq, lt, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  chainIdentity,
  type ContractChain,
  ContractUnavailableError,
} from '../../../origin/accounts/chain.ts'
import {
  MirrorBarrier,
  REQUIREMENT_CHANNEL,
} from '../../../origin/accounts/mirror/mirror-barrier.ts'
import { READ_LEASE_MS, ReadLease } from '../../../origin/accounts/mirror/read-lease.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { listenFor } from '../../../origin/db/notifications.ts'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { mirrorLeases } from '../../../origin/db/schema.ts'
import { fundedKey } from '../chain.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import { type JsonRpcProxy, lagging, startJsonRpcProxy } from '../../doubles/json-rpc-proxy.ts'
import { grants, type Mirrored, newHash, startMirrored } from './mirrored.ts'

describe('two origin processes', () => {
  let world: Mirrored
  let postgres: FreshDatabase
  let proxy: JsonRpcProxy
  let distant: ContractChain
  let account = ''
  beforeAll(async () => {
    postgres = await freshDatabase()
    world = await startMirrored()
    await world.send('evm_setAutomine', [true])
    proxy = await startJsonRpcProxy(world.rpcUrl)
    distant = await world.through(proxy.url)
    account = await world.newAccount()
    await world.write('addGroup', account, 'g', '', [], [0])
  })
  afterAll(async () => {
    distant.provider.destroy()
    await proxy.close()
    await world.close()
    await postgres.drop()
  })

  const opened: { lease: ReadLease; database: OpenDatabase; closed?: true }[] = []
  const children: ChildProcess[] = []
  afterEach(async () => {
    proxy.use(undefined)
    for (const child of children.splice(0)) child.kill('SIGKILL')
    for (const one of opened.splice(0)) {
      await one.lease.close().catch(() => {})
      if (!one.closed) await one.database.close()
    }
    await world.closeMirrors()
  })

  /** Opens a process with a mirror and a lease. The mirror polls the chain only on request. */
  const begin = async (
    options: {
      chain?: ContractChain
      notices?: boolean
      start?: boolean
      predecessor?: string
    } = {},
  ) => {
    const { chain = world.chain, notices = true, start = true, predecessor } = options
    const database = await openDatabase({ url: postgres.url })
    const processId = randomUUID()
    const { mirror } = await world.mirror({ chain })
    const shared = {
      db: database.db,
      processId,
      chain: await chainIdentity(world.chain),
      now: () => performance.now(),
      onFailure: () => {},
    }
    const everywhere = new MirrorBarrier(shared)
    const lease = new ReadLease({
      ...shared,
      predecessor,
      mirror,
      ...(notices && {
        listen: (told) => listenFor({ url: postgres.url }, REQUIREMENT_CHANNEL, told),
      }),
    })
    const one: (typeof opened)[number] = { lease, database }
    opened.push(one)
    if (start) await lease.start()
    const answers = (keyHash: string) => {
      try {
        return mirror.current().principal(keyHash) ? 'known' : 'unknown'
      } catch (error) {
        if (error instanceof ContractUnavailableError) return 'unavailable'
        throw error
      }
    }
    /**
     * Does what the writer does after a receipt.
     * @returns the time until both steps are done, in ms
     */
    const write = async (name: string, ...args: unknown[]) => {
      const { blockNumber, blockHash } = await world.write(name, ...args)
      const began = performance.now()
      await mirror.syncTo(blockNumber, blockHash)
      await everywhere.wait(blockNumber)
      return performance.now() - began
    }
    return { one, mirror, lease, everywhere, database, processId, answers, write }
  }
  it('release the lease of a predecessor at startup, and no other lease', async () => {
    const [killed, other] = [await begin(), await begin()]
    const next = await begin({ predecessor: killed.processId })
    const rows = await next.database.db.select().from(mirrorLeases)
    const holders = rows.map(({ processId }) => processId)
    expect(holders).toEqual(expect.arrayContaining([other.processId, next.processId]))
    expect(holders).not.toContain(killed.processId)
  })

  /** Returns whether the lease of a process has expired by the database's clock. */
  const isExpired = async ({ database, processId }: Awaited<ReturnType<typeof begin>>) => {
    const [row] = await database.db
      .select({ isExpired: lt(mirrorLeases.validUntil, sql`now()`).mapWith(Boolean) })
      .from(mirrorLeases)
      .where(eq(mirrorLeases.processId, processId))
    return row?.isExpired
  }

  const newKey = async (by: Awaited<ReturnType<typeof begin>>) => {
    const key = newHash()
    await by.write('setUsageApiKey', account, key, grants({ executeInGroups: [1] }))
    return key
  }

  it('revoked key: grants nothing at either process once the write has returned', async () => {
    const [a, b] = [await begin(), await begin()]
    await sleep(100)
    for (let n = 0; n < 10; n++) {
      const key = await newKey(a)
      expect([a.answers(key), b.answers(key)]).toEqual(['known', 'known'])
      const tookMs = await b.write('removeUsageApiKey', account, key)
      expect([a.answers(key), b.answers(key)]).toEqual(['unknown', 'unknown'])
      // Far below a lease: the other process was notified, so no lease had to expire.
      expect(tookMs).toBeLessThan(READ_LEASE_MS / 2)
    }
  })

  it('revoked key: is applied at the next renewal by a process without notifications', async () => {
    const [a, b] = [await begin(), await begin({ notices: false })]
    const key = await newKey(a)
    const tookMs = await a.write('removeUsageApiKey', account, key)
    expect([a.answers(key), b.answers(key)]).toEqual(['unknown', 'unknown'])
    expect(tookMs).toBeLessThan(READ_LEASE_MS)
  })

  it('wait together for a hundred concurrent writes', async () => {
    const [a, b] = [await begin(), await begin()]
    const receipts = await world.writeAll(
      Array.from({ length: 100 }, () => ['addGroup', account, 'g', '', [], []] as const),
    )
    const last = receipts.at(-1)!.blockNumber
    await a.mirror.syncTo(last)
    await Promise.all(receipts.map(({ blockNumber }) => a.everywhere.wait(blockNumber)))
    expect(b.mirror.block).toBeGreaterThanOrEqual(last)
  })

  it('fence a process after two seconds if its chain hangs, and then complete the write', async () => {
    const [a, b] = [await begin(), await begin({ chain: distant })]
    const key = await newKey(a)
    expect(b.answers(key)).toBe('known')
    proxy.use(() => 'hang')
    const tookMs = await a.write('removeUsageApiKey', account, key)
    expect(a.answers(key)).toBe('unknown')
    expect(b.answers(key)).toBe('unavailable')
    expect(await isExpired(b)).toBe(true)
    expect(tookMs).toBeLessThan(READ_LEASE_MS + 1_000)
    proxy.use(undefined)
    await expect.poll(() => b.answers(key), { timeout: 10_000 }).toBe('unknown')
  })

  it('never answer from old state after being suspended', async () => {
    const a = await begin()
    const key = await newKey(a)
    const { contractAddress, contractBlock } = world.chain
    const child = fork(fileURLToPath(new URL('./mirror-process.ts', import.meta.url)), [
      world.rpcUrl,
      contractAddress,
      String(contractBlock),
      postgres.url,
    ])
    children.push(child)
    await once(child, 'message')
    const ask = async () => {
      const answer = once(child, 'message')
      child.send(key)
      return (await answer)[0] as string
    }
    expect(await ask()).toBe('known')
    child.kill('SIGSTOP')
    const tookMs = await a.write('removeUsageApiKey', account, key)
    expect(tookMs).toBeLessThan(READ_LEASE_MS + 1_000)
    const first = ask()
    child.kill('SIGCONT')
    expect(await first).not.toBe('known')
    await expect.poll(ask, { timeout: 5_000 }).toBe('unknown')
  })

  it('stop answering two seconds after losing the database', async () => {
    const b = await begin()
    const key = newHash()
    b.one.closed = true
    await b.database.close()
    expect(b.answers(key)).toBe('unknown')
    await sleep(READ_LEASE_MS + 50)
    expect(b.answers(key)).toBe('unavailable')
  })

  it('do not wait for a process that was closed', async () => {
    const [a, b] = [await begin(), await begin()]
    await b.lease.close()
    expect(b.answers(newHash())).toBe('unavailable')
    const tookMs = await a.write('addGroup', account, 'g', '', [], [])
    expect(tookMs).toBeLessThan(READ_LEASE_MS / 2)
  })

  it('answer nothing after starting at a lagging node until caught up', async () => {
    const a = await begin()
    const key = await newKey(a)
    proxy.use(lagging(await world.tip()))
    await a.write('removeUsageApiKey', account, key)
    const b = await begin({ chain: distant, start: false })
    let isStarted = false
    const starting = b.lease.start().then(() => (isStarted = true))
    await sleep(300)
    expect(isStarted).toBe(false)
    expect(b.answers(key)).toBe('unavailable')
    proxy.use(undefined)
    await starting
    expect(b.answers(key)).toBe('unknown')
  })

  it('fail a wait with ChainUnavailable if the database is unavailable, instead of waiting permanently', async () => {
    const a = await begin()
    a.one.closed = true
    await a.database.close()
    const { blockNumber } = await world.write('addGroup', account, 'g', '', [], [])
    await expect(a.everywhere.wait(blockNumber)).rejects.toBeInstanceOf(ContractUnavailableError)
  })

  it('both hold a write when the writer returns', async () => {
    const [a, b] = [await begin(), await begin()]
    const writer = new AccountsWriter({
      chain: world.chain,
      mirror: a.mirror,
      db: a.database.db,
      processId: a.processId,
      payers: 1,
      finality: 2,
      now: Date.now,
      log: () => {},
      payerKey: fundedKey,
      afterMined: (block) => a.everywhere.wait(block),
    })
    await writer.start()
    try {
      const key = newHash()
      const permissions = grants({ executeInGroups: [1] })
      await writer.write('setUsageApiKey', [account, key, permissions])
      expect([a.answers(key), b.answers(key)]).toEqual(['known', 'known'])
      await writer.write('removeUsageApiKey', [account, key])
      expect([a.answers(key), b.answers(key)]).toEqual(['unknown', 'unknown'])
    } finally {
      await writer.close()
    }
  })
})
