/** The audit log of an account, through the API. */
import { randomUUID } from 'node:crypto'
import { asc, eq, sql } from 'drizzle-orm'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry, AuditLogPage } from '../../../shared/audit-log/entry.ts'
import { clientAddressHash } from '../../../shared/audit-log/entry.ts'
import { readAuditHead } from '../../../shared/audit-log/head.ts'
import {
  InvalidAuditLogError,
  requireAuditHead,
  verifyAuditEntries,
} from '../../../shared/audit-log/verify-entries.ts'
import { importReceiptKey } from '../../../shared/client/verification/receipt-key.ts'
import type { Account } from '../../../origin/accounts/account.ts'
import { appendEntry } from '../../../origin/audit-log/append-entry.ts'
import { auditEntries } from '../../../origin/db/schema.ts'
import { eraseAccountEmail } from '../../../origin/operator/account-actions.ts'
import { conversionTo, convert } from '../http/chain-secured.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import { walletAuth } from '../http/signed-request.ts'

const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const page = async (key: string, query = ''): Promise<AuditLogPage> => {
  const { status, body } = await origin.core(`audit_log${query}`, { key })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
const log = async (key: string) => (await page(key, '?order=oldest')).entries
const last = async (key: string) => (await page(key, '?page_size=1')).entries[0]!
const operations = (entries: readonly AuditEntry[]) => entries.map(({ operation }) => operation)

describe('the audit log', () => {
  it('has an entry for each change, in order, that verifies', async () => {
    const key = await origin.account()
    const hash = origin.hashOf(key)
    const group = await origin.group(key, {})
    const wallet = await origin.wallet(key)
    await origin.core('add_pkp_to_group', {
      key,
      body: { group_id: group, pkp_id: wallet.pkp_id },
    })
    await origin.core('add_action_to_group', {
      key,
      body: { group_id: group, action_ipfs_cid: CID, name: 'a' },
    })
    const usage = await origin.usageKey(key, {
      execute_in_groups: [group],
      spend_cap_cents: 5,
      spend_window_seconds: 60,
    })
    await origin.core('remove_usage_api_key', { key, body: { usage_api_key: usage } })
    await origin.core('remove_group', { key, body: { group_id: group } })
    // The removal of the cap follows the response.
    await expect
      .poll(async () => operations(await log(key)).filter((one) => one === 'set_spend_cap').length)
      .toBe(2)
    const entries = await log(key)
    expect(operations(entries).filter((one) => one !== 'set_spend_cap')).toEqual([
      'new_account',
      'add_group',
      'create_wallet',
      'add_pkp_to_group',
      'add_action_to_group',
      'add_usage_api_key',
      'remove_usage_api_key',
      'remove_group',
    ])
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, n) => n + 1))
    expect(verifyAuditEntries(entries)).toMatchObject({ account_hash: hash })
    for (const { actor, outcome } of entries)
      expect([actor, outcome]).toEqual([{ kind: 'account_key', id: hash.slice(0, 18) }, 'done'])
    const added = entries.find(({ operation }) => operation === 'add_usage_api_key')!
    expect(added.subject).toEqual({ usage_api_key_hash: origin.hashOf(usage) })
    expect(added.details).toMatchObject({
      events: [{ event: 'usage_api_key_set', name: 'usage', execute_in_groups: [group] }],
    })
  })

  it('names the usage key that made a change, and the request', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, { can_create_groups: true })
    const { headers } = await origin.core('add_group', { key: usage, body: { group_name: 'g' } })
    expect(await last(key)).toMatchObject({
      operation: 'add_group',
      actor: { kind: 'usage_key', id: origin.hashOf(usage).slice(0, 18) },
      subject: { group_id: 1 },
      request_id: headers.get('x-request-id'),
    })
  })

  it('never contains a key', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {})
    const { body } = await origin.core('rotate_account_api_key', { key, method: 'POST' })
    const rows = await origin.database.db.select().from(auditEntries)
    const writes = await origin.database.db.execute(sql`select audit::text from chain_writes`)
    const text = JSON.stringify([rows, writes])
    for (const secret of [key, usage, body.api_key]) expect(text).not.toContain(secret)
    expect(operations(await log(body.api_key)).at(-1)).toBe('rotate_account_api_key')
  })

  it('has one entry for a request that is repeated with its Idempotency-Key', async () => {
    const key = await origin.account()
    const headers = { 'idempotency-key': 'same' }
    const body = { group_name: 'g' }
    await origin.core('add_group', { key, body, headers })
    await origin.core('add_group', { key, body, headers })
    expect(operations(await log(key))).toEqual(['new_account', 'add_group'])
  })

  it('has the cap of a usage key, and no entry for an execution', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {})
    await origin.core('update_usage_api_key', {
      key,
      body: { usage_api_key: usage, spend_cap_cents: 7, spend_window_seconds: 60 },
    })
    expect(await last(key)).toMatchObject({
      operation: 'set_spend_cap',
      subject: { usage_api_key_hash: origin.hashOf(usage) },
      details: { spend_cap_cents: 7, spend_window_seconds: 60 },
    })
    const { sequence } = await last(key)
    const run = await origin.run(key, 'async function main() { return 1 }')
    expect(run.status).toBe(200)
    expect((await last(key)).sequence).toBe(sequence)
  })

  it('has the defaults of transactions', async () => {
    const key = await origin.account()
    await origin.core('set_transaction_defaults', {
      key,
      body: { chain: 'ethereum', max_fee_per_gas: '7' },
    })
    expect(await last(key)).toMatchObject({
      operation: 'set_transaction_defaults',
      details: { chain_id: 31_337, max_fee_per_gas: '7', low_balance: null },
    })
  })

  it('has the conversion of the account, and is then read by the admin wallet', async () => {
    const key = await origin.account()
    const admin = Wallet.createRandom()
    expect((await convert(origin, key, conversionTo(admin))).status).toBe(200)
    const rows = await origin.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.accountHash, origin.hashOf(key)))
      .orderBy(asc(auditEntries.sequence))
    expect(rows.map(({ operation }) => operation)).toEqual([
      'new_account',
      'convert_to_chain_secured_account',
    ])
    expect((await origin.core('audit_log', { key })).status).toBe(403)
    const headers = await walletAuth(admin, origin)
    const read = await origin.core('audit_log', { headers })
    expect(read.body.head.sequence).toBeGreaterThanOrEqual(2)
  })
})

