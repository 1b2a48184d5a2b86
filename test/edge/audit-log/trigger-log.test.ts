import { runInDurableObject } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { entryHash } from '../../../shared/audit-log/entry.ts'
import { userLogHash } from '../../../shared/audit-log/log-of-user.ts'
import { verifyAuditEntries } from '../../../shared/audit-log/verify-entries.ts'
import { TRIGGER_LOG_ENTRIES_MAX } from '../../../shared/limits.ts'
import { BY_OPERATOR } from '../../../edge/audit-log/trigger-change.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../../shared/wire/trigger-log.ts'
import type { ReportBatch } from '../../../edge/reports/report.ts'
import { createTrigger, fire, type Owner, queueOf, someOwner } from '../app.ts'
import { hidden, Person } from '../pages/person.ts'
import { reportsOf } from '../replays/harness.ts'

const read = async (owner: Owner, query = ''): Promise<TriggerLogPage> =>
  (await owner.api(`/api/audit-log${query}`)).json()

/** Waits until the log has this number of entries. @returns them, oldest first */
const entriesOf = (owner: Owner, count: number): Promise<TriggerLogEntry[]> =>
  vi.waitUntil(
    async () => {
      const { entries } = await read(owner, '?order=oldest')
      return entries.length >= count && entries
    },
    { timeout: 15_000, interval: 20 },
  )

