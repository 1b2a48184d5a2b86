import { randomUUID } from 'node:crypto'
import { isNull, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { type AccountsWriter, ContractRevertError } from '../../../origin/accounts/writer.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { keptAnswers } from '../../../origin/db/schema.ts'
import { IdempotencyStore } from '../../../origin/idempotency/idempotency-store.ts'
import { IDEMPOTENT_RESPONSE_RETENTION_MS } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const under = (id: string) => ({ 'idempotency-key': id })
const ROLL = 'async function main() { return String(Math.random()) }'
const SLOW = `async function main() {
  await new Promise((resume) => setTimeout(resume, 400))
  return String(Math.random())
}`
const groupsOf = async (account: string) =>
  (await origin.core('list_groups', { key: account })).body.map(({ name }: any) => name)
const balanceOf = async (account: string) =>
  (await origin.core('billing/balance', { key: account })).body.balance_cents

describe('a request repeated under its Idempotency-Key', () => {
  it('gets the first response again, writes once and is charged once', async () => {
    const account = await origin.account()
    const before = await balanceOf(account)
    const request = { key: account, headers: under(randomUUID()), body: { group_name: 'one' } }
    const first = await origin.core('add_group', request)
    const again = await origin.core('add_group', request)
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('content-type')).toBe('application/json')
    expect(await groupsOf(account)).toEqual(['one'])
    expect(before - (await balanceOf(account))).toBe(1)
  })

  it('gets its response even if the credit has been used up since', async () => {
    const poor = await origin.poor(1)
    const request = { key: poor, headers: under(randomUUID()), body: { group_name: 'g' } }
    const first = await origin.core('add_group', request)
    expect(first.status).toBe(200)
    expect((await origin.core('add_group', { key: poor, body: { group_name: 'h' } })).status).toBe(
      402,
    )
    expect((await origin.core('add_group', request)).body).toEqual(first.body)
  })

  it('does not run an action again, even if it failed', async () => {
    const run = { key, headers: under(randomUUID()), body: { code: ROLL } }
    const [first, again] = [
      await origin.core('svc_action', run),
      await origin.core('svc_action', run),
    ]
    expect(first.status).toBe(200)
    expect(again.body).toEqual(first.body)
    const code = 'async function main() { throw new Error(String(Math.random())) }'
    const failing = { key, headers: under(randomUUID()), body: { code } }
    const failed = await origin.core('svc_action', failing)
    const repeated = await origin.core('svc_action', failing)
    expect([failed.status, repeated.status, repeated.body]).toEqual([500, 500, failed.body])
    expect(repeated.headers.get('x-svc-error')).toBe('action_threw')
  })

  it('is 422 with another body', async () => {
    const headers = under(randomUUID())
    await origin.core('add_group', { key, headers, body: { group_name: 'a' } })
    const other = await origin.core('add_group', { key, headers, body: { group_name: 'b' } })
    expect([other.status, other.body.error]).toEqual([422, 'unprocessable_entity'])
    expect(other.body.message).toContain('Idempotency-Key')
    expect(await groupsOf(key)).not.toContain('b')
  })

  it('is 409 while the first is in flight, and then gets its response', async () => {
    const request = { key, headers: under(randomUUID()), body: { code: SLOW } }
    const running = origin.core('svc_action', request)
    await new Promise((resume) => setTimeout(resume, 100))
    const early = await origin.core('svc_action', request)
    expect([early.status, early.body.error]).toEqual([409, 'request_in_progress'])
    expect(early.headers.get('retry-after')).toBe('1')
    const first = await running
    expect((await origin.core('svc_action', request)).body).toEqual(first.body)
  })

  it('twenty times at once writes once', async () => {
    const account = await origin.account()
    const request = { key: account, headers: under(randomUUID()), body: { group_name: 'once' } }
    const all = await Promise.all(
      Array.from({ length: 20 }, () => origin.core('add_group', request)),
    )
    expect(all.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    expect(all.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(await groupsOf(account)).toEqual(['once'])
  })

  it('is executed again after a day', async () => {
    const request = { key, headers: under(randomUUID()), body: { code: ROLL } }
    const first = await origin.core('svc_action', request)
    const later = await dayLater(async () => origin.core('svc_action', request))
    expect(later.status).toBe(200)
    expect(later.body.response).not.toBe(first.body.response)
  })
})

/** Runs `act` a day later, after the mirror has polled the chain. */
async function dayLater<Result>(act: () => Promise<Result>): Promise<Result> {
  origin.clock.aheadMs += IDEMPOTENT_RESPONSE_RETENTION_MS + 1_000
  for (let tried = 0; tried < 100; tried++) {
    if ((await origin.call('/health')).status === 200) break
    await new Promise((resume) => setTimeout(resume, 50))
  }
  return act()
}

describe('an Idempotency-Key', () => {
  it('has no effect on another key, account or operation', async () => {
    const other = await origin.account()
    const headers = under(randomUUID())
    const usage = await origin.usageKey(key, { can_create_pkps: true })
    const wallets = [
      await origin.core('create_wallet', { key, headers, body: {} }),
      await origin.core('create_wallet', { key: other, headers, body: {} }),
      await origin.core('create_wallet', { key: usage, headers, body: {} }),
    ]
    expect(wallets.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(wallets.map(({ body }) => body.pkp_id)).size).toBe(3)
    const group = await origin.core('add_group', { key, headers, body: { group_name: 'g' } })
    expect(group.status).toBe(200)
  })

  it.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['that is not ASCII', 'clé'],
  ])('that is %s is 400', async (_what, id) => {
    const answer = await origin.core('add_group', {
      key,
      headers: under(id),
      body: { group_name: 'g' },
    })
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request'])
    expect(answer.body.message).toContain('Idempotency-Key')
  })

  it('of 255 characters, with spaces and symbols, is accepted', async () => {
    const headers = under(`a "b" ~ ${'x'.repeat(247)}`)
    const request = { key, headers, body: { code: ROLL } }
    const first = await origin.core('svc_action', request)
    expect((await origin.core('svc_action', request)).body).toEqual(first.body)
  })

  it('is ignored by new_account and by reads', async () => {
    const headers = under('same')
    const body = { account_name: 'a', account_description: '' }
    const open = async () => (await origin.core('new_account', { headers, body })).body.api_key
    expect(await open()).not.toBe(await open())
    const read = await origin.core('list_groups', { key, headers: under('x'.repeat(300)) })
    expect(read.status).toBe(200)
  })
})

