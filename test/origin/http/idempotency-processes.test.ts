/** Two apps on one Postgres. Each knows the requests that the other has received. */
import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { keptAnswers, processes } from '../../../origin/db/schema.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { IdempotencyStore } from '../../../origin/idempotency/idempotency-store.ts'
import { HEARTBEAT_LOST_MS, RunClaims } from '../../../origin/runs/claims.ts'
import type { OriginServices } from '../../../origin/services.ts'
import { type FreshDatabase, freshDatabase } from '../db/fresh-database.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

type Process = { id: string; app: OriginApp; database: OpenDatabase; beat(): Promise<void> }

describe('two processes on one Postgres', () => {
  let postgres: FreshDatabase
  let origin: TestOrigin
  let key: string
  const opened: OpenDatabase[] = []
  beforeAll(async () => {
    ;[postgres, origin] = await Promise.all([freshDatabase(), startOrigin()])
    key = await origin.account()
  })
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await Promise.all([postgres?.drop(), origin?.close()])
  })

  /** Starts a process with a heartbeat that stores its responses in Postgres. */
  async function startProcess(
    instead: Partial<OriginServices> = {},
    predecessor?: string,
  ): Promise<Process> {
    const database = await openDatabase({ url: postgres.url })
    opened.push(database)
    const { db } = database
    const { keyring, now } = origin.services
    const id = randomUUID()
    const own = { db, processId: id, predecessor, now }
    const claims = new RunClaims({ ...own, outcomeKey: keyring.outcomeKey() })
    await claims.heartbeat()
    const kept = new IdempotencyStore({ ...own, keys: keyring.idempotencyKeys() })
    const app = createOriginApp({ ...origin.services, storedResponses: kept, ...instead })
    return { id, app, database, beat: () => claims.heartbeat() }
  }

  const ROLL = 'async function main() { return String(Math.random()) }'
  const run = (app: OriginApp, id: string) =>
    origin.core('svc_action', {
      app,
      key,
      body: { code: ROLL },
      headers: { 'idempotency-key': id },
    })
  const addGroup = (app: OriginApp, account: string, id: string) =>
    origin.core('add_group', {
      app,
      key: account,
      body: { group_name: 'one' },
      headers: { 'idempotency-key': id },
    })
  const hanging = () =>
    ({ run: () => new Promise(() => {}) }) as unknown as OriginServices['executions']
  const falterAfterWriting = (written: () => void) => {
    const write: OriginServices['writer']['write'] = async (...call) => {
      await origin.services.writer.write(...call)
      written()
      return new Promise<never>(() => {})
    }
    return { write } as OriginServices['writer']
  }

  it('return a response that the other has stored', async () => {
    const [one, two] = [await startProcess(), await startProcess()]
    const id = randomUUID()
    const first = await run(one.app, id)
    expect(first.status).toBe(200)
    expect((await run(two.app, id)).body).toEqual(first.body)
  })

  it('write once for forty requests at both at once', async () => {
    const [one, two] = [await startProcess(), await startProcess()]
    const account = await origin.account()
    const id = randomUUID()
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, n) => addGroup((n % 2 ? one : two).app, account, id)),
    )
    const answered = all.filter(({ status }) => status === 200)
    expect(answered.length).toBeGreaterThan(0)
    expect(all.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(new Set(answered.map(({ body }) => body.group_id))).toEqual(new Set([1]))
    expect((await origin.core('list_groups', { key: account })).body).toHaveLength(1)
  })

  it('report a request of the other as in progress while the other is alive', async () => {
    const [one, two] = [await startProcess({ executions: hanging() }), await startProcess()]
    const id = randomUUID()
    void run(one.app, id)
    await untilRow(two, one.id)
    const early = await run(two.app, id)
    expect([early.status, early.body.error]).toEqual([409, 'request_in_progress'])
    await one.database.db.delete(processes).where(eq(processes.id, one.id))
    const orphaned = await run(two.app, id)
    expect([orphaned.status, orphaned.body.error]).toEqual([409, 'outcome_unknown'])
  })

  it('report a request of a predecessor as unknown at once, even after a recent heartbeat', async () => {
    const killed = await startProcess({ executions: hanging() })
    const id = randomUUID()
    void run(killed.app, id)
    const next = await startProcess({}, killed.id)
    await untilRow(next, killed.id)
    const orphaned = await run(next.app, id)
    expect([orphaned.status, orphaned.body.error]).toEqual([409, 'outcome_unknown'])
  })

  it('complete a write that the other sent before it fell silent, and write once', async () => {
    const written = Promise.withResolvers<void>()
    const one = await startProcess({ writer: falterAfterWriting(written.resolve) })
    const two = await startProcess()
    const account = await origin.account()
    const id = randomUUID()
    void addGroup(one.app, account, id)
    await written.promise
    expect((await addGroup(two.app, account, id)).status).toBe(409)
    const silentSince = new Date(origin.services.now() - HEARTBEAT_LOST_MS - 1_000)
    await one.database.db
      .update(processes)
      .set({ heartbeatAt: silentSince })
      .where(eq(processes.id, one.id))
    const answer = await addGroup(two.app, account, id)
    expect([answer.status, answer.body.group_id]).toEqual([200, 1])
    expect((await origin.core('list_groups', { key: account })).body).toHaveLength(1)
  })

  it('return 503 and execute nothing if the database is unavailable', async () => {
    const one = await startProcess()
    const account = await origin.account()
    opened.splice(opened.indexOf(one.database), 1)
    await one.database.close()
    const answer = await addGroup(one.app, account, randomUUID())
    expect([answer.status, answer.body.error]).toEqual([503, 'service_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('2')
    expect((await origin.core('list_groups', { key: account })).body).toEqual([])
  })

  async function untilRow({ database }: Process, processId: string): Promise<void> {
    const held = eq(keptAnswers.processId, processId)
    for (let tried = 0; tried < 200; tried++) {
      if ((await database.db.select().from(keptAnswers).where(held)).length > 0) return
      await new Promise((resume) => setTimeout(resume, 10))
    }
    throw new Error('the request was not begun')
  }
})
