import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LEASE_MS } from '../../../edge/queue/live-runs.ts'
import { RESULT } from '../../../edge/queue/run-result.ts'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { random, success } from '../app.ts'
import {
  away,
  type Call,
  endedWith,
  refused,
  settled,
  simulate,
  type Simulation,
  StorageFailed,
} from './simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A sealed request that takes longer to arrive is rejected. */
const REQUEST_LIVES_MS = MINUTE
const CONCURRENCY_MOST = 6

/** Possible reactions of the origin to a run that is sent to it. */
const ANSWERS = [
  'ends',
  'runs',
  'breaks before',
  'breaks after',
  'arrives late',
  'cap reached',
  'allowance spent',
  402,
  403,
  429,
  500,
  503,
] as const
type Answer = (typeof ANSWERS)[number]

/** An origin that claims runs per account. Each key belongs to a different account. */
class Origin {
  script: Answer[] = []
  isThere = true
  sentWhileDisabled = false
  readonly #sim: Simulation
  /** For each run, the accounts that claimed it, with the time on the watch at which the run finishes. */
  readonly claims = new Map<string, Map<string, number>>()
  #late: Call[] = []

  constructor(sim: Simulation) {
    this.#sim = sim
    sim.behaviour.execute = (call) => this.#execute(call)
    sim.behaviour.outcomes = async (suffixes) => {
      if (!this.isThere) return away()
      const running = suffixes.filter((one) => this.claims.has(one) && !this.#hasEnded(one))
      const unknown = suffixes.filter((one) => !this.claims.has(one))
      const ended = suffixes.filter((one) => this.#hasEnded(one))
      // As in long polling, the origin responds only when there is news. Advancing the watch does not end the wait.
      if (running.length === suffixes.length) await this.#news()
      const outcomes = ended.map((one) => [one, success('known').outcome])
      return { ended: Object.fromEntries(outcomes), running, unknown }
    }
  }

  /** Delivers late requests and answers long polls. */
  next(): void {
    for (const call of this.#late.splice(0))
      if (call.watch > this.#sim.watch - REQUEST_LIVES_MS) this.#claim(call, 0)
    for (const answer of this.#waiting.splice(0)) answer()
  }

  readonly #waiting: (() => void)[] = []
  #news(): Promise<void> {
    return new Promise((ready) => this.#waiting.push(ready))
  }

  #execute(call: Call): ExecuteResponse | Promise<ExecuteResponse> {
    if (!this.#sim.state.current?.enabled) this.sentWhileDisabled = true
    const answer = this.isThere ? (this.script.shift() ?? 'ends') : 'breaks before'
    if (typeof answer === 'number') return refused(answer)
    switch (answer) {
      case 'ends':
        return this.#claim(call, 0)
      case 'runs':
        return this.#claim(call, 7_000)
      case 'breaks before':
        return away()
      case 'breaks after':
        this.#claim(call, 0)
        return away()
      case 'arrives late':
        this.#late.push(call)
        return away()
      case 'cap reached':
        return refused(402, undefined, 'spend_cap_reached')
      case 'allowance spent':
        return refused(429, undefined, 'failed_execution_allowance')
    }
  }

  #claim({ suffix, key }: Call, ms: number): ExecuteResponse {
    const ofRun = this.claims.get(suffix) ?? new Map<string, number>()
    this.claims.set(suffix, ofRun)
    if (!ofRun.has(key)) ofRun.set(key, this.#sim.watch + ms)
    return ofRun.get(key)! <= this.#sim.watch ? endedWith('done') : { state: 'running' }
  }

  #hasEnded(suffix: string): boolean {
    const ends = this.claims.get(suffix)?.values() ?? []
    return [...ends].some((end) => end <= this.#sim.watch)
  }
}

const someStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ arrive: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ wait: fc.integer({ min: 0, max: 90_000 }) }) },
  { weight: 3, arbitrary: fc.constant({ restart: true }) },
  { weight: 2, arbitrary: fc.constant({ anotherKey: true }) },
  { weight: 2, arbitrary: fc.constant({ anotherCode: true }) },
  { weight: 2, arbitrary: fc.record({ enabled: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ concurrency: fc.integer({ min: 1, max: CONCURRENCY_MOST }) }),
  },
  { weight: 2, arbitrary: fc.record({ cancel: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.constant({ purge: true }) },
  { weight: 2, arbitrary: fc.record({ isThere: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ clock: fc.constantFrom(-HOUR, -2_000, 500, HOUR) }) },
  // The storage may fail at any SQL statement.
  { weight: 2, arbitrary: fc.record({ failAt: fc.integer({ min: 0, max: 25 }) }) },
)
type Step = Partial<{
  arrive: number
  wait: number
  restart: boolean
  anotherKey: boolean
  anotherCode: boolean
  enabled: boolean
  concurrency: number
  cancel: number
  purge: boolean
  isThere: boolean
  clock: number
  failAt: number
}>

async function take(step: Step, sim: Simulation, origin: Origin): Promise<void> {
  if (step.arrive) await sim.add(step.arrive)
  if (step.wait !== undefined) await sim.advance(step.wait)
  if (step.restart) await sim.restart()
  if (step.anotherKey) await sim.patch({ sealedUsageKey: random(32) })
  if (step.anotherCode) await sim.patch({ actionCode: 'another', actionCid: 'another' })
  if (step.enabled !== undefined) await sim.patch({ enabled: step.enabled })
  if (step.concurrency !== undefined)
    await sim.patch({ options: { concurrency: step.concurrency } })
  if (step.cancel) sim.dispatcher.cancel(step.cancel)
  if (step.purge) sim.dispatcher.purge()
  if (step.isThere !== undefined) origin.isThere = step.isThere
  if (step.clock) sim.setClock(step.clock)
  if (step.failAt !== undefined) sim.failAt(step.failAt)
}

/** Checks the invariants that hold after every step. */
function check(sim: Simulation, origin: Origin): void {
  const count = (what: string) => sim.storage.sql.exec<{ n: number }>(what).one().n
  expect(sim.queued).toBe(count(`SELECT count(*) AS n FROM runs WHERE status = 'queued'`))
  const ended = sim.rows().filter(({ status }) => status === 'success' || status === 'failed')
  expect(sim.ended.map(({ suffix }) => suffix).toSorted()).toEqual(
    ended.map(({ suffix }) => suffix).toSorted(),
  )
  const withResult = `SELECT count(*) AS n FROM runs WHERE ${RESULT} IS NOT NULL`
  expect(count(withResult)).toBe(ended.length)
  expect(count(`${withResult} AND status IN ('success', 'failed')`)).toBe(ended.length)
  expect(
    count(`SELECT count(*) AS n FROM runs WHERE usage_key IS NOT NULL AND status IN ('queued', 'running')
           AND usage_key NOT IN (SELECT id FROM usage_keys)`),
  ).toBe(0)
  if (sim.statuses().includes('running')) expect(sim.alarmIn).toBeLessThanOrEqual(LEASE_MS)
  expect(origin.sentWhileDisabled).toBe(false)
  for (const accounts of origin.claims.values()) expect(accounts.size).toBe(1)
}

it('finishes every run once under one account, and keeps the counts correct, for any sequence of events', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someStep, { minLength: 5, maxLength: 40 }),
      fc.array(fc.constantFrom(...ANSWERS), { maxLength: 60 }),
      fc.integer({ min: 1, max: CONCURRENCY_MOST }),
      (steps, script, concurrency) =>
        simulate({ concurrency, maxRunsPerMinute: 30 }, async (sim) => {
          const origin = new Origin(sim)
          origin.script = script
          for (const step of steps) {
            // The caller of the operation receives the error.
            await take(step, sim, origin).catch((error: unknown) => {
              if (!(error instanceof StorageFailed)) throw error
            })
            origin.next()
            await settled()
            check(sim, origin)
          }
          sim.failAt(undefined)
          Object.assign(origin, { isThere: true, script: [] })
          await sim.patch({ enabled: true })
          for (let minute = 0; minute < 30; minute++) {
            await sim.advance(MINUTE)
            origin.next()
            await settled()
          }
          check(sim, origin)
          expect(sim.statuses().filter((status) => /queued|running/.test(status))).toEqual([])
          // An idle object has no alarm.
          await sim.advance(HOUR)
          expect(sim.alarmIn).toBe(Number.POSITIVE_INFINITY)
        }),
    ),
    { numRuns: 25 },
  ))
