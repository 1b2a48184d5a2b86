import { describe, expect, it } from 'vitest'
import {
  appendOlder,
  filterChoices,
  filterEntries,
  NO_FILTER,
} from '../../edge/browser/console/audit-log/entry-filter.ts'
import { readKeptHead } from '../../edge/browser/console/audit-log/kept-head.ts'
import type { AuditEntry } from '../../shared/audit-log/entry.ts'
import { formatAuditCsv } from '../../shared/audit-log/format-log.ts'

const entry = (sequence: number, changed: Partial<AuditEntry> = {}): AuditEntry => ({
  v: 1,
  account_hash: `0x${'a'.repeat(64)}`,
  sequence,
  at: '2026-01-01T00:00:00.000Z',
  operation: 'add_group',
  outcome: 'done',
  actor: { kind: 'account_key', id: '0x1122334455667788' },
  subject: { group_id: 1 },
  request_id: null,
  client_address_sha256: null,
  details_sha256: 'b'.repeat(64),
  previous_sha256: null,
  sha256: 'c'.repeat(64),
  client_address: null,
  client_address_salt: null,
  details: {},
  ...changed,
})

describe('the list of entries', () => {
  const refused = entry(2, { outcome: 'refused', actor: { kind: 'usage_key', id: '0x99' } })
  const payment = entry(1, {
    operation: 'billing/payment',
    actor: { kind: 'payment_processor', id: null },
  })
  const entries = [entry(3), refused, payment]

  it('is filtered by operation, outcome and actor', () => {
    expect(filterEntries(entries, NO_FILTER)).toEqual(entries)
    expect(filterEntries(entries, { ...NO_FILTER, operation: 'add_group' })).toHaveLength(2)
    expect(filterEntries(entries, { ...NO_FILTER, outcome: 'refused' })).toEqual([refused])
    expect(filterEntries(entries, { ...NO_FILTER, actor: 'payment_processor' })).toEqual([payment])
    expect(
      filterEntries(entries, { operation: 'add_group', outcome: 'done', actor: 'usage_key 0x99' }),
    ).toEqual([])
  })

  it('offers the values that occur', () => {
    expect(filterChoices(entries)).toEqual({
      operations: ['add_group', 'billing/payment'],
      outcomes: ['done', 'refused'],
      actors: ['account_key 0x1122334455667788', 'payment_processor', 'usage_key 0x99'],
    })
  })

  it('contains no entry twice if entries were logged between two pages', () => {
    const sequences = appendOlder([entry(4), entry(3)], [entry(3), entry(2), entry(1)]).map(
      ({ sequence }) => sequence,
    )
    expect(sequences).toEqual([4, 3, 2, 1])
  })
})

describe('an earlier head', () => {
  it('is a statement, or the last line of an exported file', () => {
    expect(readKeptHead('  ')).toBeUndefined()
    expect(readKeptHead(' a.b.c\n')).toBe('a.b.c')
    expect(readKeptHead('{"head":"a.b.c"}')).toBe('a.b.c')
    expect(readKeptHead('{"other":1}')).toBe('{"other":1}')
  })
})

describe('CSV', () => {
  it('has a line for each entry', () => {
    const [columns, line] = formatAuditCsv([entry(1)]).split('\r\n')
    expect(columns).toBe(
      'sequence,at,operation,outcome,actor,actor_id,client_address,request_id,subject,details,sha256',
    )
    expect(line).toBe(
      `1,2026-01-01T00:00:00.000Z,add_group,done,account_key,0x1122334455667788,,,"{""group_id"":1}",{},${'c'.repeat(64)}`,
    )
  })

  it('CSV INJECTION: keeps spreadsheets from evaluating a name as a formula', () => {
    const name = '=HYPERLINK("https://evil.example")'
    const table = formatAuditCsv([entry(1, { operation: name, details: { name } })])
    expect(table).toContain(`,"'=HYPERLINK`)
    expect(table).toContain(',"{""name"":')
  })
})
