import { describe, expect, it } from 'vitest'
import { Exporter, QUEUE_MAX_CHARACTERS } from '../../../edge/telemetry/exporter.ts'

/** An exporter whose clock and requests the test controls. */
function world() {
  const clock = { now: 1_000_000 }
  const sleeps: (() => void)[] = []
  const bodies: string[] = []
  const answers: (() => Promise<Response>)[] = []
  const background: Promise<void>[] = []
  let dropped = 0
  const exporter = new Exporter({
    url: 'https://collector.example/v1/traces',
    headers: {},
    encode: (items) => items.join(' '),
    fetch: (_, { body }) => {
      bodies.push(body as string)
      return (answers.shift() ?? (async () => new Response('{}')))()
    },
    now: () => clock.now,
    sleep: (ms) =>
      new Promise((resume) => {
        sleeps.push(() => {
          clock.now += ms
          resume()
        })
      }),
    random: () => 0.5,
    waitUntil: (work) => void background.push(work),
    onDropped: (items) => (dropped += items),
  })
  return {
    exporter,
    clock,
    bodies,
    answers,
    sleeps,
    dropped: () => dropped,
    /** Lets the planned delivery happen. */
    deliver: async () => {
      sleeps.shift()?.()
      await background.shift()
    },
  }
}

describe('the exporter of the edge', () => {
  it('sends the items of a second together', async () => {
    const { exporter, bodies, deliver } = world()
    for (const item of ['a', 'b', 'c']) exporter.add(item)
    expect(bodies).toEqual([])
    await deliver()
    expect(bodies).toEqual(['a b c'])
  })

  it.each([429, 503])(
    'keeps the items after %d, and sends them with the next ones',
    async (status) => {
      const { exporter, bodies, answers, deliver, clock, dropped } = world()
      answers.push(async () => new Response('', { status }))
      exporter.add('a')
      await deliver()
      exporter.add('b')
      expect(bodies).toEqual(['a'])
      clock.now += 60_000
      exporter.add('c')
      await deliver()
      expect(bodies).toEqual(['a', 'a b c'])
      expect(dropped()).toBe(0)
    },
  )

  it('keeps the items if the collector is unreachable', async () => {
    const { exporter, bodies, answers, deliver, clock } = world()
    answers.push(() => Promise.reject(new Error('no route')))
    exporter.add('a')
    await deliver()
    clock.now += 60_000
    exporter.add('b')
    await deliver()
    expect(bodies).toEqual(['a', 'a b'])
  })

  it.each([400, 401, 404, 302])('drops and counts the items after %d', async (status) => {
    const { exporter, bodies, answers, deliver, dropped } = world()
    answers.push(async () => new Response('', { status }))
    exporter.add('a')
    await deliver()
    exporter.add('b')
    await deliver()
    expect(bodies).toEqual(['a', 'b'])
    expect(dropped()).toBe(1)
  })

  it('drops and counts what does not fit in memory', () => {
    const { exporter, dropped } = world()
    const item = 'x'.repeat(QUEUE_MAX_CHARACTERS / 4)
    for (let n = 0; n < 6; n++) exporter.add(item)
    expect(dropped()).toBe(2)
  })

  it('splits what is too large for one request', async () => {
    const { exporter, bodies, deliver } = world()
    const item = 'x'.repeat(200 * 1024)
    for (let n = 0; n < 3; n++) exporter.add(item)
    for (let n = 0; n < 3; n++) await deliver()
    expect(bodies.map(({ length }) => length)).toEqual([item.length, item.length, item.length])
  })

  it('continues after a delivery that was cut off with its request', async () => {
    const { exporter, bodies, sleeps, clock } = world()
    exporter.add('a')
    // The platform cancels the timer together with its request.
    sleeps.length = 0
    clock.now += 60_000
    exporter.add('b')
    sleeps.shift()!()
    await new Promise((resume) => setTimeout(resume))
    expect(bodies).toEqual(['a b'])
  })

  it('continues after the clock is set back', async () => {
    const { exporter, bodies, sleeps, clock } = world()
    exporter.add('a')
    sleeps.length = 0
    clock.now -= 3_600_000
    exporter.add('b')
    sleeps.shift()!()
    await new Promise((resume) => setTimeout(resume))
    expect(bodies).toEqual(['a b'])
  })
})