describe('pages of the audit log', () => {
  let key: string
  beforeAll(async () => {
    key = await origin.account()
    for (const name of ['a', 'b', 'c', 'd']) await origin.group(key, { name })
  })
  const sequences = async (query: string) =>
    (await page(key, query)).entries.map(({ sequence }) => sequence)

  it.each([
    ['', [5, 4, 3, 2, 1]],
    ['?page_size=2', [5, 4]],
    ['?page_size=2&page_number=2', [1]],
    ['?page_size=2&page_number=3', []],
    ['?order=oldest&page_size=2', [1, 2]],
    ['?order=oldest&page_size=2&page_number=2', [5]],
    ['?order=oldest&page_size=2&page_number=999999999', []],
    ['?order=newest&page_size=200&page_number=999999999', []],
  ])('with %j have the entries %j', async (query, expected) => {
    expect(await sequences(query)).toEqual(expected)
  })

  it.each([
    'page_size=0',
    'page_size=201',
    'page_size=',
    'page_number=-1',
    'page_number=1e2',
    'order=up',
    'order=%00',
    'page_number=%00',
    'page_size=1%00',
  ])('are refused with 400 for %s', async (query) => {
    expect((await origin.core(`audit_log?${query}`, { key })).status).toBe(400)
  })

  it('come with a head that the receipt key has signed', async () => {
    const { head, entries } = await page(key)
    const receiptKey = await importReceiptKey(origin.services.keyring.receiptKey().publicKey)
    const signed = await readAuditHead(head.statement, receiptKey)
    expect(signed).toMatchObject({
      account_hash: origin.hashOf(key),
      sequence: 5,
      entry_sha256: entries[0]!.sha256,
    })
    const other = await importReceiptKey(origin.services.keyring.storageKey().publicKey)
    await expect(readAuditHead(head.statement, other)).rejects.toThrow('kid')
  })
})

