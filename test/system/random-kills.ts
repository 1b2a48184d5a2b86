/**
 * Webhooks fired without a pause while edge and origin are killed at random moments. What really happened is
 * counted outside of both: each action calls a server of the test's own.
 */
import { expect } from 'vitest'
import type { RunRecord } from '../../shared/wire/trigger.ts'
import { startWebServer } from '../doubles/web-server.ts'
import { newOwner, until } from './owner.ts'
import { startStack } from './stack.ts'

export type Campaign = { kills: number; seed: number }

const TRIGGERS = 4
/** The load: each trigger is fired this often, answered or not. */
const FIRE_EVERY_MS = 40
/** After everything is up again a component is left alone for up to this long. */
const QUIET_MAX_MS = 1_500
const ENDED_WITHIN_S = 120

type Fired = { runId: string; n: number }

/** Throws where an acknowledged run was lost, executed twice, or left without an end. */
export async function killAtRandom({ kills, seed }: Campaign): Promise<void> {
  const random = mulberry32(seed)
  const calls = await startWebServer((_, response) => response.end('counted'))
  const started = await startStack({
    originSettings: {
      SVC_OUTBOUND_ALLOW: `127.0.0.1:${calls.port}`,
      SVC_STARTER_CREDITS_CENTS: '1000000',
    },
  })
  try {
    const owner = await newOwner(started)
    const action = `async function main({ event }) {
      await fetch('http://127.0.0.1:${calls.port}/' + event.n)
      await new Promise((resolve) => setTimeout(resolve, event.ms))
      return event.n
    }`
    const more = { max_runs_per_minute: 6_000, max_queued_runs: 10_000 }
    const triggers = await Promise.all(
      Array.from({ length: TRIGGERS }, () => owner.createTrigger(action, more)),
    )
    const enough = new AbortController()
    let next = 0
    const firing = triggers.map(async ({ webhook_url }) => {
      const fired: Fired[] = []
      while (!enough.signal.aborted) {
        const n = next++
        const event = { n, ms: Math.floor(random() * 300) }
        const runId = await owner.fire(webhook_url, event).catch(() => undefined)
        if (runId !== undefined) fired.push({ runId, n })
        await new Promise((resume) => setTimeout(resume, FIRE_EVERY_MS))
      }
      return fired
    })
    for (let kill = 0; kill < kills; kill++) {
      await new Promise((resume) => setTimeout(resume, random() * QUIET_MAX_MS))
      const component = random() < 0.5 ? 'edge' : 'origin'
      await started.stack.kill(component)
      await started.stack.startComponent(component)
    }
    enough.abort()
    const fired = await Promise.all(firing)
    const executed = new Map<string, number>()
    const history = await Promise.all(
      triggers.map(({ id }) => until(ENDED_WITHIN_S, `the runs of ${id} end`, allEnded(owner, id))),
    )
    for (const { url } of calls.received) executed.set(url, (executed.get(url) ?? 0) + 1)
    const most = Math.max(0, ...executed.values())
    expect(most, `seed ${seed}: no action began twice`).toBe(1)
    fired.forEach((runs, i) => {
      expect(runs.length).toBeGreaterThan(0)
      const byId = new Map(history[i]!.map((run) => [run.id, run]))
      for (const { runId, n } of runs)
        expectOneEnd(byId.get(runId), executed.get(`/${n}`) ?? 0, seed)
    })
  } finally {
    await started.stop()
    await calls.close()
  }
}

function expectOneEnd(run: RunRecord | undefined, began: number, seed: number): void {
  expect(run, `seed ${seed}: every acknowledged run is in the history`).toBeDefined()
  if (run!.status === 'success') expect(began, `seed ${seed}: a success was executed`).toBe(1)
  else
    expect(run!.error, `seed ${seed}: ${run!.id} failed for the kill alone`).toMatch(/origin_lost/)
}

/** All runs, once each has ended. */
function allEnded(owner: Awaited<ReturnType<typeof newOwner>>, triggerId: string) {
  return async (): Promise<RunRecord[] | undefined> => {
    const all: RunRecord[] = []
    for (;;) {
      const page = await owner.runs(triggerId, all.length)
      if (page.some((run) => run.finished_at === null)) return undefined
      if (page.length === 0) return all
      all.push(...page)
    }
  }
}

/** A small generator of numbers in [0, 1), the same for the same seed: a failed campaign can be repeated. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
