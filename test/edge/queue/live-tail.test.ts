import { expect, it } from 'vitest'
import { LiveTail, type RunAttempt } from '../../../edge/queue/live-tail.ts'
import type { LogLine } from '../../../shared/wire/log-line.ts'

const line = (text: string): LogLine => ({ level: 'log', at_ms: 1, text })

/** A tail whose origin has the given output of runs in progress. */
function tailOf(output: Record<string, string[]>) {
  const world = { now: 0, asked: [] as object[], running: [] as RunAttempt[] }
  const tail = new LiveTail({
    origin: {
      logs: async ({ runs }) => {
        world.asked.push(...runs)
        const lines = runs.map(({ run_id, from }) => {
          const texts = output[run_id] ?? []
          return [run_id, texts.slice(from).map(line)] as const
        })
        return { state: 'known', lines: Object.fromEntries(lines) }
      },
    },
    runsInProgress: () => world.running,
    isInProgress: (id) => world.running.some((run) => run.id === id),
    now: () => world.now,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 1)),
  })
  const texts = async (after: string | undefined, waitMs = 0) => {
    const { lines, ...rest } = await tail.read(after, waitMs)
    return { ...rest, texts: lines.map(({ text }) => text) }
  }
  return { tail, texts, world }
}

it('responds at once without a cursor, and with one of another incarnation', async () => {
  const [one, other] = [tailOf({}), tailOf({})]
  const { cursor, ...first } = await one.texts(undefined, 60_000)
  expect(first).toEqual({ changed: true, texts: [] })
  expect(await other.texts(cursor, 60_000)).toMatchObject({ changed: true })
  expect(await one.texts(cursor)).toEqual({ cursor, changed: false, texts: [] })
})

it('wakes a reader when a run is queued', async () => {
  const { tail, texts } = tailOf({})
  const { cursor } = await texts(undefined)
  const waiting = texts(cursor, 60_000)
  tail.recordChange()
  expect(await waiting).toMatchObject({ changed: true, texts: [] })
})

it('passes on the output of runs in progress, and the rest when they end', async () => {
  const output = { a: ['1', '2'] }
  const { tail, texts, world } = tailOf(output)
  const run = { id: 'a', attempt: 1 }
  world.running = [run]
  const first = await texts(undefined)
  const second = await texts(first.cursor, 60_000)
  expect(second).toMatchObject({ changed: false, texts: ['1', '2'] })
  world.running = []
  tail.recordEnd(run, ['1', '2', '3'].map(line))
  expect(await texts(second.cursor)).toMatchObject({ changed: true, texts: ['3'] })
})

it('shows a second reader the output of runs in progress from the start', async () => {
  const { texts, world } = tailOf({ a: ['1', '2'] })
  world.running = [{ id: 'a', attempt: 1 }]
  await texts((await texts(undefined)).cursor, 60_000)
  const { cursor } = await texts(undefined)
  expect(await texts(cursor, 60_000)).toMatchObject({ texts: ['1', '2'] })
})

it('asks for the output of a second attempt from the start', async () => {
  const { texts, world } = tailOf({ a: ['1'] })
  world.running = [{ id: 'a', attempt: 1 }]
  const { cursor } = await texts((await texts(undefined)).cursor, 60_000)
  world.running = [{ id: 'a', attempt: 2 }]
  expect(await texts(cursor, 60_000)).toMatchObject({ texts: ['1'] })
  expect(world.asked.at(-1)).toEqual({ run_id: 'a', from: 0 })
})

it('collects nothing while nobody reads', async () => {
  const { tail, texts, world } = tailOf({})
  tail.recordEnd({ id: 'a', attempt: 1 }, [line('before')])
  const { cursor } = await texts(undefined)
  tail.recordEnd({ id: 'b', attempt: 1 }, [line('read')])
  world.now += 30_000
  tail.recordEnd({ id: 'c', attempt: 1 }, [line('after')])
  expect(await texts(cursor)).toMatchObject({ changed: true, texts: [] })
  expect(world.asked).toEqual([])
})

it('memory exhaustion: drops the oldest lines', async () => {
  const { tail, texts } = tailOf({})
  const { cursor } = await texts(undefined)
  for (let run = 0; run < 20; run++)
    tail.recordEnd({ id: String(run), attempt: 1 }, [line(String(run).padEnd(100_000))])
  const kept = (await texts(cursor)).texts.map((text) => text.trim())
  expect(kept).toEqual(Array.from({ length: 10 }, (_, at) => String(at + 10)))
})
