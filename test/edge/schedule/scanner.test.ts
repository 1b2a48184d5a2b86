import {
  createExecutionContext,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { nextScanAt, type Scheduler } from '../../../edge/schedule/scheduler.ts'
import { collectorOf } from '../../../edge/schedule/tick-reports.ts'
import { wakeScanner } from '../../../edge/schedule/wake-scanner.ts'
import worker from '../../../edge/worker.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  env,
  kill,
  type Owner,
  queueOf,
  runOnce,
  script,
  someOwner,
  sql,
  success,
  unknownTriggerId,
} from '../app.ts'

const scanner = env.SCHEDULER.getByName('scanner')
const DAY = 24 * 60 * 60 * 1000
/** Not due during a test. */
const YEARLY = '0 3 1 1 *'

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

const schedule = (over: object = {}) =>
  createTrigger(owner, {
    kind: 'schedule',
    name: 'a schedule',
    config: { cron: YEARLY },
    action_code: script(success()),
    ...over,
  })

type Row = { version: number; record: string; look_at: number | null; checked_at: number }
const rowOf = (id: string) =>
  env.DB.prepare('SELECT * FROM triggers WHERE id = ?').bind(id).first<Row>()
const setRow = (id: string, set: string) =>
  env.DB.exec(`UPDATE triggers SET ${set} WHERE id = '${id}'`)

const alarmOf = (id: string) =>
  runInDurableObject(queueOf(id), (_, { storage }) => storage.getAlarm())

/** Returns a tick from three seconds ago, and a cron expression that matches it. */
function justDue(): { due: number; config: { cron: string } } {
  const due = Math.floor(Date.now() / 1000) * 1000 - 3_000
  const at = new Date(due)
  const time = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()]
  return { due, config: { cron: [...time, at.getUTCDate(), at.getUTCMonth() + 1, '*'].join(' ') } }
}

/** Makes a tick due in the object, and deletes its alarm. */
async function loseAlarm(id: string, due: number): Promise<void> {
  await sql(id, 'UPDATE "trigger" SET next_tick_at = ?', due)
  await kill(id)
  await runInDurableObject(queueOf(id), (_, { storage }) => storage.deleteAlarm())
  await kill(id)
  await setRow(id, `look_at = ${due}`)
}

/** Runs one complete scan. */
async function scanned(): Promise<void> {
  await runDurableObjectAlarm(scanner)
  await vi.waitUntil(() =>
    runInDurableObject(scanner, (object) => !(object as Scheduler).isScanning),
  )
}

async function runsOf(id: string) {
  const rows = await sql<{ suffix: string }>(id, 'SELECT suffix FROM runs')
  return rows.map(({ suffix }) => id + suffix)
}

it('wakes the scanner at the first request of an isolate', async () => {
  const alarm = () => runInDurableObject(scanner, (_, { storage }) => storage.getAlarm())
  expect(await alarm()).toBeNull()
  await edge('/health')
  await vi.waitUntil(async () => (await alarm()) !== null)
})

describe('a schedule that lost its alarm', () => {
  it('fires its tick within one scan, and then continues on its own', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    expect(await alarmOf(id)).toBeNull()
    await scanned()
    const [runId] = await vi.waitUntil(async () => {
      const runs = await runsOf(id)
      return runs.length > 0 && runs
    })
    expect(await runOnce(owner, runId!)).toMatchObject({
      status: 'success',
      input: { scheduled_at: new Date(due).toISOString().replace('.000Z', 'Z') },
    })
    const record: TriggerRecord = await (await owner.api(`/api/triggers/${id}`)).json()
    const next = Date.parse(record.next_run_at!)
    expect(next).toBeGreaterThan(Date.now())
    expect(await alarmOf(id)).toBeLessThanOrEqual(next)
    expect((await rowOf(id))!.look_at).toBe(next)
  })

  it('fires its tick once, however often it is visited', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    await Promise.all([queueOf(id).visit(1), queueOf(id).visit(1), queueOf(id).visit(1)])
    expect(await runsOf(id)).toHaveLength(1)
  })

  it('fires a tick that was due before its cron expression changed', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    await queueOf(id).change(owner.id, { config: { cron: '0 4 1 1 *' } })
    const [runId] = await runsOf(id)
    expect(await runOnce(owner, runId!)).toMatchObject({ input: config })
  })

  it('counts as late in the scan that finds it', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    expect(await queueOf(id).visit(1)).toMatchObject({ late: true })
    expect(await queueOf(id).visit(1)).toMatchObject({ late: false })
  })

  it('is not changed by a visit while its alarm is correct', async () => {
    const { id } = await schedule()
    const armed = await alarmOf(id)
    const { version, nextTickAt } = (await queueOf(id).visit(1))!
    expect({ version, armed: await alarmOf(id) }).toEqual({ version: 1, armed })
    expect(armed).toBeLessThanOrEqual(nextTickAt!)
  })
})

