import { randomUUID } from 'node:crypto'
import { Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cidHash } from '../../shared/cid/cid-format.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { loadRootKey } from '../../origin/keys/root-key-file.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { importReceiptKey } from '../../shared/client/verification/receipt-key.ts'
import { verifyReceiptChain } from '../../shared/receipts/receipt-chain.ts'
import { booksOf, openAccount } from '../origin/credits/process.ts'
import { conversionTo } from '../origin/http/chain-secured.ts'
import {
  AccountHolder,
  type Grant,
  KEY_TAKEN,
  KEY_TAKER_CID,
  takeKey,
  type Wallet as HeldWallet,
} from './account-holder.ts'
import { type Answer, type OriginProcess, type Origins, startOrigins } from './origins.ts'
import { type Sealed, sealedExecution, sealedHttp } from './sealed-to-origins.ts'
import { keepAsking } from './requests-in-flight.ts'
import { until } from './owner.ts'

// A mirror polls the chain once a second anyway. Several rounds rule out that a reader sees each write by chance.
const SEEN_ROUNDS = 6
const REVOCATION_ROUNDS = 20

describe('two origin processes, one from the sources and one from a bundle', () => {
  let world: Origins
  let a: OriginProcess
  let b: OriginProcess
  let holder: AccountHolder
  let wallet: HeldWallet
  beforeAll(async () => {
    world = await startOrigins(2, { fromSources: 1 })
    a = world.origins[0]!
    b = world.origins[1]!
    holder = await AccountHolder.open(a)
    wallet = await holder.wallet(b)
  })
  afterAll(() => world?.close())
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(world.lines.slice(-40).join('\n'))
  })

  /** Writes at one process and reads at the other, alternating. */
  const inTurn = async (
    rounds: number,
    act: (writer: OriginProcess, reader: OriginProcess, round: number) => Promise<void>,
  ) => {
    for (let round = 0; round < rounds; round++)
      await (round % 2 === 0 ? act(a, b, round) : act(b, a, round))
  }

  it('start together on an empty database, and both can write', async () => {
    const payers = await world.db.query.payers.findMany()
    const holders = new Set(payers.map(({ processId }) => processId))
    expect(holders.size).toBe(2)
    expect(holders).not.toContain(null)
    const groups = await Promise.all([a, b, a, b].map((origin) => holder.group(origin)))
    expect(new Set(groups).size).toBe(4)
  })

  it('publish identical key files, so that each can open what is sealed for the other', async () => {
    for (const name of ['channel-key', 'receipt-key', 'storage-key']) {
      const [one, other] = await Promise.all(
        [a, b].map((origin) => origin.evidence(`${name}.json`)),
      )
      expect(one).toContain('public_key')
      expect(other).toBe(one)
    }
  })

  type Seen = { write: string; act: (w: OriginProcess, r: OriginProcess) => Promise<void> }
  const groupAt = (origin: OriginProcess, id: number) =>
    holder.ok(origin, `get_group?group_id=${id}`)
  const named = (list: { name: string }[]) => list.map(({ name }) => name)

  const writes: Seen[] = [
    {
      write: 'new_account',
      act: async (writer, reader) => {
        const { key } = await AccountHolder.open(writer)
        expect(await reader.ok('account_exists', { key })).toBe(true)
      },
    },
    {
      write: 'create_wallet',
      act: async (writer, reader) => {
        const made = await holder.wallet(writer)
        const listed = await holder.ok(reader, 'list_wallets?page_size=200')
        expect(listed).toContainEqual(expect.objectContaining(made))
        const { key } = await holder.grant(reader, made)
        expect((await takeKey(writer, key, made)).body.response).toBe(KEY_TAKEN)
      },
    },
    {
      write: 'add_group',
      act: async (writer, reader) => {
        const id = await holder.group(writer)
        expect((await groupAt(reader, id)).group_id).toBe(id)
      },
    },
    {
      write: 'update_group',
      act: async (writer, reader) => {
        const grant = await holder.grant(writer, wallet)
        const changes = { group_id: grant.groupId, name: randomUUID(), pkp_ids_permitted: [] }
        await holder.ok(writer, 'update_group', changes)
        const signed = await takeKey(reader, grant.key, wallet)
        expect(signed.body).toContain('are not in the same group')
        expect((await groupAt(reader, grant.groupId)).name).toBe(changes.name)
      },
    },
    {
      write: 'add_pkp_to_group, add_action_to_group and remove_pkp_from_group',
      act: async (writer, reader) => {
        const group_id = await holder.group(writer)
        const key = await holder.usageKey(reader, { execute_in_groups: [group_id] })
        const { pkp_id } = wallet
        await holder.ok(writer, 'add_pkp_to_group', { group_id, pkp_id })
        expect((await groupAt(reader, group_id)).pkp_ids_permitted).toEqual([pkp_id])
        await holder.ok(writer, 'add_action_to_group', { group_id, action_ipfs_cid: KEY_TAKER_CID })
        expect((await takeKey(reader, key, wallet)).body.response).toBe(KEY_TAKEN)
        await holder.ok(writer, 'remove_pkp_from_group', { group_id, pkp_id })
        expect((await takeKey(reader, key, wallet)).status).toBe(500)
      },
    },
    {
      write: 'add_usage_api_key',
      act: async (writer, reader) => {
        const { key } = await holder.grant(writer, wallet)
        expect((await takeKey(reader, key, wallet)).body.response).toBe(KEY_TAKEN)
      },
    },
    {
      write: 'update_usage_api_key',
      act: async (writer, reader) => {
        const { key: usage_api_key, groupId } = await holder.grant(writer, wallet)
        for (const [execute_in_groups, status] of [
          [[], 403],
          [[groupId], 200],
        ] as const) {
          const changes = { usage_api_key, execute_in_groups }
          await holder.ok(writer, 'update_usage_api_key', changes)
          expect((await takeKey(reader, usage_api_key, wallet)).status).toBe(status)
        }
      },
    },
    {
      write: 'add_action, update_action_metadata and delete_action',
      act: async (writer, reader) => {
        const actions = async () => named(await holder.ok(reader, 'list_actions'))
        const [name, renamed] = [randomUUID(), randomUUID()]
        const cid = await actionCid(`// ${randomUUID()}`)
        const hashed_cid = cidHash(cid)
        await holder.ok(writer, 'add_action', { action_ipfs_cid: cid, name })
        expect(await actions()).toContain(name)
        await holder.ok(writer, 'update_action_metadata', { hashed_cid, name: renamed })
        expect(await actions()).toContain(renamed)
        await holder.ok(writer, 'delete_action', { hashed_cid })
        expect(await actions()).not.toContain(renamed)
      },
    },
    {
      write: 'rotate_account_api_key',
      act: async (writer, reader) => {
        const { api_key } = await holder.ok(writer, 'rotate_account_api_key', {})
        holder.key = api_key
        expect(await reader.ok('account_exists', { key: api_key })).toBe(true)
      },
    },
  ]
  it.each(writes)('$write at one is seen by the next request at the other', async ({ act }) => {
    await inTurn(SEEN_ROUNDS, act)
  })

  type Revocation = {
    what: string
    /** Status of an action and of a group read after the revocation. */
    run: 401 | 403
    look: 200 | 401 | 403 | 404
    revoke: (at: OriginProcess, of: AccountHolder, grant: Grant) => Promise<Answer>
  }
  const revocations: Revocation[] = [
    {
      what: 'removed usage key',
      run: 401,
      look: 401,
      revoke: (at, of, { key }) => of.call(at, 'remove_usage_api_key', { usage_api_key: key }),
    },
    {
      what: 'usage key that may execute in no group any more',
      run: 403,
      look: 403,
      revoke: (at, of, { key }) =>
        of.call(at, 'update_usage_api_key', { usage_api_key: key, execute_in_groups: [] }),
    },
    {
      what: 'removed group',
      run: 403,
      look: 404,
      revoke: (at, of, { groupId }) => of.call(at, 'remove_group', { group_id: groupId }),
    },
    {
      what: 'action taken out of its group',
      run: 403,
      look: 200,
      revoke: (at, of, { groupId }) => {
        const hashed_cid = cidHash(KEY_TAKER_CID)
        return of.call(at, 'remove_action_from_group', { group_id: groupId, hashed_cid })
      },
    },
  ]
  it.each(revocations)(
    '$what: stops working at the other process as soon as the revocation is answered',
    async ({ run, look, revoke }) => {
      const grants = await Promise.all(
        Array.from({ length: REVOCATION_ROUNDS }, (_, n) =>
          holder.grant(n % 2 === 0 ? a : b, wallet),
        ),
      )
      await inTurn(REVOCATION_ROUNDS, async (writer, reader, round) => {
        const grant = grants[round]!
        const use = () => takeKey(reader, grant.key, wallet)
        const group = () => reader.call(`get_group?group_id=${grant.groupId}`, { key: grant.key })
        expect((await use()).body.response).toBe(KEY_TAKEN)
        const loads = [keepAsking(2, use), keepAsking(4, group)] as const
        const revoked = await revoke(writer, holder, grant)
        const next = await use()
        const [runs, looks] = [await loads[0].stop(), await loads[1].stop()]
        expectFrom(revoked, [...runs, next], run)
        expectFrom(revoked, looks, look)
      })
    },
  )

  it('rotated account key: stops working at the other process as soon as the rotation is answered', async () => {
    const held = await AccountHolder.open(a)
    await inTurn(REVOCATION_ROUNDS, async (writer, reader) => {
      const { key } = held
      const use = () => reader.call('list_groups', { key })
      expect((await use()).status).toBe(200)
      const load = keepAsking(6, use)
      const rotated = await held.call(writer, 'rotate_account_api_key', {})
      const next = await use()
      expectFrom(rotated, [...(await load.stop()), next], 401)
      held.key = rotated.body.api_key
    })
  })

  it('converted account: its old key runs no action at either process once the conversion is answered', async () => {
    await inTurn(4, async (writer, reader) => {
      const held = await AccountHolder.open(writer)
      const run = (origin: OriginProcess) => () =>
        held.call(origin, 'svc_action', { code: 'const main = () => 1' })
      // Gives each process some of the account's credit.
      for (const origin of [writer, reader]) expect((await run(origin)()).status).toBe(200)
      const loads = [keepAsking(2, run(reader)), keepAsking(1, run(writer))]
      const proof = conversionTo(Wallet.createRandom())
      const converted = await held.call(writer, 'convert_to_chain_secured_account', proof)
      const next = [await run(reader)(), await run(writer)()]
      const runs = (await Promise.all(loads.map((load) => load.stop()))).flat()
      expectFrom(converted, [...runs, ...next], 403)
      const again = await held.call(reader, 'convert_to_chain_secured_account', proof)
      expect([again.status, again.body]).toEqual([409, expect.stringContaining('proof')])
    })
  })

  it('race: one proof sent to both processes for two accounts converts only one of them', async () => {
    await inTurn(4, async (one, other) => {
      const holders = [await AccountHolder.open(one), await AccountHolder.open(other)]
      const proof = conversionTo(Wallet.createRandom())
      const answers = await Promise.all(
        [one, other].map((origin, n) =>
          holders[n]!.call(origin, 'convert_to_chain_secured_account', proof),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    })
  })

  /** Checks that every request sent after the revocation was answered got this status, on whichever connection. */
  function expectFrom(revoked: Answer, answers: Answer[], status: number): void {
    expect(revoked).toMatchObject({ status: 200 })
    const later = answers.filter(({ sentAt }) => sentAt > revoked.answeredAt)
    expect(later.map((answer) => answer.status)).toEqual(later.map(() => status))
    // Some requests came before, so the process was under load.
    expect(answers.length).toBeGreaterThan(later.length)
  }

  it('apply one Idempotency-Key sent to both at once only once, with one response', async () => {
    const before = (await holder.ok(a, 'list_groups')).length
    for (let round = 0; round < 10; round++) {
      const [body, idempotencyKey] = [{ group_name: `once ${round}` }, randomUUID()]
      const ask = (origin: OriginProcess) => holder.call(origin, 'add_group', body, idempotencyKey)
      const answers = await Promise.all([a, b, a, b].map(ask))
      const done = answers.filter(({ status }) => status === 200)
      expect(done.length).toBeGreaterThan(0)
      const [first] = done
      for (const answer of answers) {
        if (answer.status === 200) expect(answer.body).toEqual(first!.body)
        else expect(answer).toMatchObject({ status: 409, body: { error: 'request_in_progress' } })
      }
      for (const origin of [a, b])
        expect(await ask(origin)).toMatchObject({ status: 200, replayed: true, body: first!.body })
      expect(await holder.ok(b, 'list_groups')).toHaveLength(before + round + 1)
    }
  })

  describe('replay: a recorded sealed request', () => {
    const code = 'const main = () => 1'
    const requests: [string, () => Promise<Sealed>][] = [
      [
        'a svc_action that the edge passed on',
        () => sealedHttp(world, { path: '/core/v1/svc_action', key: holder.key, body: { code } }),
      ],
      [
        'a new_account that the edge passed on',
        () => {
          const body = { account_name: 'replayed', account_description: '' }
          return sealedHttp(world, { path: '/core/v1/new_account', body })
        },
      ],
      [
        'an execution that a client sealed',
        () => sealedExecution(world, { api_key: holder.key, code }),
      ],
    ]
    it.each(requests)(
      '%s is rejected by the process that accepted it and by the other',
      async (_, make) => {
        await inTurn(2, async (one, other) => {
          const request = await make()
          const first = await request.sentTo(one)
          expect(['answered', 'ended']).toContain(first.state)
          for (const origin of [one, other, one])
            expect(await request.sentTo(origin)).toMatchObject({
              state: 'refused',
              status: 409,
              error: 'request_replayed',
            })
        })
      },
    )

    it.each(requests)('%s, sent to both at once, is accepted by only one', async (_, make) => {
      const request = await make()
      const answers = await Promise.all([a, b, a, b].map((origin) => request.sentTo(origin)))
      expect(answers.filter(({ state }) => state !== 'refused')).toHaveLength(1)
    })
  })

  it('agree on the rights of a usage key, including those to groups that it created', async () => {
    const key = await holder.usageKey(a, { can_create_groups: true, can_delete_groups: true })
    await inTurn(4, async (one, other) => {
      const body = { group_name: 'by a usage key' }
      const { group_id } = await one.ok('add_group', { key, body })
      // The key may create and delete groups, and has no rights within them.
      expect((await other.call(`get_group?group_id=${group_id}`, { key })).status).toBe(403)
      expect((await other.call('create_wallet', { key, body: {} })).status).toBe(403)
      expect((await other.call('list_groups', { key })).status).toBe(403)
      expect((await other.call('remove_group', { key, body: { group_id } })).status).toBe(200)
      expect((await one.call('remove_group', { key, body: { group_id } })).status).toBe(404)
    })
  })

  it('issue the receipts of one account as one chain per process, under one key', async () => {
    const account = await AccountHolder.open(a)
    const run = { code: 'async function main() { return 1 }' }
    const texts = new Map<OriginProcess, string[]>([
      [a, []],
      [b, []],
    ])
    await inTurn(4, async (origin) => {
      texts.get(origin)!.push((await account.ok(origin, 'svc_action', run)).receipt)
    })
    const keyring = new Keyring(loadRootKey(a.stateDir, 'local'))
    const publicKey = await importReceiptKey(keyring.receiptKey().publicKey)
    const ofEach = await Promise.all(
      [...texts.values()].map((t) => verifyReceiptChain(t, publicKey)),
    )
    for (const receipts of ofEach) expect(receipts.map(({ sequence }) => sequence)).toEqual([1, 2])
    await expect(verifyReceiptChain([...texts.values()].flat(), publicKey)).rejects.toMatchObject({
      flaw: 'other_series',
    })
  })

  it('overdraft: concurrent requests to both spend a few cents only once', async () => {
    const cents = 12
    const poor = await AccountHolder.open(a)
    await openAccount(world.db, cents, poor.hash)
    const run = { code: 'async function main() { return 1 }' }
    // 503 means that one process does not know yet how much credit the other can spare.
    const known = (ask: () => Promise<Answer>) =>
      until(20, 'it is known who has the credit', async () => {
        const answer = await ask()
        return answer.status === 503 ? undefined : answer
      })
    const requests = Array.from({ length: 4 * cents }, (_, n) => {
      const origin = n % 2 === 0 ? a : b
      const isRun = n % 4 < 2
      return known(() =>
        isRun
          ? poor.call(origin, 'svc_action', run)
          : poor.call(origin, 'add_group', { group_name: `group ${n}` }),
      )
    })
    const answers = await Promise.all(requests)
    const served = answers.filter(({ status }) => status === 200)
    const spent = served.reduce((sum, { body }) => sum + (body.charged_cents ?? 1), 0)
    expect(spent).toBe(cents)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]))
    for (const origin of [a, b])
      await until(10, 'both have settled', async () => {
        const { balance_cents, reserved_cents, debt_cents } = await poor.ok(
          origin,
          'billing/balance',
        )
        expect([balance_cents, debt_cents]).toEqual([0, 0])
        return reserved_cents === 0 || undefined
      })
    const groups = served.filter(({ body }) => body.group_id !== undefined)
    expect(await poor.ok(b, 'list_groups')).toHaveLength(groups.length)
    const { revenue, balance, total } = await booksOf(world.db, poor.hash)
    expect({ revenue, balance, total }).toEqual({ revenue: cents, balance: 0, total: 0 })
  })
})