describe('a request that was rejected before it was executed', () => {
  it('is not stored: the same Idempotency-Key works with another body', async () => {
    const headers = under(randomUUID())
    const send = (body: object) => origin.core('add_pkp_to_group', { key, headers, body })
    const { pkp_id } = await origin.wallet(key)
    expect((await send({ group_id: 999_999, pkp_id })).status).toBe(404)
    expect((await send({ group_id: 'x', pkp_id })).status).toBe(400)
    expect((await send({ pkp_id })).status).toBe(422)
    const group = await origin.group(key, {})
    expect((await send({ group_id: group, pkp_id })).status).toBe(200)
  })

  it('is not stored after 402 or 403', async () => {
    const headers = under(randomUUID())
    const poor = await origin.poor(0)
    const create = { key: poor, headers, body: { name: 'w' } }
    expect((await origin.core('create_wallet', create)).status).toBe(402)
    const usage = await origin.usageKey(key, {})
    const run = { key: usage, headers, body: { code: ROLL } }
    expect((await origin.core('svc_action', run)).status).toBe(403)
    const rows = await origin.database.db
      .select()
      .from(keptAnswers)
      .where(isNull(keptAnswers.answer))
    expect(rows).toEqual([])
  })
})

describe('a response that shows a key', () => {
  it('is returned once: the repeat is 409 and names the key’s hash', async () => {
    const request = { key, headers: under(randomUUID()), body: { name: 'k' } }
    const first = await origin.core('add_usage_api_key', request)
    const again = await origin.core('add_usage_api_key', request)
    expect([again.status, again.body.error]).toEqual([409, 'key_shown_before'])
    expect(again.body.message).toContain(first.body.usage_api_key_hash)
    expect(JSON.stringify(again.body)).not.toContain(first.body.usage_api_key)
  })
})

