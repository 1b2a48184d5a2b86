import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import { newOwner, type Owner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
let owner: Owner
beforeAll(async () => {
  started = await startStack()
  owner = await newOwner(started)
})
afterAll(() => started.stop())

const ECHO = 'async function main(params) { return params }'
const HOUR = 60 * 60 * 1000

/** Creates a schedule that first fires in a few seconds, then every 30 s. */
async function createSoon(): Promise<{ id: string; cron: string; tick: number }> {
  const second = (Math.floor(Date.now() / 1000) + 3) % 30
  const cron = `${second},${second + 30} * * * * *`
  const created: unknown = await owner.createTrigger(ECHO, { kind: 'schedule', config: { cron } })
  const { id, next_run_at } = created as TriggerRecord
  return { id, cron, tick: Date.parse(next_run_at!) }
}

const nominal = (tick: number) => new Date(tick).toISOString().replace('.000Z', 'Z')
const sleepUntil = (at: number) => new Promise((resume) => setTimeout(resume, at - Date.now()))

/** Changes the next tick in a trigger object's storage while the edge is down. */
function setNextTick(triggerId: string, at: number): void {
  const storage = join(dirname(dirname(started.stack.caFile)), 'edge', 'storage')
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.sqlite'))) {
    const db = new DatabaseSync(join(storage, file))
    try {
      const table = db.prepare(`SELECT 1 FROM sqlite_master WHERE sql LIKE '%next_tick_at%'`)
      if (!table.get()) continue
      const update = db.prepare('UPDATE "trigger" SET next_tick_at = ? WHERE trigger_id = ?')
      if (update.run(at, triggerId).changes === 1) return
    } finally {
      db.close()
    }
  }
  throw new Error('no object has this trigger')
}

describe('a schedule on a real stack', () => {
  it('runs its action at the tick', async () => {
    const { id, cron, tick } = await createSoon()
    await sleepUntil(tick)
    await until(20, 'the tick has a run', async () => (await owner.runs(id))[0])
    const [run] = await owner.allEnded(id, 20)
    const params = { source: 'schedule', scheduled_at: nominal(tick), cron }
    expect(run).toMatchObject({ status: 'success', response: params })
    expect(Date.parse(run!.started_at!) - tick).toBeGreaterThanOrEqual(0)
    expect(Date.parse(run!.started_at!) - tick).toBeLessThan(30_000)
  })

  it('runs once for the latest tick after the edge was down for three hours, and logs the skipped ones', async () => {
    const { id, tick } = await createSoon()
    await started.stack.kill('edge')
    setNextTick(id, tick - 3 * HOUR)
    await sleepUntil(tick + 500)
    const before = Date.now()
    await started.stack.startComponent('edge')
    const [first] = await until(30, 'a run', async () => {
      const runs = await owner.runs(id)
      return runs.length > 0 ? runs.toReversed() : undefined
    })
    const scheduledAt = Date.parse(String(first!.input.scheduled_at))
    expect(scheduledAt).toBeGreaterThanOrEqual(tick)
    expect((scheduledAt - tick) % 30_000).toBe(0)
    expect(Date.parse(first!.queued_at)).toBeGreaterThanOrEqual(before)
    const told = started.lines.filter(
      (line) => line.includes('schedule.skipped') && line.includes(id),
    )
    expect(told).toHaveLength(1)
    const ticksBefore = (scheduledAt - (tick - 3 * HOUR)) / 30_000
    expect(told[0]).toContain(`"missed":${ticksBefore},`)
    const ended = await owner.allEnded(id, 30)
    const nominals = ended.map((run) => run.input.scheduled_at)
    expect(new Set(nominals).size).toBe(nominals.length)
  })
})
