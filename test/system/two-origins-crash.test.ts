import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Contract } from 'ethers'
import { and, desc, gt, isNotNull, ne, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { READ_LEASE_MS } from '../../origin/accounts/mirror/read-lease.ts'
import { snapshotPath } from '../../origin/accounts/mirror/snapshot-file.ts'
import { chainWrites, mirrorLeases, payers } from '../../origin/db/schema.ts'
import { HEARTBEAT_LOST_MS } from '../../origin/runs/claims.ts'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import { PROCESS_LEASE_MS } from '../../shared/limits.ts'
import { AccountHolder, KEY_TAKEN, takeKey, type Wallet } from './account-holder.ts'
import { type Answer, type OriginProcess, type Origins, PAYERS, startOrigins } from './origins.ts'
import { until } from './owner.ts'

/** Each kill interrupts four writes. */
const KILLS = Number(process.env.TEST_KILLS ?? 6)

describe('one of two origin processes', () => {
  let world: Origins
  let a: OriginProcess
  let b: OriginProcess
  let holder: AccountHolder
  let wallet: Wallet
  let timer: NodeJS.Timeout
  let isMining = true
  beforeAll(async () => {
    world = await startOrigins(2)
    a = world.origins[0]!
    b = world.origins[1]!
    // Ends the mode that mines on transactions and every second, to which anvil cannot return after a stop.
    await world.contract.send('evm_setAutomine', [true])
    timer = setInterval(() => {
      if (isMining) world.contract.send('evm_mine', []).catch(() => {})
    }, 1_000)
    holder = await AccountHolder.open(a)
    wallet = await holder.wallet(b)
  })
  afterAll(() => {
    clearInterval(timer)
    return world?.close()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(world.lines.slice(-40).join('\n'))
  })

  it('stopped: answers a revocation once its lease expires, and never uses the revoked key afterwards', async () => {
    for (let round = 0; round < 3; round++) {
      const { key } = await holder.grant(a, wallet)
      const use = () => takeKey(b, key, wallet)
      // Concurrent requests, so that connections stay open across the pause.
      const before = await Promise.all(Array.from({ length: 6 }, use))
      expect(before.map(({ body }) => body.response)).toEqual(before.map(() => KEY_TAKEN))
      b.pause()
      const revoked = await holder.call(a, 'remove_usage_api_key', { usage_api_key: key })
      const waiting = Array.from({ length: 6 }, use)
      await sleep(50) // The requests now wait in its sockets, to be read first after it resumes.
      b.resume()
      expect(revoked.status).toBe(200)
      expect(revoked.answeredAt - revoked.sentAt).toBeLessThan(READ_LEASE_MS + 1_500)
      for (const { status } of await Promise.all(waiting)) expect([401, 503]).toContain(status)
      await until(10, 'it answers again', async () => {
        const { status } = await use()
        expect([401, 503]).toContain(status)
        return status === 401 || undefined
      })
    }
  })

  it('killed: the other process keeps writing and takes over its payers, and it serves again after a restart', async () => {
    const { key } = await holder.grant(b, wallet)
    // A graceful stop writes a snapshot.
    await b.stop()
    expect(existsSync(snapshotPath(b.stateDir, world.contract.chain))).toBe(true)
    await b.start()
    await until(20, 'both have payers', async () => (await payersHeld()).size === 2 || undefined)
    await b.kill()
    const began = performance.now()
    const groups = [await holder.group(a)]
    expect(performance.now() - began).toBeLessThan(READ_LEASE_MS + 1_500)
    await until(PROCESS_LEASE_MS / 1000 + 5, 'all payers are its own', async () => {
      groups.push(await holder.group(a))
      const held = await payersHeld()
      return (held.size === 1 && held.values().next().value === PAYERS + 1) || undefined
    })
    await b.start()
    expect(world.lines.filter((line) => line.includes('snapshot-ignored'))).toEqual([])
    const listed = await holder.ok(b, 'list_groups?page_size=200')
    expect(listed.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining(groups))
    expect((await takeKey(b, key, wallet)).body.response).toBe(KEY_TAKEN)
    const id = await holder.group(b)
    expect((await holder.ok(a, `get_group?group_id=${id}`)).id).toBe(id)
  })

  async function payersHeld(): Promise<Map<string, number>> {
    const rows = await world.db
      .select({ processId: payers.processId })
      .from(payers)
      .where(and(isNotNull(payers.processId), gt(payers.leaseUntil, sql`now()`)))
    const held = new Map<string, number>()
    for (const { processId } of rows) held.set(processId!, (held.get(processId!) ?? 0) + 1)
    return held
  }

  type Write = { path: 'create_wallet' | 'add_group'; name: string; idempotencyKey: string }
  const send = (origin: OriginProcess, of: AccountHolder, write: Write) => {
    const { path, name, idempotencyKey } = write
    const body = path === 'add_group' ? { group_name: name } : { name }
    return of.call(origin, path, body, idempotencyKey)
  }

  it(`killed ${KILLS} times between send and answer: writes repeated at the other process are on-chain once`, async () => {
    const writer = await AccountHolder.open(a)
    const { chain, send: anvil } = world.contract
    const contract = new Contract(chain.contractAddress, accountConfigAbi, chain.provider)
    const onChain = async () => {
      const { wallets, groups } = await contract.getFunction('accountOf')(writer.hash)
      const ids = [...wallets].map(({ pkpId }) => pkpId as string)
      return { wallets: ids, groups: [...groups].map(({ groupId }) => Number(groupId)) }
    }
    const count = async () => {
      const { wallets, groups } = await onChain()
      return wallets.length + groups.length
    }
    /** Returns true if the read lease of the process that did not write last has been valid until now. */
    const isLeaseHeldElsewhere = async () => {
      const [last] = await world.db
        .select({ processId: chainWrites.processId })
        .from(chainWrites)
        .orderBy(desc(chainWrites.createdAt))
        .limit(1)
      const isHeld = gt(mirrorLeases.validUntil, sql`clock_timestamp()`)
      const isOther = ne(mirrorLeases.processId, last!.processId)
      const leases = await world.db.select().from(mirrorLeases).where(and(isOther, isHeld))
      return leases.length > 0
    }
    // Each kills the process at another stage of its writes.
    const moments = [
      async (asked: () => void) => {
        isMining = false
        await anvil('evm_setAutomine', [false])
        asked()
        await until(10, 'the writes are in the mempool', async () => {
          const { pending } = await anvil('txpool_status', [])
          return Number(pending) >= 4 || undefined
        })
        await a.kill()
        await anvil('evm_setAutomine', [true])
        await anvil('evm_mine', [])
        isMining = true
        return true
      },
      async (asked: () => void) => {
        const before = await count()
        b.pause() // No write is answered before the other process has seen it, or the lease has expired.
        asked()
        await until(30, 'the writes are in blocks', async () =>
          (await count()) === before + 4 ? true : undefined,
        )
        await a.kill()
        const mustBeLost = await isLeaseHeldElsewhere()
        b.resume()
        return mustBeLost
      },
      async (asked: () => void, round: number) => {
        asked()
        await sleep(round * 5)
        await a.kill()
        return false
      },
    ]

    const writes: Write[] = []
    const answered = new Map<Write, Answer>()
    for (let round = 0; round < KILLS; round++) {
      const batch = Array.from({ length: 4 }, (_, n): Write => ({
        path: n % 2 === 0 ? 'create_wallet' : 'add_group',
        name: `${round} ${n}`,
        idempotencyKey: randomUUID(),
      }))
      writes.push(...batch)
      let under: Promise<(Answer | undefined)[]> | undefined
      const asked = () => {
        under = Promise.all(batch.map((write) => send(a, writer, write).catch(() => undefined)))
      }
      const mustBeLost = await moments[round % moments.length]!(asked, round)
      const answers = await under!
      if (mustBeLost) expect(answers).toEqual(batch.map(() => undefined))
      for (const [n, answer] of answers.entries()) if (answer) answered.set(batch[n]!, answer)
      // Repeated before the other process is known to be dead: the write must not start a second time.
      const early = await Promise.all(batch.map((write) => send(b, writer, write)))
      for (const { status } of early) expect([200, 409, 503]).toContain(status)
      await a.start()
    }

    const given = await until(HEARTBEAT_LOST_MS / 1000 + 30, 'all are answered', async () => {
      const answers = await Promise.all(writes.map((write) => send(b, writer, write)))
      for (const { status } of answers) expect([200, 409, 503]).toContain(status)
      return answers.every(({ status }) => status === 200) ? answers : undefined
    })
    for (const [write, { status, body }] of answered)
      if (status === 200) expect(given[writes.indexOf(write)]!.body).toEqual(body)
    const { wallets, groups } = await onChain()
    const of = (field: string) =>
      given.map(({ body }) => body[field]).filter((id) => id !== undefined)
    expect(new Set(of('pkp_id'))).toEqual(new Set(wallets))
    expect(new Set(of('group_id'))).toEqual(new Set(groups))
    expect(wallets).toHaveLength(writes.length / 2)
    expect(groups).toHaveLength(writes.length / 2)
    // The killed process returns the same responses after its restart.
    const again = await Promise.all(writes.map((write) => send(a, writer, write)))
    expect(again.map(({ body }) => body)).toEqual(given.map(({ body }) => body))
  })
})