describe('attacks on the audit log', () => {
  it('IDOR: no key reads the log of another account, whatever the query names', async () => {
    const [mine, other] = [await origin.account(), await origin.account()]
    const query = `?account_hash=${origin.hashOf(other)}&accountHash=${origin.hashOf(other)}`
    for (const { account_hash } of (await page(mine, query)).entries)
      expect(account_hash).toBe(origin.hashOf(mine))
  })

  it('privilege escalation: a usage key with every other right cannot read the log', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {
      can_create_groups: true,
      can_delete_groups: true,
      can_create_pkps: true,
      manage_ipfs_ids_in_groups: [0],
      add_pkp_to_groups: [0],
      remove_pkp_from_groups: [0],
      execute_in_groups: [0],
    })
    expect((await origin.core('audit_log', { key: usage })).status).toBe(403)
    expect((await origin.core('audit_log', {})).status).toBe(401)
    await expect
      .poll(async () => (await last(key)).operation, { timeout: 10_000 })
      .toBe('audit_log')
    expect(await last(key)).toMatchObject({
      outcome: 'refused',
      actor: { kind: 'usage_key', id: origin.hashOf(usage).slice(0, 18) },
      details: { code: 'not_master_account' },
    })
  })

  it('log flooding: repeated refused attempts of a key add one entry', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, {})
    const before = (await last(key)).sequence
    for (let n = 0; n < 30; n++)
      await origin.core('add_group', { key: usage, body: { group_name: `g${n}` } })
    await expect.poll(async () => (await last(key)).outcome, { timeout: 10_000 }).toBe('refused')
    expect((await last(key)).sequence).toBe(before + 1)
  })

  it('tampering: a changed, removed, inserted or reordered entry does not verify', async () => {
    const key = await origin.account()
    for (const name of ['a', 'b', 'c']) await origin.group(key, { name })
    const entries = await log(key)
    const { head } = await page(key)
    const account_hash = origin.hashOf(key)
    const flawOf = (changed: AuditEntry[]) => {
      try {
        const end = verifyAuditEntries(changed, { account_hash, sequence: 0, sha256: null })
        const position = { account_hash, sequence: head.sequence, sha256: head.sha256 }
        requireAuditHead(position, changed, end)
      } catch (error) {
        if (error instanceof InvalidAuditLogError) return error.flaw
        throw error
      }
      return 'none'
    }
    const [a, b, c, d] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    expect(flawOf(entries)).toBe('none')
    expect(flawOf([a, { ...b, operation: 'remove_group' }, c, d])).toBe('entry_changed')
    expect(flawOf([a, { ...b, details: {} }, c, d])).toBe('details_changed')
    expect(flawOf([a, { ...b, client_address: '192.0.2.1' }, c, d])).toBe('client_address_changed')
    expect(flawOf([a, c, d])).toBe('gap')
    expect(flawOf([b, c, d])).toBe('gap')
    expect(flawOf([a, c, b, d])).toBe('gap')
    expect(flawOf([a, b, c])).toBe('truncated')
    expect(flawOf([a, b, { ...c, previous_sha256: a.sha256 }, d])).toBe('entry_changed')
  })

  it('rewriting history: the database refuses to change or delete entries', async () => {
    const key = await origin.account()
    const { db } = origin.database
    const own = eq(auditEntries.accountHash, origin.hashOf(key))
    const refused = { cause: expect.objectContaining({ message: 'audit_entries is append-only' }) }
    await expect(db.delete(auditEntries).where(own)).rejects.toMatchObject(refused)
    await expect(
      db.update(auditEntries).set({ operation: 'other' }).where(own),
    ).rejects.toMatchObject(refused)
    await expect(
      db
        .update(auditEntries)
        .set({ clientAddress: Buffer.from('x') })
        .where(own),
    ).rejects.toMatchObject(refused)
  })
})