describe('a schedule that fires on its own', () => {
  it('is not visited, and does not count as late', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    // No other scan may run before the tick is reported.
    await runInDurableObject(scanner, (_, { storage }) => storage.setAlarm(Date.now() + 25_000))
    await sql(id, 'UPDATE "trigger" SET next_tick_at = ?', due)
    await kill(id)
    await setRow(id, `look_at = ${due}, checked_at = ${due}`)
    await runDurableObjectAlarm(queueOf(id))
    const collector = env.SCHEDULER.getByName(collectorOf(id))
    await vi.waitUntil(() =>
      runInDurableObject(collector, (object) => (object as Scheduler).reports.has(id)),
    )
    await scanned()
    const row = (await rowOf(id))!
    expect(row.look_at).toBeGreaterThan(Date.now())
    expect(row.checked_at).toBe(due)
    expect((await scanner.status()).late).toBe(0)
    expect(await runsOf(id)).toHaveLength(1)
  })
})

describe('the index', () => {
  const listed = async () => {
    const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    return list.map(({ id, name }) => ({ id, name }))
  }

  it('with an older row than the object is updated by the scanner', async () => {
    const { id } = await createTrigger(owner, { name: 'the truth' })
    await queueOf(id).change(owner.id, { name: 'the new truth' })
    const { record } = (await rowOf(id))!
    const old = record.replace('the new truth', 'the truth')
    await setRow(id, `version = 1, checked_at = 0, record = '${old}'`)
    await scanned()
    await vi.waitUntil(async () => (await rowOf(id))!.version === 2)
    expect(await listed()).toContainEqual({ id, name: 'the new truth' })
  })

  it('with a newer row than the object is corrected by the object', async () => {
    const { id } = await createTrigger(owner, { name: 'the truth' })
    await setRow(id, `version = 40, checked_at = 0, record = replace(record, 'the truth', 'a lie')`)
    await scanned()
    await vi.waitUntil(async () => (await rowOf(id))!.version === 41)
    expect(await listed()).toContainEqual({ id, name: 'the truth' })
  })

  it('with a row of a deleted trigger is cleaned up by the scanner', async () => {
    const { id } = await createTrigger(owner)
    const orphan = await unknownTriggerId()
    await env.DB.exec(
      `INSERT INTO triggers (id, owner_id, kind, record, created_at, updated_at)
       SELECT '${orphan}', owner_id, kind, record, created_at, updated_at FROM triggers WHERE id = '${id}'`.replaceAll(
        '\n',
        ' ',
      ),
    )
    await scanned()
    expect(await rowOf(orphan)).toBeNull()
    expect(await rowOf(id)).not.toBeNull()
  })

  it('without a row gets it back from the object within a day', async () => {
    const { id } = await createTrigger(owner, { name: 'lost' })
    expect((await alarmOf(id))! - Date.now()).toBeLessThanOrEqual(DAY)
    await env.DB.exec(`DELETE FROM triggers WHERE id = '${id}'`)
    await sql(id, 'UPDATE "trigger" SET index_checked_at = ?', Date.now() - DAY - 1)
    await kill(id)
    await runDurableObjectAlarm(queueOf(id))
    await vi.waitUntil(async () => (await rowOf(id)) !== null)
    expect(await listed()).toContainEqual({ id, name: 'lost' })
  })

  it('is not read by an object that checked it today', async () => {
    const { id } = await createTrigger(owner)
    await env.DB.exec(`DELETE FROM triggers WHERE id = '${id}'`)
    await runDurableObjectAlarm(queueOf(id))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await rowOf(id)).toBeNull()
  })
})

describe('the scanner', () => {
  const alarm = () => runInDurableObject(scanner, (_, { storage }) => storage.getAlarm())
  const setAlarm = (at: number | null) =>
    runInDurableObject(scanner, async (_, { storage }) => {
      await (at === null ? storage.deleteAlarm() : storage.setAlarm(at))
    })
  const expectGoing = async () => {
    const at = (await alarm())!
    expect(at).toBeGreaterThan(Date.now() - 1_000)
    expect(at).toBeLessThanOrEqual(Date.now() + 30_000)
  }

  it('scans every 30 s, shortly after the most common cron times', () => {
    const minute = Date.UTC(2026, 4, 22, 13, 5)
    const scans = [0, 5_000, 34_999, 35_000, 59_999].map(
      (after) => nextScanAt(minute + after) - minute,
    )
    expect(scans).toEqual([5_000, 35_000, 35_000, 65_000, 65_000])
  })

  it('sets its next alarm before any other work, even if the index is down', async () => {
    await env.DB.exec('ALTER TABLE triggers RENAME TO hidden')
    try {
      await wakeScanner(env)
      await scanned()
      await expectGoing()
    } finally {
      await env.DB.exec('ALTER TABLE hidden RENAME TO triggers')
    }
  })

  it("without an alarm is woken by the platform's cron trigger", async () => {
    await setAlarm(null)
    const context = createExecutionContext()
    await worker.scheduled(createScheduledController(), env)
    await waitOnExecutionContext(context)
    await expectGoing()
  })

  it('without an alarm is woken by the next new schedule', async () => {
    await setAlarm(null)
    await schedule()
    await vi.waitUntil(async () => (await alarm()) !== null)
    await expectGoing()
  })

  it('with an alarm that a clock jump moved too far is woken as well', async () => {
    await setAlarm(Date.now() + 60 * 60 * 1000)
    await wakeScanner(env)
    await expectGoing()
  })

  it('is left unchanged while it is running', async () => {
    const at = Date.now() + 20_000
    await setAlarm(at)
    await wakeScanner(env)
    expect(await alarm()).toBe(at)
  })
})
