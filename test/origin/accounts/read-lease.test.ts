import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HDNodeWallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Chain, ChainUnavailable } from '../../../origin/accounts/chain.ts'
import {
  AppliedEverywhere,
  REQUIREMENT_CHANNEL,
} from '../../../origin/accounts/mirror/applied-everywhere.ts'
import {
  chainIdentity,
  READ_LEASE_MS,
  ReadLease,
} from '../../../origin/accounts/mirror/read-lease.ts'
import { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { listenFor } from '../../../origin/db/notices.ts'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { mirrorLeases } from '../../../origin/db/schema.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import { type JsonRpcProxy, lagging, startJsonRpcProxy } from '../../doubles/json-rpc-proxy.ts'
import { grants, type Mirrored, newHash, startMirrored } from './mirrored.ts'

describe('two origin processes', () => {
  let world: Mirrored
  let postgres: FreshDatabase
  let proxy: JsonRpcProxy
  let distant: Chain
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

  /** A process' mirror and lease. The mirror looks at the chain only when it is told to. */
  const begin = async (
    options: { chain?: Chain; notices?: boolean; start?: boolean; predecessor?: string } = {},
  ) => {
    const { chain = world.chain, notices = true, start = true, predecessor } = options
    const database = await openDatabase(postgres.url)
    const processId = randomUUID()
    const { mirror } = await world.mirror({ chain })
    const shared = {
      db: database.db,
      processId,
      chain: await chainIdentity(world.chain),
      now: () => performance.now(),
      onFailure: () => {},
    }
    const everywhere = new AppliedEverywhere(shared)
    const lease = new ReadLease({
      ...shared,
      predecessor,
      mirror,
      ...(notices && { listen: (told) => listenFor(postgres.url, REQUIREMENT_CHANNEL, told) }),
    })
    const one: (typeof opened)[number] = { lease, database }
    opened.push(one)
    if (start) await lease.start()
    const answers = (keyHash: string) => {
      try {
        return mirror.current().principal(keyHash) ? 'known' : 'unknown'
      } catch (error) {
        if (error instanceof ChainUnavailable) return 'unavailable'
        throw error
      }
    }
    /** What the writer does when it has a receipt. @returns how long the answer took, in ms */
    const write = async (name: string, ...args: unknown[]) => {
      const { blockNumber, blockHash } = await world.write(name, ...args)
      const began = performance.now()
      await mirror.syncTo(blockNumber, blockHash)
      await everywhere.wait(blockNumber)
      return performance.now() - began
    }
    return { one, mirror, lease, everywhere, database, processId, answers, write }
  }
  it('a start ends the lease of the process before it, and of no other', async () => {
    const [killed, other] = [await begin(), await begin()]
    const next = await begin({ predecessor: killed.processId })
    const rows = await next.database.db.select().from(mirrorLeases)
    const holders = rows.map(({ processId }) => processId)
    expect(holders).toEqual(expect.arrayContaining([other.processId, next.processId]))
    expect(holders).not.toContain(killed.processId)
  })

  const newKey = async (by: Awaited<ReturnType<typeof begin>>) => {
    const key = newHash()
    await by.write('setUsageApiKey', account, key, grants({ executeInGroups: [1] }))
    return key
  }

  it('revoked key: it opens nothing at either when the write has answered', async () => {
    const [a, b] = [await begin(), await begin()]
    await sleep(100)
    for (let n = 0; n < 10; n++) {
      const key = await newKey(a)
      expect([a.answers(key), b.answers(key)]).toEqual(['known', 'known'])
      const tookMs = await b.write('removeUsageApiKey', account, key)
      expect([a.answers(key), b.answers(key)]).toEqual(['unknown', 'unknown'])
      // Far below a lease: the other was told, and nothing had to run out.
      expect(tookMs).toBeLessThan(READ_LEASE_MS / 2)
    }
  })

  it('revoked key: also where no notice arrives, by the next renewal', async () => {
    const [a, b] = [await begin(), await begin({ notices: false })]
    const key = await newKey(a)
    const tookMs = await a.write('removeUsageApiKey', account, key)
    expect([a.answers(key), b.answers(key)]).toEqual(['unknown', 'unknown'])
    expect(tookMs).toBeLessThan(READ_LEASE_MS)
  })

  it('a hundred writes at once wait together', async () => {
    const [a, b] = [await begin(), await begin()]
    const receipts = await world.writeAll(
      Array.from({ length: 100 }, () => ['addGroup', account, 'g', '', [], []] as const),
    )
    const last = receipts.at(-1)!.blockNumber
    await a.mirror.syncTo(last)
    await Promise.all(receipts.map(({ blockNumber }) => a.everywhere.wait(blockNumber)))
    expect(b.mirror.block).toBeGreaterThanOrEqual(last)
  })

  it('a process whose chain hangs is fenced after two seconds, and the write answers then', async () => {
    const [a, b] = [await begin(), await begin({ chain: distant })]
    const key = await newKey(a)
    expect(b.answers(key)).toBe('known')
    proxy.use(() => 'hang')
    const tookMs = await a.write('removeUsageApiKey', account, key)
    expect(a.answers(key)).toBe('unknown')
    expect(b.answers(key)).toBe('unavailable')
    expect(tookMs).toBeGreaterThan(READ_LEASE_MS / 2)
    expect(tookMs).toBeLessThan(READ_LEASE_MS + 1_000)
    proxy.use(undefined)
    await expect.poll(() => b.answers(key), { timeout: 10_000 }).toBe('unknown')
  })

  it('a process that was stopped never answers by what it saw before', async () => {
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

  it('a process that has lost the database answers no more after two seconds', async () => {
    const b = await begin()
    const key = newHash()
    b.one.closed = true
    await b.database.close()
    expect(b.answers(key)).toBe('unknown')
    await sleep(READ_LEASE_MS + 50)
    expect(b.answers(key)).toBe('unavailable')
  })

  it('a process that has ended is not waited for', async () => {
    const [a, b] = [await begin(), await begin()]
    await b.lease.close()
    expect(b.answers(newHash())).toBe('unavailable')
    const tookMs = await a.write('addGroup', account, 'g', '', [], [])
    expect(tookMs).toBeLessThan(READ_LEASE_MS / 2)
  })

  it('a process that starts at a node that lags answers nothing before it has caught up', async () => {
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

  it('the database away: a write that is done says so, and is not held up for ever', async () => {
    const a = await begin()
    a.one.closed = true
    await a.database.close()
    const { blockNumber } = await world.write('addGroup', account, 'g', '', [], [])
    await expect(a.everywhere.wait(blockNumber)).rejects.toBeInstanceOf(ChainUnavailable)
  })

  it('the writer answers when both have it', async () => {
    const [a, b] = [await begin(), await begin()]
    const phrase = 'test test test test test test test test test test test junk'
    const keyOf = (n: number) =>
      HDNodeWallet.fromPhrase(phrase, '', `m/44'/60'/0'/0/${n}`).privateKey
    const writer = new AccountsWriter({
      chain: world.chain,
      mirror: a.mirror,
      db: a.database.db,
      processId: a.processId,
      payers: 1,
      finality: 2,
      now: Date.now,
      log: () => {},
      payerKey: keyOf,
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
