import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { detailsHash, entryHash } from '../../../shared/audit-log/entry.ts'
import { userLogHash } from '../../../shared/audit-log/log-of-user.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../../shared/wire/trigger-log.ts'
import { GOOD_TOKEN } from '../../doubles/trigger-api.ts'
import { svc } from './command-line.ts'

const ID = 'A'.repeat(32)

let server: Server
let url: string
/** Path of the last request. */
let asked: string
let entries: TriggerLogEntry[]
/** Head that the service returns instead of that of its entries. */
let claimed: TriggerLogPage['head'] | undefined
const folder = mkdtempSync(join(tmpdir(), 'svc-trigger-audit-'))

/** Serves the entries as the service does. */
beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.url!
    const query = new URL(asked, 'http://localhost').searchParams
    const size = Number(query.get('page_size'))
    const from = Number(query.get('page_number')) * size
    const last = entries.at(-1)
    const page = {
      entries: entries.toReversed().slice(from, from + size),
      head: claimed ?? { sequence: last?.sequence ?? 0, sha256: last?.sha256 ?? null },
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  claimed = undefined
  entries = []
  for (let n = 0; n < 250; n++) append(`change ${n}`)
})

function append(name: string): void {
  const last = entries.at(-1)
  const details = { name, actor_name: 'ci', changes: { name: { from: null, to: name } } }
  const entry = {
    v: 1 as const,
    account_hash: userLogHash('user'),
    sequence: (last?.sequence ?? 40) + 1,
    at: '2026-01-01T00:00:00.000Z',
    operation: 'change_trigger' as const,
    outcome: 'done' as const,
    actor: { kind: 'agent_token' as const, id: 'K7-2mVd0q_Xw4sLb' },
    subject: { trigger_id: ID },
    request_id: null,
    client_address_sha256: null,
    details_sha256: detailsHash(details),
    previous_sha256: last?.sha256 ?? 'f'.repeat(64),
  }
  const shown = { client_address: null, client_address_salt: null, details }
  entries.push({ ...entry, sha256: entryHash(entry), ...shown })
}

const audit = (...words: string[]) =>
  svc(['trigger', 'audit', ...words], {
    folder,
    environment: {
      SVC_TRIGGERS_URL: url,
      SVC_BASE_URL: url,
      SVC_TOKEN: GOOD_TOKEN,
      SVC_CONFIG_DIR: join(folder, 'config'),
    },
  })

it('svc trigger audit prints the latest changes', async () => {
  const { code, out } = await audit()
  const lines = out.trim().split('\n')
  expect([code, lines.length]).toEqual([0, 50])
  expect(lines[0]).toMatch(
    /^2026-01-01T00:00:00.000Z +change_trigger +A{32} +agent_token K7-2mVd0q_Xw4sLb ci +name$/,
  )
})

it('svc trigger audit --trigger shows the changes of one trigger', async () => {
  expect((await audit('--trigger', ID)).code).toBe(0)
  expect(asked).toContain(`trigger_id=${ID}`)
  const { code, err } = await audit('--trigger', ID, '--export', 'some.ndjson')
  expect([code, err]).toEqual([2, expect.stringContaining('--trigger cannot be combined')])
})

it('svc trigger audit --export verifies all pages, and compares them with an earlier export', async () => {
  expect(await audit('--export', 'first.ndjson')).toMatchObject({
    code: 0,
    out: 'Wrote 250 entries to first.ndjson.\n',
  })
  const lines = readFileSync(join(folder, 'first.ndjson'), 'utf8').trim().split('\n')
  expect(JSON.parse(lines.at(-1)!)).toEqual({
    head: { sequence: 290, sha256: entries.at(-1)!.sha256 },
  })
  append('later')
  expect((await audit('--export', 'second.ndjson', '--since', 'first.ndjson')).code).toBe(0)
})

it('REWRITTEN LOG: svc trigger audit --export refuses changed entries, and a log without the earlier head', async () => {
  await audit('--export', 'kept.ndjson')
  const [first] = entries
  entries[0] = { ...first!, operation: 'delete_trigger' }
  const changed = await audit('--export', 'refused.ndjson')
  expect([changed.code, changed.out]).toEqual([
    1,
    'FAILED  the audit log is invalid: entry 41: does not match its hash\n',
  ])
  entries = []
  for (let n = 0; n < 260; n++) append(`other ${n}`)
  const rewritten = await audit('--export', 'refused.ndjson', '--since', 'kept.ndjson')
  expect(rewritten.out).toContain('entry 290: differs from the entry that a head names')
  entries.length = 10
  const truncated = await audit('--export', 'refused.ndjson', '--since', 'kept.ndjson')
  expect([truncated.code, truncated.out]).toEqual([
    1,
    expect.stringContaining('entry 290: missing'),
  ])
  expect(() => readFileSync(join(folder, 'refused.ndjson'))).toThrow('ENOENT')
})

it.each([
  ['that lack the newest', 288, 'entry 290: missing'],
  ['that lack all', 0, 'entry 290: missing'],
  ['that follow the head', 291, 'entry 291: follows the head'],
])(
  'TRUNCATED LOG: svc trigger audit --export refuses entries %s, without an earlier export',
  async (_, last, reason) => {
    const { sequence, sha256 } = entries.at(-1)!
    claimed = { sequence, sha256 }
    append('later')
    entries.length = Math.max(0, last - 40)
    const refused = await audit('--export', 'truncated.ndjson')
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining(reason)])
    expect(() => readFileSync(join(folder, 'truncated.ndjson'))).toThrow('ENOENT')
  },
)

it('svc trigger audit --since requires --export and the file of an export', async () => {
  expect((await audit('--since', 'x')).err).toContain('--since requires --export')
  expect((await audit('--export', 'y', '--since', 'missing')).code).toBe(2)
  writeFileSync(join(folder, 'other'), '{}')
  const other = await audit('--export', 'y', '--since', 'other')
  expect([other.code, other.err]).toEqual([
    2,
    expect.stringContaining('does not end with the head'),
  ])
})
