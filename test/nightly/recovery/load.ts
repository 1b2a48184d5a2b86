/** Webhooks during a disaster. Executions are counted outside of the stack: each action calls a server of the test. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { startWebServer, type WebServer } from '../../doubles/web-server.ts'
import { type Owner, until } from '../../system/owner.ts'
import type { Figures } from '../figures.ts'

const TRIGGERS = 4
const FIRE_EVERY_MS = 250
const RUN_MS_MAX = 1_000
/** A run whose connection broke three times waits for up to 660 s until its next attempt. */
const ENDED_WITHIN_S = 900

type Fired = { runId: string; n: number }

/** The server that actions call. `allow` is the setting with which they reach it. */
export async function startCounter(): Promise<WebServer & { allow: string }> {
  const server = await startWebServer((_, response) => response.end('counted'))
  return { ...server, allow: `127.0.0.1:${server.port}` }
}

/** Action that calls the counter with `n`, and then takes `ms`. */
export const counting = (counter: WebServer) => `async function main({ event }) {
  await fetch('http://127.0.0.1:${counter.port}/' + event.n)
  await new Promise((resolve) => setTimeout(resolve, event.ms))
  return event.n
}`

/** Four triggers whose webhooks are sent continuously, whether they are accepted or not. */
export class Load {
  readonly #owner: Owner
  readonly #counter: WebServer
  readonly #triggers: readonly string[]
  readonly #enough = new AbortController()
  readonly #firing: Promise<Fired[]>[]
  refused = 0
  #next = 0

  private constructor(
    owner: Owner,
    counter: WebServer,
    triggers: { id: string; webhook_url: string }[],
  ) {
    this.#owner = owner
    this.#counter = counter
    this.#triggers = triggers.map(({ id }) => id)
    this.#firing = triggers.map(({ webhook_url }) => this.#fire(webhook_url))
  }

  static async start(owner: Owner, counter: WebServer): Promise<Load> {
    const action = counting(counter)
    const settings = { max_runs_per_minute: 6_000, max_queued_runs: 10_000 }
    const created = Array.from({ length: TRIGGERS }, () => owner.createTrigger(action, settings))
    return new Load(owner, counter, await Promise.all(created))
  }

  /** Waits until another run has begun. */
  async executes(): Promise<void> {
    const before = this.#counter.received.length
    await until(ENDED_WITHIN_S, 'a run is executed', async () =>
      this.#counter.received.length > before ? true : undefined,
    )
  }

  /**
   * Stops, waits until all runs have ended, and counts them by outcome.
   * @param mayFail errors that a failed run may have
   * @throws if an accepted run is missing or a run began twice
   */
  async end(mayFail: RegExp): Promise<{ figures: Figures; runs: RunRecord[] }> {
    this.#enough.abort()
    const fired = (await Promise.all(this.#firing)).flat()
    const runs: RunRecord[] = []
    for (const id of this.#triggers) runs.push(...(await this.#endedRuns(id)))
    const began = new Map<string, number>()
    for (const { url } of this.#counter.received) began.set(url, (began.get(url) ?? 0) + 1)
    const byId = new Map(runs.map((run) => [run.id, run]))
    const figures: Figures = { 'accepted runs': fired.length, 'refused webhooks': this.refused }
    for (const { runId, n } of fired) {
      const run = byId.get(runId)
      expect(run, 'every accepted run is in the history').toBeDefined()
      const times = began.get(`/${n}`) ?? 0
      expect(times, `${runId} began at most once`).toBeLessThanOrEqual(1)
      if (run!.status === 'success') expect(times).toBe(1)
      else expect(run!.error).toMatch(mayFail)
      const name = run!.status === 'success' ? 'successful runs' : run!.error!.split(':')[0]!
      figures[name] = (figures[name] ?? 0) + 1
    }
    return { figures, runs }
  }

  async #fire(webhookUrl: string): Promise<Fired[]> {
    const fired: Fired[] = []
    while (!this.#enough.signal.aborted) {
      const n = this.#next++
      const event = { n, ms: (n * 397) % RUN_MS_MAX }
      const runId = await this.#owner.fire(webhookUrl, event).catch(() => undefined)
      if (runId === undefined) this.refused++
      else fired.push({ runId, n })
      await sleep(FIRE_EVERY_MS)
    }
    return fired
  }

  #endedRuns(triggerId: string): Promise<RunRecord[]> {
    return until(ENDED_WITHIN_S, `the runs of ${triggerId} end`, async () => {
      const all: RunRecord[] = []
      for (;;) {
        const page = await this.#owner.runs(triggerId, all.length)
        if (page.some((run) => run.finished_at === null)) return undefined
        if (page.length === 0) return all
        all.push(...page)
      }
    })
  }
}

export const secondsSince = (startedAt: number) =>
  Math.round((performance.now() - startedAt) / 100) / 10