describe('a write with an unknown outcome', () => {
  /** An app that gets no receipts for its writes. */
  const deafApp = () => {
    const { writer } = origin.services
    const write: AccountsWriter['write'] = async (...call) => {
      await writer.write(...call)
      throw new ContractUnavailableError('the transaction is not in a block yet')
    }
    return createOriginApp({ ...origin.services, writer: { write } as AccountsWriter })
  }

  it('is joined by its repeat: one group, with its ID', async () => {
    const account = await origin.account()
    const request = { key: account, headers: under(randomUUID()), body: { group_name: 'one' } }
    expect((await origin.core('add_group', { ...request, app: deafApp() })).status).toBe(503)
    const again = await origin.core('add_group', request)
    expect([again.status, again.body.group_id]).toEqual([200, 1])
    expect(await groupsOf(account)).toEqual(['one'])
  })

  it('is not written twice if a repeat of it was rejected in between', async () => {
    const account = await origin.account()
    const request = { key: account, headers: under(randomUUID()), body: { group_name: 'one' } }
    await origin.core('add_group', { ...request, app: deafApp() })
    const refusing = origin.appThatCannotWrite(new ContractRevertError('InvalidRequest'))
    expect((await origin.core('add_group', { ...request, app: refusing })).status).toBe(400)
    expect((await origin.core('add_group', request)).body.group_id).toBe(1)
    expect(await groupsOf(account)).toEqual(['one'])
  })

  it('that created a key reports its hash, and shows no key that is not in the account', async () => {
    const request = { key, headers: under(randomUUID()), body: { name: 'lost' } }
    await origin.core('add_usage_api_key', { ...request, app: deafApp() })
    const again = await origin.core('add_usage_api_key', request)
    expect([again.status, again.body.error]).toEqual([409, 'key_shown_before'])
    const listed = (await origin.core('list_api_keys', { key })).body
    const hashes = listed.filter(({ name }: any) => name === 'lost').map(({ id }: any) => id)
    expect(hashes).toHaveLength(1)
    expect(again.body.message).toContain(hashes[0])
  })
})

describe('after a crash', () => {
  /** The app of another process on the same database. It has no heartbeat, so further processes take it for dead. */
  const anotherProcess = (services: Partial<TestOrigin['services']> = {}) => {
    const { db } = origin.database
    const { keyring, now } = origin.services
    const keys = keyring.idempotencyKeys()
    const storedResponses = new IdempotencyStore({ db, processId: randomUUID(), keys, now })
    return createOriginApp({ ...origin.services, storedResponses, ...services })
  }

  it('an action that had started is not run again: 409 outcome_unknown', async () => {
    const never = new Promise<never>(() => {})
    const executions = { run: () => never } as unknown as TestOrigin['services']['executions']
    const dying = anotherProcess({ executions })
    const request = { key, headers: under(randomUUID()), body: { code: ROLL } }
    void origin.core('svc_action', { ...request, app: dying })
    await new Promise((resume) => setTimeout(resume, 100))
    for (let repeat = 0; repeat < 2; repeat++) {
      const answer = await origin.core('svc_action', { ...request, app: anotherProcess() })
      expect([answer.status, answer.body.error]).toEqual([409, 'outcome_unknown'])
    }
  })

  it('a write that was sent is joined: one group, with its ID', async () => {
    const account = await origin.account()
    const { writer } = origin.services
    const written = Promise.withResolvers<void>()
    const write: AccountsWriter['write'] = async (...call) => {
      await writer.write(...call)
      written.resolve()
      return new Promise<never>(() => {})
    }
    const dying = anotherProcess({ writer: { write } as AccountsWriter })
    const request = { key: account, headers: under(randomUUID()), body: { group_name: 'one' } }
    void origin.core('add_group', { ...request, app: dying })
    await written.promise
    const answer = await origin.core('add_group', { ...request, app: anotherProcess() })
    expect([answer.status, answer.body.group_id]).toEqual([200, 1])
    expect(await groupsOf(account)).toEqual(['one'])
  })
})

describe('an attacker who has the database', () => {
  it('reads no keys, bodies, responses or accounts from the stored responses', async () => {
    const { db } = origin.database
    await db.execute(sql`delete from kept_answers`)
    const id = `id-${randomUUID()}`
    const body = { code: 'async function main() { return "the-answer" }', js_params: { a: 'b' } }
    await origin.core('svc_action', { key, headers: under(id), body })
    const rows = await db.select().from(keptAnswers)
    expect(rows).toHaveLength(1)
    const bytes = rows.map(({ bodyHash, answer }) => [bodyHash, answer ?? bodyHash])
    const texts = bytes.flat().map((column) => Buffer.from(column).toString('latin1'))
    const dump = JSON.stringify([rows, texts])
    for (const secret of [id, 'the-answer', 'main', key, origin.hashOf(key), 'svc_action'])
      expect(dump).not.toContain(secret)
  })

  it('cannot put the response of one request into the row of another', async () => {
    const { db } = origin.database
    const one = { key, headers: under(randomUUID()), body: { code: ROLL } }
    const two = { key, headers: under(randomUUID()), body: { code: ROLL } }
    await db.execute(sql`delete from kept_answers`)
    await origin.core('svc_action', one)
    await origin.core('svc_action', two)
    await db.execute(sql`update kept_answers set answer = (select min(answer) from kept_answers)`)
    const answers = [await origin.core('svc_action', one), await origin.core('svc_action', two)]
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  })
})