const patch = (owner: Owner, id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

let owner: Owner
beforeEach(async () => {
  owner = await someOwner()
})

describe('the log of changes of triggers', () => {
  it('has an entry for each change, with the old and new values', async () => {
    const { id } = await createTrigger(owner, { name: 'first', max_runs_per_minute: 7 })
    await patch(owner, id, { name: 'second', options: { filter: 'true' } })
    await patch(owner, id, { name: 'second' })
    await patch(owner, id, { enabled: false })
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    const entries = await entriesOf(owner, 4)
    expect(entries.map(({ operation }) => operation)).toEqual([
      'create_trigger',
      'change_trigger',
      'change_trigger',
      'delete_trigger',
    ])
    for (const { subject, outcome, account_hash } of entries)
      expect([subject, outcome, account_hash]).toEqual([
        { trigger_id: id },
        'done',
        userLogHash(owner.id),
      ])
    const changes = entries.map(({ details }) => details['changes'] as Record<string, unknown>)
    expect(changes[0]).toMatchObject({
      name: { from: null, to: 'first' },
      kind: { from: null, to: 'webhook' },
      max_runs_per_minute: { from: null, to: '7' },
      usage_api_key: { changed: true },
    })
    expect(changes[1]).toEqual({
      name: { from: 'first', to: 'second' },
      options: { from: '{}', to: '{"filter":"true"}' },
    })
    expect(changes[2]).toEqual({ enabled: { from: 'true', to: 'false' } })
    expect(changes[3]).toMatchObject({ name: { from: 'second', to: null } })
  })

  it('names the token, and the address of the client', async () => {
    await createTrigger(owner)
    const [entry] = await entriesOf(owner, 1)
    expect(entry).toMatchObject({
      actor: { kind: 'agent_token' },
      client_address: '127.0.0.1',
      request_id: null,
    })
  })

  it('distinguishes changes on pages from changes by tokens', async () => {
    const person = await Person.signedIn()
    const { id } = await createTrigger(person.owner)
    const page = await person.get('/triggers')
    const csrf = hidden(page, 'csrf', `/triggers/${id}/disable`)
    expect((await person.post(`/triggers/${id}/disable`, { csrf })).status).toBe(303)
    const entries = await entriesOf(person.owner, 2)
    expect(entries.map(({ actor }) => actor.kind)).toEqual(['agent_token', 'session'])
  })

  it('STOLEN LOG: contains no usage key, webhook secret, default params or source', async () => {
    const { id } = await createTrigger(owner, {
      usage_api_key: 'the-usage-key',
      webhook_secret: 'the-webhook-secret',
      options: { source: 'github' },
      default_params: { token: 'the-params' },
    })
    await patch(owner, id, {
      usage_api_key: 'the-next-usage-key',
      webhook_secret: 'the-next-secret',
      default_params: { token: 'the-next-params' },
    })
    const entries = await entriesOf(owner, 2)
    expect(entries[1]!.details['changes']).toEqual({
      usage_api_key: { changed: true },
      webhook_secret: { changed: true },
      default_params: { changed: true },
    })
    const text = JSON.stringify(entries)
    for (const secret of ['the-usage', 'the-webhook', 'the-params', 'the-next', 'steps'])
      expect(text).not.toContain(secret)
  })

  it('REWRITTEN LOG: entries form a hash chain that ends at the head', async () => {
    const { id } = await createTrigger(owner)
    for (const name of ['a', 'b', 'c']) await patch(owner, id, { name })
    const entries = await entriesOf(owner, 4)
    const { head } = await read(owner)
    expect(verifyAuditEntries(entries)).toEqual({
      account_hash: userLogHash(owner.id),
      ...head,
    })
    const changed = entries.with(1, { ...entries[1]!, at: '2020-01-01T00:00:00.000Z' })
    expect(() => verifyAuditEntries(changed)).toThrow('does not match its hash')
    const repaired = changed.with(1, { ...changed[1]!, sha256: entryHash(changed[1]!) })
    expect(() => verifyAuditEntries(repaired)).toThrow('follows a different entry')
    expect(() => verifyAuditEntries(entries.toSpliced(2, 1))).toThrow('missing')
    const details = { ...entries[3]!.details, name: 'other' }
    expect(() => verifyAuditEntries(entries.with(3, { ...entries[3]!, details }))).toThrow(
      'its details were changed',
    )
  })

  it('IDOR: contains no changes of other users', async () => {
    await createTrigger(owner)
    await entriesOf(owner, 1)
    const other = await someOwner()
    expect(await read(other)).toEqual({ entries: [], head: { sequence: 0, sha256: null } })
  })

  it('logs a report once, even if it arrives again', async () => {
    const batch: ReportBatch = {
      triggerId: 'a'.repeat(32),
      epoch: 1,
      name: 'a',
      reports: [
        {
          number: 1,
          report: {
            kind: 'trigger_changed',
            operation: 'change_trigger',
            at: 1,
            details: { name: 'a', changes: {} },
            ...BY_OPERATOR,
          },
        },
      ],
    }
    await reportsOf(owner).report(batch)
    await reportsOf(owner).report(batch)
    expect((await read(owner)).head.sequence).toBe(1)
  })

  it('keeps the latest entries, which still form a chain', async () => {
    const { id } = await createTrigger(owner)
    await entriesOf(owner, 1)
    await runInDurableObject(reportsOf(owner), (_, { storage }) =>
      storage.sql.exec('UPDATE trigger_log SET sequence = ?', TRIGGER_LOG_ENTRIES_MAX),
    )
    for (const name of ['a', 'b']) await patch(owner, id, { name })
    await vi.waitUntil(
      async () => (await read(owner)).head.sequence === TRIGGER_LOG_ENTRIES_MAX + 2,
      { timeout: 15_000, interval: 20 },
    )
    await runInDurableObject(reportsOf(owner), (_, { storage }) =>
      storage.sql.exec(
        'UPDATE trigger_log SET sequence = 2 WHERE sequence = ?',
        TRIGGER_LOG_ENTRIES_MAX,
      ),
    )
    await patch(owner, id, { name: 'c' })
    const kept = await vi.waitUntil(
      async () => {
        const page = await read(owner, '?order=oldest')
        return page.head.sequence === TRIGGER_LOG_ENTRIES_MAX + 3 && page.entries
      },
      { timeout: 15_000, interval: 20 },
    )
    expect(kept.map(({ sequence }) => sequence - TRIGGER_LOG_ENTRIES_MAX)).toEqual([1, 2, 3])
    verifyAuditEntries(kept)
  })

  it('returns pages in both orders', async () => {
    const { id } = await createTrigger(owner)
    for (const name of ['a', 'b']) await patch(owner, id, { name })
    await entriesOf(owner, 3)
    const sequences = async (query: string) =>
      (await read(owner, query)).entries.map(({ sequence }) => sequence)
    expect(await sequences('')).toEqual([3, 2, 1])
    expect(await sequences('?page_size=2')).toEqual([3, 2])
    expect(await sequences('?page_size=2&page_number=1')).toEqual([1])
    expect(await sequences('?order=oldest&page_size=2')).toEqual([1, 2])
    expect((await owner.api('/api/audit-log?page_size=0')).status).toBe(422)
  })

  it('returns only matching entries, and pages of them', async () => {
    const [first, second] = [await createTrigger(owner), await createTrigger(owner)]
    for (const name of ['a', 'b', 'c']) await patch(owner, first.id, { name })
    await entriesOf(owner, 5)
    const found = async (query: string) =>
      (await read(owner, query)).entries.map(({ subject, operation }) => [
        subject.trigger_id === first.id ? 'first' : 'second',
        operation,
      ])
    expect(await found(`?trigger_id=${second.id}`)).toEqual([['second', 'create_trigger']])
    expect(await found('?operation=create_trigger')).toHaveLength(2)
    expect(await found('?operation=change_trigger&page_size=2&page_number=1')).toHaveLength(1)
    expect(await found(`?trigger_id=${first.id}&actor=agent_token`)).toHaveLength(4)
    expect(await found('?actor=session')).toEqual([])
    for (const query of ['trigger_id=x', 'operation=x', 'actor=%00'])
      expect([query, (await owner.api(`/api/audit-log?${query}`)).status]).toEqual([query, 422])
  })

  it('is erased with the user', async () => {
    await createTrigger(owner)
    await entriesOf(owner, 1)
    await reportsOf(owner).erase()
    expect((await read(owner)).entries).toEqual([])
  })

  it('adds nothing to the path of a webhook', async () => {
    const { id } = await createTrigger(owner)
    await entriesOf(owner, 1)
    await fire(id)
    const pending = await runInDurableObject(queueOf(id), (_, { storage }) =>
      storage.sql.exec('SELECT * FROM reports').toArray(),
    )
    expect(pending).toEqual([])
    expect((await read(owner)).head.sequence).toBe(1)
  })
})
