import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { processes, runClaims } from '../../../origin/db/schema.ts'
import { type ClaimsOptions, HEARTBEAT_LOST_MS, RunClaims } from '../../../origin/runs/claims.ts'
import type { RunKey } from '../../../origin/runs/outcome-codec.ts'
import { OUTCOME_RETENTION_MS, SEALED_CLOCK_SKEW_MS } from '../../../shared/limits.ts'
import type { Outcome } from '../../../shared/wire/outcome.ts'
import { databaseFiles } from '../db/database-files.ts'
import { onSharedDatabase } from '../db/shared-database.ts'

const outcomeKey = randomBytes(32)
const ACCOUNT = `0x${'aa'.repeat(32)}`

const success = (response: unknown): Outcome => ({
  status: 'success',
  response,
  action_cid: 'Qm',
  duration_ms: 1,
  charged_cents: 1,
  logs: [],
})

let count = 0
const newRun = (accountHash = ACCOUNT) => ({ accountHash, runId: `run-${++count}` })

/** Simulates a process of the origin with its own clock. */
function process({ db }: OpenDatabase, options: Partial<ClaimsOptions> = {}) {
  const id = `process-${++count}`
  const clock = { at: Date.now() }
  const now = () => clock.at
  return { id, clock, claims: new RunClaims({ db, processId: id, outcomeKey, now, ...options }) }
}

