/** A whole stack with default settings, and the load of webhooks on its triggers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { newOwner, type Owner, until } from '../../system/owner.ts'
import { type StartedStack, startStack } from '../../system/stack.ts'
import { post } from '../load.ts'
import type { DurablePostgres } from '../durable-postgres.ts'

/** Connections of the senders together. */
export const IN_FLIGHT = 64
export const TRIVIAL = 'async function main(params) { return params.event }'
export const EVENT = Buffer.from('{"ref":"refs/heads/main"}')
export const HEADERS = { 'content-type': 'application/json', 'user-agent': 'bench' }

const DATABASE = 'stack'
const RUNS_PAGE = 100
/** Rare, so that polling takes a negligible part of the edge's time. */
const POLL_MS = 500
const ENDED_WITHIN_S = 300

export type Trigger = { id: string; webhook_url: string }

export class LoadedStack {
  readonly started: StartedStack
  readonly owner: Owner
  readonly postgres: DurablePostgres

  private constructor(started: StartedStack, owner: Owner, postgres: DurablePostgres) {
    this.started = started
    this.owner = owner
    this.postgres = postgres
  }

  static async start(postgres: DurablePostgres): Promise<LoadedStack> {
    const started = await startStack({
      ownDatabase: true,
      originSettings: {
        DATABASE_URL: await postgres.createDatabase(DATABASE),
        SVC_STARTER_CREDITS_CENTS: '1000000',
      },
    })
    return new LoadedStack(started, await newOwner(started), postgres)
  }

  createTriggers(count: number, action: string, more: object = {}): Promise<Trigger[]> {
    return createTriggers(this.owner, count, action, more)
  }

  statements(): Promise<number> {
    return this.postgres.statements(DATABASE)
  }

  stop(): Promise<void> {
    return this.started.stop()
  }
}

export function createTriggers(
  owner: Owner,
  count: number,
  action: string,
  more: object = {},
): Promise<Trigger[]> {
  const settings = { max_runs_per_minute: 6_000, ...more }
  return Promise.all(Array.from({ length: count }, () => owner.createTrigger(action, settings)))
}

/**
 * Sends events over all triggers, and waits until their runs have succeeded.
 * @returns runs per second, from the first event to the end of the last run as stored
 */
export async function burst(
  owner: Owner,
  triggers: readonly Trigger[],
  eventsEach: number,
): Promise<number> {
  const events = triggers.length * eventsEach
  const began = Date.now()
  await post({
    url: (n) => triggers[n % triggers.length]!.webhook_url,
    body: EVENT,
    headers: HEADERS,
    requests: events,
    inFlight: Math.min(IN_FLIGHT, events),
  })
  const runs = await latestRuns(owner, triggers, eventsEach)
  const ended = runs.reduce((last, run) => Math.max(last, Date.parse(run.finished_at!)), began)
  return events / ((ended - began) / 1000)
}

/**
 * Waits until all runs have ended, and returns the latest of each trigger.
 * @throws {Error} if one of them has not succeeded
 */
export async function latestRuns(
  owner: Owner,
  triggers: readonly Trigger[],
  each: number,
): Promise<RunRecord[]> {
  for (const { id } of triggers)
    await until(ENDED_WITHIN_S, `the runs of ${id} end`, async () => {
      const { queued, running } = (await owner.trigger(id)).stats!
      if (queued + running === 0) return true
      await sleep(POLL_MS)
      return undefined
    })
  const all: RunRecord[] = []
  for (const { id } of triggers) {
    const runs: RunRecord[] = []
    while (runs.length < each) {
      const limit = Math.min(RUNS_PAGE, each - runs.length)
      const page = await owner.api(`triggers/${id}/runs?limit=${limit}&offset=${runs.length}`)
      if (page.runs.length === 0) throw new Error(`${id} has ${runs.length} runs, not ${each}`)
      runs.push(...page.runs)
    }
    const failed = runs.find(({ status }) => status !== 'success')
    if (failed) throw new Error(`a run ended as ${failed.status}: ${failed.error}`)
    all.push(...runs)
  }
  return all
}
