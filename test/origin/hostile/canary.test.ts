import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OUTCOMES_WAIT_MS } from '../../../shared/limits.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { databaseFiles } from '../db/database-files.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import { executeRun } from '../http/runs-client.ts'
import { leaksIn, spellings } from './canary.ts'
import { LEAKY_PROGRAMS } from './leaky-programs.ts'
import { descendants, filesWrittenSince } from './where-it-could-be.ts'

const startedAt = Date.now()
const ALL = `0x${'0'.repeat(64)}`
let origin: TestOrigin
let account: string
let usageKey: string
let pkpId: string
let canary: string
/** The origin's responses, keyed by program name. */
const answers = new Map<string, string>()

beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
  ;({ wallet_address: pkpId } = await origin.wallet(account))
  const permits = { pkp_ids_permitted: [ALL], cid_hashes_permitted: [0] }
  const group = await origin.group(account, permits)
  usageKey = await origin.usageKey(account, { execute_in_groups: [group] })
  const tell = 'const main = ({ pkpId }) => Svc.Actions.getPrivateKey({ pkpId })'
  canary = (await origin.run(account, tell, { pkpId })).body.response
  for (const program of LEAKY_PROGRAMS) answers.set(program.name, await runEveryWay(program.code))
}, 300_000)
afterAll(() => origin.close())

/** Runs over HTTP with an idempotency key, and as a run with an ID, so that both outcomes are stored. */
async function runEveryWay(code: string): Promise<string> {
  const body = { code, js_params: { pkpId } }
  const headers = { 'idempotency-key': randomUUID() }
  const run = { id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 }
  const [plain, begun] = await Promise.all([
    origin.core('svc_action', { key: account, body, headers }),
    executeRun(origin, { credential: { api_key: usageKey }, run, ...body }),
  ])
  const asked = { run_ids: [run.id], wait_ms: OUTCOMES_WAIT_MS }
  const stored = JSON.stringify([begun, await origin.sealed(SEALED_OUTCOMES_PATH, asked)])
  expect(stored).toMatch(/"status":"(success|failed)"/)
  return JSON.stringify([plain, [...plain.headers]]) + stored
}

/** Returns the spellings of a key found on the database's disk. */
async function leaksOnDisk(key: string): Promise<string[]> {
  const files = await databaseFiles(origin.database.db)
  return files.flatMap((path) => leaksIn(readFileSync(path), key))
}

describe('a search for a key', () => {
  it.each([...spellings(`0x${'c7'.repeat(31)}01`)])('finds it in %s', (name, text) => {
    const around = Buffer.concat([Buffer.from('{"level":"info'), text, Buffer.from('"}')])
    expect(leaksIn(around, `0x${'c7'.repeat(31)}01`)).toContain(name)
  })

  it('finds it in a program’s response', () => {
    expect(leaksIn(answers.get('returns it') ?? '', canary)).toContain('hex')
    expect(leaksIn(answers.get('throws it as message') ?? '', canary)).toContain('hex')
    expect(leaksIn(answers.get('returns it in base64') ?? '', canary)).toContain('base64')
    expect(leaksIn(answers.get('returns its bytes') ?? '', canary)).toContain('bytes with commas')
  })

  it('finds plaintext in the database files', async () => {
    const planted = `0x${randomBytes(32).toString('hex')}`
    await origin.database.db.execute(sql`create table planted as select ${planted}::text as key`)
    expect(await leaksOnDisk(planted)).toContain('hex')
  })
})

describe('a key that was given to an action', () => {
  it.each(LEAKY_PROGRAMS.filter(({ tells }) => !tells).map(({ name }) => name))(
    'is not in the response of a program that %s',
    (name) => expect(leaksIn(answers.get(name) ?? canary, canary)).toEqual([]),
  )

  it('is not in the origin’s log', () => {
    expect(origin.logs.filter(({ event }) => event === 'run.started').length).toBeGreaterThan(20)
    expect(leaksIn(JSON.stringify(origin.logs), canary)).toEqual([])
  })

  it('is not in the database files or the write-ahead log', async () => {
    expect(await leaksOnDisk(canary)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')('is not in any process arguments or environment', () => {
    const processes = descendants()
    expect(
      processes.some(({ commandLine }) => commandLine.includes('actions/executor/executor')),
    ).toBe(true)
    expect(leaksIn(JSON.stringify(processes), canary)).toEqual([])
  })

  it('is not in any file written during the test', () => {
    const files = [...filesWrittenSince(tmpdir(), startedAt)]
    const leaking = files.filter((path) => {
      try {
        return leaksIn(readFileSync(path), canary).length > 0
      } catch {
        return false
      }
    })
    expect(leaking).toEqual([])
  })
})