describe('client addresses', () => {
  const from = async (key: string, address: string) => {
    const { app } = origin
    const sender = { incoming: { socket: { remoteAddress: address } } }
    const request = new Request('http://origin/core/v1/add_group', {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ group_name: 'g' }),
    })
    expect((await app.fetch(request, sender)).status).toBe(200)
  }

  it('are shown to the account, and encrypted at rest', async () => {
    const key = await origin.account()
    await from(key, '203.0.113.77')
    const entry = await last(key)
    expect(entry.client_address).toBe('203.0.113.77')
    expect(entry.client_address_sha256).toBe(
      clientAddressHash(entry.client_address_salt!, '203.0.113.77'),
    )
    const rows = await origin.database.db.execute(
      sql`select entry::text || details::text || encode(client_address, 'escape') as text from audit_entries where account_hash = ${origin.hashOf(key)} and client_address is not null`,
    )
    expect(JSON.stringify(rows)).not.toContain('203.0.113.77')
  })

  it.each([
    ['has been logged', ['group_set', 'b'], 3],
    ['has not been logged, although an earlier one was', ['group_set', 'c'], Infinity],
  ])('of a former owner are hidden if the transfer %s', async (_, [first, owner], visibleFrom) => {
    const key = await origin.account()
    const { auditLog, mirror } = origin.services
    const account = mirror.current().account(origin.hashOf(key))!
    const context = (operation: string) =>
      auditLog.contextOf({
        accountHash: account.hash,
        operation,
        actor: { kind: 'wallet', id: null },
        requestId: randomUUID(),
        clientAddress: '203.0.113.79',
      })
    const append = (operation: string, events: object[]) =>
      appendEntry(
        origin.database.db,
        {
          context: context(operation),
          sourceId: randomUUID(),
          outcome: 'done',
          subject: {},
          details: { events },
        },
        new Date(),
      )
    const transfer = { event: 'chain_secured_account_ownership_transferred' }
    await append(transfer.event, [{ ...transfer, admin_wallet: 'A' }])
    // A contract wallet changes a group and transfers the account in one transaction.
    await append(first!, [{ event: first }, { ...transfer, admin_wallet: 'B' }])
    await append('group_set', [{ event: 'group_set' }])
    const hashes = new Map(['A', 'B'].map((wallet) => [wallet, { wallet, revoked: false }]))
    const transferred = { ...account, adminWallet: owner!, hashes } as unknown as Account
    const { entries } = await auditLog.page(transferred, { order: 'oldest', offset: 0, limit: 9 })
    for (const { sequence, client_address: address } of entries)
      expect([sequence, address !== null]).toEqual([sequence, sequence >= visibleFrom])
  })

  it('can be erased without invalidating the chain', async () => {
    const key = await origin.account()
    await from(key, '203.0.113.78')
    const accountHash = origin.hashOf(key)
    const action = { id: `erase ${accountHash}`, operator: 'o', reason: 'r', accountHash }
    await eraseAccountEmail(origin.database.db, action, new Date())
    const entries = await log(key)
    expect(entries.map(({ client_address: address }) => address)).toEqual([null, null, null])
    expect(entries.at(-1)).toMatchObject({
      operation: 'operator/erase_account_email',
      actor: { kind: 'operator', id: null },
    })
    expect(verifyAuditEntries(entries)?.sequence).toBe(3)
  })
})