function claimsHold(open: () => OpenDatabase): void {
  const pair = async () => {
    const [one, other] = [process(open()), process(open())]
    await Promise.all([one.claims.heartbeat(), other.claims.heartbeat()])
    return [one, other] as const
  }

  it('lets only one of many attempts claim a run', async () => {
    const [one, other] = await pair()
    const run = newRun()
    const tries = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? one : other).claims.claim(run, n + 1),
    )
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
    expect(await one.claims.state(run)).toEqual({ state: 'running' })
  })

  it('stores outcomes only after the delay, and claims without one', async () => {
    const { promise: delay, resolve: endDelay } = Promise.withResolvers<void>()
    const { claims } = process(open(), { outcomeDelay: () => delay })
    const runs = [newRun(), newRun()]
    for (const run of runs) await claims.claim(run, 1)
    const stored = Promise.all(runs.map((run) => claims.finish(run, success('done'))))
    expect(await claims.state(runs[0]!)).toEqual({ state: 'running' })
    endDelay()
    expect(await stored).toEqual([success('done'), success('done')])
    expect(await claims.state(runs[1]!)).toEqual({ state: 'ended', outcome: success('done') })
  })

  it('deadlock: two processes that claim the same runs in opposite order claim each once', async () => {
    const [one, other] = await pair()
    for (let round = 0; round < 10; round++) {
      const runs = Array.from({ length: 50 }, () => newRun())
      const claimAll = (claims: RunClaims, order: RunKey[]) =>
        Promise.all(order.map(async (run) => ((await claims.claim(run, 1)) ? [run.runId] : [])))
      const made = await Promise.all([
        claimAll(one.claims, runs),
        claimAll(other.claims, runs.toReversed()),
      ])
      expect(made.flat(2).toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted())
    }
  })

  it('stores many outcomes at once, each for its own run', async () => {
    const [{ claims }] = await pair()
    const runs = Array.from({ length: 50 }, () => newRun())
    await Promise.all(runs.map((run) => claims.claim(run, 1)))
    await Promise.all(runs.map((run) => claims.finish(run, success(run.runId))))
    const states = await claims.states(runs.map(({ runId }) => runId))
    for (const { runId } of runs)
      expect(states.get(runId)).toEqual({ state: 'ended', outcome: success(runId) })
  })

  it('does not find an unknown run, and treats one ID in two accounts as two runs', async () => {
    const [{ claims }] = await pair()
    const run = newRun()
    const other = { ...run, accountHash: `0x${'bb'.repeat(32)}` }
    expect((await claims.states([run.runId])).size).toBe(0)
    expect([await claims.claim(run, 1), await claims.claim(other, 1)]).toEqual([true, true])
    await claims.finish(run, success('mine'))
    expect(await claims.state(run)).toEqual({ state: 'ended', outcome: success('mine') })
    expect(await claims.state(other)).toEqual({ state: 'running' })
  })

  it('keeps the first stored outcome, and ignores other processes', async () => {
    const [one, other] = await pair()
    const run = newRun()
    await one.claims.claim(run, 1)
    await other.claims.finish(run, success('stranger'))
    expect(await other.claims.state(run)).toEqual({ state: 'running' })
    expect(await one.claims.finish(run, success('first'))).toEqual(success('first'))
    expect(await one.claims.finish(run, success('second'))).toEqual(success('first'))
    const known = { state: 'ended', outcome: success('first') }
    expect((await other.claims.states([run.runId])).get(run.runId)).toEqual(known)
  })

  it('allows a released claim to be claimed again, but not the release of a finished one', async () => {
    const [one, other] = await pair()
    const run = newRun()
    await one.claims.claim(run, 1)
    await other.claims.release(run)
    expect(await other.claims.claim(run, 2)).toBe(false)
    await one.claims.release(run)
    expect(await other.claims.claim(run, 2)).toBe(true)
    await other.claims.finish(run, success(1))
    await other.claims.release(run)
    expect(await one.claims.claim(run, 3)).toBe(false)
  })

  it('marks the runs of a dead process as origin_lost, and ignores its late outcomes', async () => {
    const [dead, alive] = await pair()
    const [run, ended] = [newRun(), newRun()]
    await dead.claims.claim(run, 1)
    await dead.claims.claim(ended, 1)
    await dead.claims.finish(ended, success('in time'))
    await alive.claims.reap()
    expect(await alive.claims.state(run)).toEqual({ state: 'running' })
    alive.clock.at += HEARTBEAT_LOST_MS + 1_000
    expect(await alive.claims.reap()).toBeGreaterThanOrEqual(1)
    const lost = { state: 'ended', outcome: { status: 'failed', code: 'origin_lost' } }
    expect(await alive.claims.state(run)).toMatchObject(lost)
    expect(await alive.claims.state(ended)).toMatchObject({ outcome: success('in time') })
    expect(await dead.claims.finish(run, success('late'))).toMatchObject(lost.outcome)
    expect(await alive.claims.claim(run, 2)).toBe(false)
  })

  /** Creates a run of a dead process, whose first attempt has ended as `origin_lost`. */
  const lostRun = async () => {
    const [one, other] = await pair()
    const dead = process(open())
    await dead.claims.heartbeat()
    const run = newRun()
    await dead.claims.claim(run, 1)
    for (const { clock } of [one, other]) clock.at += HEARTBEAT_LOST_MS + 1_000
    await Promise.all([one.claims.heartbeat(), other.claims.heartbeat()])
    await one.claims.reap()
    return { one, other, dead, run }
  }
  const lost = { state: 'ended', outcome: { status: 'failed', code: 'origin_lost' } }

  it('lets only one of many attempts in two processes take over a lost run', async () => {
    const { one, other, dead, run } = await lostRun()
    const tries = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? one : other).claims.takeOver(run, 2),
    )
    const taken = await Promise.all(tries)
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await other.claims.state(run)).toEqual({ state: 'running' })
    const [winner, loser] = taken.indexOf(true) % 2 ? [one, other] : [other, one]
    // Neither the loser nor the presumed-dead process can end it.
    for (const { claims } of [loser, dead]) await claims.finish(run, success('stranger'))
    expect(await loser.claims.state(run)).toEqual({ state: 'running' })
    await winner.claims.finish(run, success('second'))
    expect(await loser.claims.state(run)).toEqual({ state: 'ended', outcome: success('second') })
    expect(await loser.claims.takeOver(run, 3)).toBe(false)
  })

  it('lets only a later attempt take over a lost run', async () => {
    const { one, run } = await lostRun()
    expect(await one.claims.isLost(run, 1)).toBe(false)
    expect(await one.claims.takeOver(run, 1)).toBe(false)
    expect(await one.claims.state(run)).toMatchObject(lost)
    expect(await one.claims.isLost(run, 2)).toBe(true)
    expect(await one.claims.takeOver(run, 2)).toBe(true)
  })

  it('lets only a still later attempt take over a run that was lost twice', async () => {
    const { one, other, run } = await lostRun()
    await one.claims.takeOver(run, 2)
    other.clock.at += 2 * HEARTBEAT_LOST_MS
    await other.claims.heartbeat()
    await other.claims.reap()
    expect(await other.claims.state(run)).toMatchObject(lost)
    expect(await other.claims.takeOver(run, 2)).toBe(false)
    expect(await other.claims.takeOver(run, 3)).toBe(true)
  })

  it('marks a released takeover as lost, never as unknown', async () => {
    const { one, other, run } = await lostRun()
    await one.claims.takeOver(run, 2)
    await one.claims.release(run)
    expect(await other.claims.state(run)).toMatchObject(lost)
    expect(await other.claims.claim(run, 2)).toBe(false)
    expect(await other.claims.takeOver(run, 1)).toBe(false)
    expect(await other.claims.takeOver(run, 2)).toBe(true)
  })

  it.each([
    ['a success', success('done')],
    [
      'another failure',
      { ...success(0), status: 'failed', code: 'action_threw', message: 'no', stack: '' },
    ],
  ])('never lets %s be taken over, nor a run that is still running', async (_, outcome) => {
    const [{ claims }, other] = await pair()
    const run = newRun()
    await claims.claim(run, 1)
    expect(await other.claims.takeOver(run, 2)).toBe(false)
    await claims.finish(run, outcome as Outcome)
    expect(await other.claims.takeOver(run, 2)).toBe(false)
    expect(await other.claims.state(run)).toMatchObject({
      state: 'ended',
      outcome: { status: outcome.status },
    })
  })

  it('keeps the runs of a process that sends heartbeats', async () => {
    const [busy, other] = await pair()
    const run = newRun()
    await busy.claims.claim(run, 1)
    busy.clock.at += HEARTBEAT_LOST_MS + 1_000
    await busy.claims.heartbeat()
    other.clock.at = busy.clock.at
    await other.claims.reap()
    expect(await other.claims.state(run)).toEqual({ state: 'running' })
  })

  it('monitors a process again that was presumed dead, and detects its next failure', async () => {
    const [slow, other] = await pair()
    other.clock.at += HEARTBEAT_LOST_MS + 1_000
    await other.claims.reap()
    slow.clock.at = other.clock.at
    await slow.claims.heartbeat()
    const run = newRun()
    await slow.claims.claim(run, 1)
    await other.claims.reap()
    expect(await other.claims.state(run)).toEqual({ state: 'running' })
    other.clock.at += HEARTBEAT_LOST_MS + 1_000
    await other.claims.reap()
    expect(await other.claims.state(run)).toMatchObject({ outcome: { code: 'origin_lost' } })
  })

  it('replay: accepts a request ID only once, in any process', async () => {
    const [one, other] = await pair()
    const id = `request-${++count}`
    const expires = one.clock.at + 60_000
    const taken = [one, other, one].map(({ claims }) => claims.claimRequest(id, expires))
    expect((await Promise.all(taken)).filter(Boolean)).toHaveLength(1)
  })

  it('replay: keeps a request ID while a process with a slow clock would still accept the request', async () => {
    const [fast, slow] = await pair()
    const id = `request-${++count}`
    const expires = slow.clock.at + 60_000
    await slow.claims.claimRequest(id, expires)
    fast.clock.at = expires + SEALED_CLOCK_SKEW_MS - 1_000
    await fast.claims.deleteExpired()
    expect(await slow.claims.claimRequest(id, expires)).toBe(false)
    fast.clock.at += 2_000
    await fast.claims.deleteExpired()
    expect(await slow.claims.claimRequest(id, expires)).toBe(true)
  })

  it('deletes an outcome after a day, and never a running run', async () => {
    const [{ claims, clock }] = await pair()
    const [ended, running] = [newRun(), newRun()]
    await claims.claim(ended, 1)
    await claims.finish(ended, success(1))
    await claims.claim(running, 1)
    clock.at += OUTCOME_RETENTION_MS - 1_000
    await claims.deleteExpired()
    expect(await claims.state(ended)).toBeDefined()
    clock.at += 2_000
    await claims.deleteExpired()
    expect(await claims.state(ended)).toBeUndefined()
    expect(await claims.state(running)).toEqual({ state: 'running' })
  })

  it('ends a run with an unreadable row, without affecting others', async () => {
    const [{ claims }] = await pair()
    const [whole, damaged] = [newRun(), newRun()]
    for (const run of [whole, damaged]) {
      await claims.claim(run, 1)
      await claims.finish(run, success('kept'))
    }
    const { db } = open()
    const outcome = new Uint8Array(40).fill(1)
    await db.update(runClaims).set({ outcome }).where(eq(runClaims.runId, damaged.runId))
    const states = await claims.states([whole.runId, damaged.runId])
    expect(states.get(whole.runId)).toEqual({ state: 'ended', outcome: success('kept') })
    expect(states.get(damaged.runId)).toMatchObject({ outcome: { code: 'outcome_lost' } })
  })

  it('returns outcomes beyond the response limit in later requests', async () => {
    const [{ claims }] = await pair()
    const all = Array.from({ length: 4 }, newRun)
    for (const run of all) {
      await claims.claim(run, 1)
      await claims.finish(run, success('x'.repeat(1_000)))
    }
    let left = all.map(({ runId }) => runId)
    for (let asked = 0; left.length > 0; asked++) {
      expect(asked).toBeLessThan(4)
      const states = await claims.states(left, 1_500)
      const told = left.filter((runId) => states.get(runId)?.state === 'ended')
      expect(told.length).toBe(Math.min(2, left.length))
      left = left.filter((runId) => !told.includes(runId))
    }
  })

  it('ends the runs of a process that has reported its end, without waiting for its silence', async () => {
    const [ending, other] = await pair()
    const [refused, cutOff] = [newRun(), newRun()]
    for (const run of [refused, cutOff]) await ending.claims.claim(run, 1)
    await ending.claims.releaseAbandoned(({ runId }) => runId === cutOff.runId, 0)
    await ending.claims.endHeartbeat()
    await other.claims.reap()
    expect(await other.claims.state(cutOff)).toMatchObject({ outcome: { code: 'origin_lost' } })
    expect(await other.claims.state(refused), 'it did not start').toBeUndefined()
    expect(await other.claims.claim(refused, 1)).toBe(true)
  })

  it('ends a run even if its outcome cannot be serialized', async () => {
    const [{ claims }] = await pair()
    const run = newRun()
    await claims.claim(run, 1)
    await claims.finish(run, success(1n))
    expect(await claims.state(run)).toMatchObject({ outcome: { code: 'outcome_lost' } })
  })

  it('releases an old claim without a run, but no recent or active one', async () => {
    const [{ claims, clock }] = await pair()
    const [forgotten, carried] = [newRun(), newRun()]
    for (const run of [forgotten, carried]) await claims.claim(run, 1)
    const isCarried = (run: RunKey) =>
      run.runId === carried.runId && run.accountHash === carried.accountHash
    await claims.releaseAbandoned(isCarried)
    expect(await claims.state(forgotten)).toEqual({ state: 'running' })
    clock.at += 120_000
    await claims.releaseAbandoned(isCarried)
    expect(await claims.state(forgotten)).toBeUndefined()
    expect(await claims.state(carried)).toEqual({ state: 'running' })
  })

  it('stolen database: encrypts each outcome for its own row', async () => {
    const [{ claims }] = await pair()
    const [one, other] = [newRun(), newRun()]
    for (const run of [one, other]) await claims.claim(run, 1)
    await claims.finish(one, success('canary-5a1e'))
    await claims.finish(other, success('fine'))
    const rows = await open().db.select().from(runClaims)
    const bytes = rows.map(({ outcome }) => Buffer.from(outcome ?? []).toString('latin1')).join()
    expect(bytes).not.toContain('canary')
    const { outcome } = rows.find(({ runId }) => runId === one.runId)!
    await open().db.update(runClaims).set({ outcome }).where(eq(runClaims.runId, other.runId))
    const swapped = await claims.state(other)
    expect(swapped).toMatchObject({ outcome: { status: 'failed', code: 'outcome_lost' } })
    expect(JSON.stringify(swapped)).not.toContain('canary')
    await open().db.delete(runClaims).where(eq(runClaims.runId, other.runId))
  })
}

