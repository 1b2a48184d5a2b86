import {
  createExecutionContext,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { nextScanAt } from '../../../edge/schedule/scheduler.ts'
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
/** Never due while a test runs. */
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

/** A tick of three seconds ago, and a cron that has it. */
function justDue(): { due: number; config: { cron: string } } {
  const due = Math.floor(Date.now() / 1000) * 1000 - 3_000
  const at = new Date(due)
  const time = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()]
  return { due, config: { cron: [...time, at.getUTCDate(), at.getUTCMonth() + 1, '*'].join(' ') } }
}

/** The object comes to a tick that is due, and its alarm has been lost. */
async function loseAlarm(id: string, due: number): Promise<void> {
  await sql(id, 'UPDATE "trigger" SET next_tick_at = ?', due)
  await kill(id)
  await runInDurableObject(queueOf(id), (_, { storage }) => storage.deleteAlarm())
  await kill(id)
  await setRow(id, `look_at = ${due}`)
}

/** One scan, to its end. */
async function scanned(): Promise<void> {
  await runDurableObjectAlarm(scanner)
  await vi.waitUntil(() => runInDurableObject(scanner, (scheduler) => !scheduler.isScanning))
}

async function runsOf(id: string) {
  const rows = await sql<{ suffix: string }>(id, 'SELECT suffix FROM runs')
  return rows.map(({ suffix }) => id + suffix)
}

it('the first request of an isolate wakes the scanner', async () => {
  const alarm = () => runInDurableObject(scanner, (_, { storage }) => storage.getAlarm())
  expect(await alarm()).toBeNull()
  await edge('/health')
  await vi.waitUntil(async () => (await alarm()) !== null)
})

describe('a schedule whose own alarm is lost', () => {
  it('fires its tick within one scan, and goes on by itself', async () => {
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

  it('fires it once, however often it is looked at', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    await Promise.all([queueOf(id).visit(1), queueOf(id).visit(1), queueOf(id).visit(1)])
    expect(await runsOf(id)).toHaveLength(1)
  })

  it('fires a tick that was due before its cron was changed', async () => {
    const { due, config } = justDue()
    const { id } = await schedule({ config })
    await loseAlarm(id, due)
    await queueOf(id).change(owner.id, { config: { cron: '0 4 1 1 *' } })
    const [runId] = await runsOf(id)
    expect(await runOnce(owner, runId!)).toMatchObject({ input: config })
  })

  it('is left alone by a look while its alarm is as it should be', async () => {
    const { id } = await schedule()
    const armed = await alarmOf(id)
    const { version, nextTickAt } = (await queueOf(id).visit(1))!
    expect({ version, armed: await alarmOf(id) }).toEqual({ version: 1, armed })
    expect(armed).toBeLessThanOrEqual(nextTickAt!)
  })
})

describe('the index', () => {
  const listed = async () => {
    const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    return list.map(({ id, name }) => ({ id, name }))
  }

  it('whose row is older than the object: the scanner has it written anew', async () => {
    const { id } = await createTrigger(owner, { name: 'the truth' })
    await queueOf(id).change(owner.id, { name: 'the new truth' })
    const { record } = (await rowOf(id))!
    const old = record.replace('the new truth', 'the truth')
    await setRow(id, `version = 1, checked_at = 0, record = '${old}'`)
    await scanned()
    await vi.waitUntil(async () => (await rowOf(id))!.version === 2)
    expect(await listed()).toContainEqual({ id, name: 'the new truth' })
  })

  it('whose row claims to be newer than the object: the object has the last word', async () => {
    const { id } = await createTrigger(owner, { name: 'the truth' })
    await setRow(id, `version = 40, checked_at = 0, record = replace(record, 'the truth', 'a lie')`)
    await scanned()
    await vi.waitUntil(async () => (await rowOf(id))!.version === 41)
    expect(await listed()).toContainEqual({ id, name: 'the truth' })
  })

  it('with a row of a trigger that is gone: the scanner deletes it', async () => {
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

  it('that has lost a row gets it back from the object within a day', async () => {
    const { id } = await createTrigger(owner, { name: 'lost' })
    expect((await alarmOf(id))! - Date.now()).toBeLessThanOrEqual(DAY)
    await env.DB.exec(`DELETE FROM triggers WHERE id = '${id}'`)
    await sql(id, 'UPDATE "trigger" SET index_checked_at = ?', Date.now() - DAY - 1)
    await kill(id)
    await runDurableObjectAlarm(queueOf(id))
    await vi.waitUntil(async () => (await rowOf(id)) !== null)
    expect(await listed()).toContainEqual({ id, name: 'lost' })
  })

  it('is not asked by an object that has looked today', async () => {
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

  it('scans every 30 s, shortly after the times that most crons name', () => {
    const minute = Date.UTC(2026, 4, 22, 13, 5)
    const scans = [0, 5_000, 34_999, 35_000, 59_999].map(
      (after) => nextScanAt(minute + after) - minute,
    )
    expect(scans).toEqual([5_000, 35_000, 35_000, 65_000, 65_000])
  })

  it('sets its next alarm before it does anything, also when the index is away', async () => {
    await env.DB.exec('ALTER TABLE triggers RENAME TO hidden')
    try {
      await wakeScanner(env)
      await scanned()
      await expectGoing()
    } finally {
      await env.DB.exec('ALTER TABLE hidden RENAME TO triggers')
    }
  })

  it('whose alarm is lost is woken by the clock of the platform', async () => {
    await setAlarm(null)
    const context = createExecutionContext()
    await worker.scheduled(createScheduledController(), env)
    await waitOnExecutionContext(context)
    await expectGoing()
  })

  it('whose alarm is lost is woken by the next schedule that is made', async () => {
    await setAlarm(null)
    await schedule()
    await vi.waitUntil(async () => (await alarm()) !== null)
    await expectGoing()
  })

  it('whose alarm a jumping clock has put out of reach is woken too', async () => {
    await setAlarm(Date.now() + 60 * 60 * 1000)
    await wakeScanner(env)
    await expectGoing()
  })

  it('is left as it is when it is going', async () => {
    const at = Date.now() + 20_000
    await setAlarm(at)
    await wakeScanner(env)
    expect(await alarm()).toBe(at)
  })
})
