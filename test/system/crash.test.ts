import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { newOwner, type Owner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
let owner: Owner
beforeAll(async () => {
  started = await startStack()
  owner = await newOwner(started)
})
afterAll(() => started.stop())

const SLOW = `async function main(params) {
  await new Promise((resolve) => setTimeout(resolve, params.event.ms))
  return params.event.n
}`

/** Counts how often the origin started a run, according to its log. */
function startsOf(runId: string): number {
  return started.lines.filter((line) => line.includes('run.started') && line.includes(runId)).length
}

/** Waits until the origin has started at least this many runs of a trigger. */
function underWay(triggerId: string, atLeast: number): Promise<true> {
  const begun = () =>
    started.lines.filter((line) => line.includes('run.started') && line.includes(triggerId)).length
  return until(20, `${atLeast} runs are under way`, async () =>
    begun() >= atLeast ? true : undefined,
  )
}

/** Fires until stopped. Collects the IDs of accepted runs; ignores rejections and broken connections. */
function fireOn(webhookUrl: string, ms: number): { stop: () => Promise<string[]> } {
  const accepted: string[] = []
  const enough = new AbortController()
  const firing = (async () => {
    for (let n = 0; !enough.signal.aborted && accepted.length < 60; n++) {
      const runId = await owner.fire(webhookUrl, { n, ms }).catch(() => undefined)
      if (runId) accepted.push(runId)
      await new Promise((resume) => setTimeout(resume, 20))
    }
  })()
  return {
    stop: async () => {
      enough.abort()
      await firing
      return accepted
    },
  }
}

function expectEachOnce(accepted: string[], runs: RunRecord[]): void {
  const byId = new Map(runs.map((run) => [run.id, run]))
  for (const id of accepted) {
    expect(byId.has(id), `the acknowledged run ${id} is in the history`).toBe(true)
    expect(startsOf(id), `${id} was begun at most once`).toBeLessThanOrEqual(1)
    const run = byId.get(id)!
    if (run.status === 'failed') expect(run.error).toContain('origin_lost')
    else expect(startsOf(id)).toBe(1)
  }
}

describe('a killed component', () => {
  it('edge under load: each acknowledged run is executed exactly once', async () => {
    const trigger = await owner.createTrigger(SLOW, { max_runs_per_minute: 6_000 })
    const firing = fireOn(trigger.webhook_url, 200)
    await until(20, 'ten runs are queued', async () => (await owner.runs(trigger.id))[9])
    await started.stack.kill('edge')
    await started.stack.startComponent('edge')
    const accepted = await firing.stop()
    const runs = await owner.allEnded(trigger.id, 60)
    expect(accepted.length).toBeGreaterThanOrEqual(10)
    expectEachOnce(accepted, runs)
    expect(runs.every((run) => run.status === 'success')).toBe(true)
  })

  it('origin under load: runs in flight become origin_lost, all others are executed, none twice', async () => {
    const trigger = await owner.createTrigger(SLOW, { max_runs_per_minute: 6_000 })
    const firing = fireOn(trigger.webhook_url, 400)
    await underWay(trigger.id, 3)
    await started.stack.kill('origin')
    await started.stack.startComponent('origin')
    const accepted = await firing.stop()
    const runs = await owner.allEnded(trigger.id, 90)
    expectEachOnce(accepted, runs)
    expect(runs.some((run) => run.status === 'failed')).toBe(true)
    expect(runs.some((run) => run.status === 'success')).toBe(true)
  })

  it('edge and origin with runs in flight: no run stays in running', async () => {
    const trigger = await owner.createTrigger(SLOW)
    const ids = await Promise.all(
      [1, 2, 3, 4].map((n) => owner.fire(trigger.webhook_url, { n, ms: 3_000 })),
    )
    await underWay(trigger.id, 3)
    await Promise.all([started.stack.kill('edge'), started.stack.kill('origin')])
    await Promise.all([
      started.stack.startComponent('origin'),
      started.stack.startComponent('edge'),
    ])
    const runs = await owner.allEnded(trigger.id, 60)
    expect(runs.map((run) => run.id).toSorted()).toEqual(ids.toSorted())
    expectEachOnce(ids, runs)
  })

  it('chain: new_account answers 503 with Retry-After, and succeeds once the chain is back', async () => {
    await started.stack.kill('chain')
    const body = JSON.stringify({ account_name: 'a', account_description: '' })
    const open = () =>
      fetch(`${started.baseUrl}/core/v1/new_account`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    const refused = await open()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).not.toBeNull()
    await started.stack.startComponent('chain')
    await until(30, 'an account is opened', async () => (await open()).ok || undefined)
  })
})