onSharedDatabase(1, (open) => {
  claimsHold(() => open(0))

  it('ends the runs of the predecessor at once, but not those of other processes', async () => {
    const [earlier, other] = [process(open(0)), process(open(0))]
    const now = process(open(0), { predecessor: earlier.id })
    for (const { claims } of [earlier, other, now]) await claims.heartbeat()
    const [left, held] = [newRun(), newRun()]
    await earlier.claims.claim(left, 1)
    await other.claims.claim(held, 1)
    await now.claims.reap()
    expect(await now.claims.state(left)).toMatchObject({ outcome: { code: 'origin_lost' } })
    expect(await now.claims.state(held)).toEqual({ state: 'running' })
    const known = (await open(0).db.select().from(processes)).map(({ id }) => id)
    expect(known).toEqual(expect.arrayContaining([other.id, now.id]))
    expect(known).not.toContain(earlier.id)
  })

  it('stolen disk: stores no plaintext outcome in the data folder', async () => {
    const { claims } = process(open(0))
    const run = newRun()
    await claims.claim(run, 1)
    await claims.finish(run, success('canary-77d0'))
    const files = await databaseFiles(open(0).db)
    const found = (text: string) => files.some((path) => readFileSync(path).includes(text))
    expect([found(run.runId), found('canary-77d0')]).toEqual([true, false])
  })
})
