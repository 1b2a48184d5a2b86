import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type SchedulableConnection,
  ParseScheduler,
} from '../../../../origin/http/connection/parse-scheduler.ts'

/** A connection that always has more bytes until it is stopped. */
class Sender implements SchedulableConnection {
  isReady = true
  parsedMs = 0
  isTrusted: boolean
  recentMs: number
  readonly costMs: number

  constructor({ isTrusted = false, recentMs = 0, costMs = 0.25 }) {
    this.isTrusted = isTrusted
    this.recentMs = recentMs
    this.costMs = costMs
  }

  parseSlice(): number {
    this.parsedMs += this.costMs
    return this.costMs
  }
}

async function share(senders: Sender[], turnCount: number): Promise<void> {
  const turns = new ParseScheduler()
  for (const sender of senders) turns.schedule(sender)
  for (let n = 0; n < turnCount; n++) await turn()
  for (const sender of senders) sender.isReady = false
}

const parsedMs = (senders: Sender[]) => senders.reduce((sum, sender) => sum + sender.parsedMs, 0)
const some = (count: number, options: ConstructorParameters<typeof Sender>[0]) =>
  Array.from({ length: count }, () => new Sender(options))

// Stops the clock, so that a slice costs what its sender says, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('parse turns', () => {
  it('limit what is parsed in two turns of the event loop', async () => {
    const senders = some(100, {})
    await share(senders, 20)
    expect(parsedMs(senders)).toBeGreaterThan(5)
    expect(parsedMs(senders)).toBeLessThanOrEqual(20)
  })

  it('are equal for connections of the same cost', async () => {
    const senders = some(4, {})
    await share(senders, 100)
    const times = senders.map((sender) => sender.parsedMs)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(0.25)
  })

  it('attack: leave trusted connections half of the time during a flood without credentials', async () => {
    const flood = some(300, {})
    const [trusted] = some(1, { isTrusted: true, recentMs: 500 })
    await share([...flood, trusted!], 100)
    expect(trusted!.parsedMs / (parsedMs(flood) + trusted!.parsedMs)).toBeCloseTo(0.5, 1)
  })

  it('attack: prefer a connection that has cost nothing to a flood that has', async () => {
    const flood = some(300, { recentMs: 30 })
    const fresh = new Sender({ recentMs: 0.5 })
    await share([...flood, fresh], 6)
    expect(fresh.parsedMs).toBeGreaterThanOrEqual(3)
  })

  it('give all of the time to the connections that need it', async () => {
    const trusted = some(2, { isTrusted: true })
    await share(trusted, 20)
    expect(parsedMs(trusted)).toBeGreaterThan(10)
  })

  it('skip a connection that became unready while it waited', async () => {
    const [first, second] = some(2, { costMs: 2 })
    const turns = new ParseScheduler()
    turns.schedule(first!)
    turns.schedule(second!)
    second!.isReady = false
    for (let n = 0; n < 6; n++) await turn()
    expect(second!.parsedMs).toBe(0)
    second!.isReady = true
    first!.isReady = false
    turns.schedule(second!)
    for (let n = 0; n < 6; n++) await turn()
    expect(second!.parsedMs).toBeGreaterThan(0)
    second!.isReady = false
  })
})
