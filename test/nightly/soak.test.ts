/** Keeps a stack under steady load, and measures the memory slope of its two long-lived processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freePort } from '../../origin/stack/ports.ts'
import { newOwner, until } from '../system/owner.ts'
import { type StartedStack, startStack } from '../system/stack.ts'
import { anonymousMib, originOf, workerdOf } from '../system/stack-processes.ts'
import { boundsOr } from './bounds.ts'
import { collectGarbage } from './collect-garbage.ts'
import { type Point, slope } from './slope.ts'

const { count: MINUTES } = boundsOr({ first: 1, count: 30 })

/** Share of the time in which heaps, page caches and compiled code reach their size. */
const WARM_UP = 1 / 3

const FIRE_EVERY_MS = 200
const SAMPLE_EVERY_MS = 10_000

const SLOPE_MAX = { origin: 60, workerd: 60 }

const ACTION = `async function main({ event }) {
  const wallet = ethers.Wallet.createRandom()
  return { n: event.n, signature: await wallet.signMessage(String(event.n)) }
}`

type Memory = { hours: number; origin: number; workerd: number }

it(
  `memory of a stack under load for ${MINUTES} min has no slope`,
  async ({ task }) => {
    const edgeInspectorPort = await freePort()
    const started = await startStack({
      originSettings: { SVC_STARTER_CREDITS_CENTS: '1000000' },
      edgeInspectorPort,
      ownDatabase: true,
    })
    try {
      const { samples, runs } = await soak(started, () => collectGarbage(edgeInspectorPort))
      const warm = samples.slice(samples.length * WARM_UP)
      const slopeOf = (name: 'origin' | 'workerd') =>
        slope(warm.map((sample): Point => ({ x: sample.hours, y: sample[name] })))
      const slopes = { origin: slopeOf('origin'), workerd: slopeOf('workerd') }
      const series = (name: 'origin' | 'workerd') =>
        samples.map((sample) => Math.round(sample[name])).join(' ')
      console.info(`origin ${series('origin')}\nworkerd ${series('workerd')}`, slopes)
      task.meta.figures = {
        'webhook runs': runs,
        'max MiB/h of the origin': slopes.origin,
        'max MiB/h of workerd': slopes.workerd,
      }
      expect(slopes.origin).toBeLessThan(SLOPE_MAX.origin)
      expect(slopes.workerd).toBeLessThan(SLOPE_MAX.workerd)
    } finally {
      await started.stop()
    }
  },
  (MINUTES + 10) * 60_000,
)

/** @returns memory over time, and the number of runs, all of which succeeded */
async function soak(
  started: StartedStack,
  beforeSample: () => Promise<void>,
): Promise<{ samples: Memory[]; runs: number }> {
  const owner = await newOwner(started)
  const settings = { max_runs_per_minute: 6_000, max_queued_runs: 10_000 }
  const triggers = await Promise.all([
    owner.createTrigger(ACTION, settings),
    owner.createTrigger(ACTION, settings),
  ])
  const endsAt = performance.now() + MINUTES * 60_000
  let runs = 0
  const firing = triggers.map(async ({ id, webhook_url }) => {
    while (performance.now() < endsAt) {
      await owner.fire(webhook_url, { n: runs++ })
      await owner.api(`triggers/${id}/runs?limit=10`)
      await sleep(FIRE_EVERY_MS)
    }
  })
  const origin = originOf(started.stateDir)
  const workerd = workerdOf(started.stateDir)
  const samples: Memory[] = []
  const sampling = async () => {
    while (performance.now() < endsAt) {
      await beforeSample()
      const hours = performance.now() / 3_600_000
      samples.push({ hours, origin: anonymousMib(origin), workerd: anonymousMib(workerd) })
      await sleep(SAMPLE_EVERY_MS)
    }
  }
  await Promise.all([...firing, sampling()])
  for (const { id } of triggers)
    await until(60, `the runs of ${id} end`, async () => {
      const { ok, failed, queued, running } = (await owner.trigger(id)).stats!
      expect(failed).toBe(0)
      return queued + running === 0 && ok > 0 ? true : undefined
    })
  return { samples, runs }
}
