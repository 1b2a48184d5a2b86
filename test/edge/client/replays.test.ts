import { describe, expect, it, vi } from 'vitest'
import { script, success } from '../app.ts'
import { throwing } from '../replays/harness.ts'
import {
  beginAnew,
  client,
  created,
  ended,
  failureOf,
  line,
  lose,
  onceFor,
  smallPages,
} from './edge-client.ts'

beginAnew()

async function failedRuns(count: number) {
  const { id } = await created({ action_code: throwing('Error: No price.') })
  await ended(id, count)
  const runs = await vi.waitUntil(
    async () => {
      const listed = await client().failedRuns({ triggerId: id }).all()
      return listed.length === count && listed
    },
    { timeout: 15_000, interval: 50 },
  )
  return { id, runs }
}

/** Returns the IDs of the bulk replays other than the given ones. */
async function replaysExcept(known: readonly string[]): Promise<string[]> {
  const replays = await client().replays().all()
  return replays.map(({ id }) => id).filter((id) => !known.includes(id))
}

describe('failed runs', () => {
  it('are listed in pages, filtered and grouped', async () => {
    const { id, runs } = await failedRuns(3)
    line.way = smallPages
    expect(await client().failedRuns({ triggerId: id }).all()).toEqual(runs)
    expect(await client().failedRuns({ triggerId: id, limit: 1 }).all()).toEqual([runs[0]])
    const later = { triggerId: id, since: new Date(runs[0]!.failed_at) }
    expect(await client().failedRuns(later).all()).toEqual([runs[0]])
    expect(await client().failedRuns({ triggerId: id, replayed: true }).all()).toEqual([])
    const groups = await client().errorGroups({ triggerId: id }).all()
    expect(groups).toMatchObject([{ count: 3, trigger_ids: [id] }])
  })
})

describe('a bulk replay', () => {
  it('is previewed, started, awaited and listed', async () => {
    const { id, runs } = await failedRuns(2)
    await client().patch(id, { action_code: script(success()) })
    const fields = { fingerprint: runs[0]!.fingerprint, trigger_id: id }
    expect(await client().previewReplay(fields)).toMatchObject({ selected: 2 })
    const started = await client().startReplay(fields)
    const done = await client().waitForReplay(started.id)
    expect(done).toMatchObject({ status: 'done', replayed: 2 })
    expect(await client().replays().all()).toEqual([done])
    expect(await failureOf(client().cancelReplay(started.id))).toMatchObject({
      code: 'replay_ended',
    })
  })

  it('is started once if the response is lost, and the retry returns it', async () => {
    const { runs } = await failedRuns(1)
    // Without the key, each request would start a replay.
    const fields = { run_ids: [runs[0]!.id], include_replayed: true }
    const before = await replaysExcept([])
    line.way = onceFor(/replays$/, lose)
    line.asked = []
    const { id: started } = await client({ times: 1 }).startReplay(fields)
    expect(line.asked).toEqual(['POST /api/replays', 'POST /api/replays'])
    expect(await replaysExcept(before)).toEqual([started])
  })

  it('is started once by a caller that repeats the call with the key of the error', async () => {
    const { runs } = await failedRuns(1)
    const fields = { run_ids: [runs[0]!.id], include_replayed: true }
    const before = await replaysExcept([])
    line.way = lose
    const failure = await failureOf(client({ times: 1 }).startReplay(fields))
    expect(failure).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    line.way = (request, pass) => pass(request)
    const idempotencyKey = Reflect.get(failure, 'idempotencyKey') as string
    const { id: started } = await client().startReplay(fields, { idempotencyKey })
    expect(await replaysExcept(before)).toEqual([started])
    const other = { ...fields, code: 'original' } as const
    expect(await failureOf(client().startReplay(other, { idempotencyKey }))).toMatchObject({
      name: 'Unprocessable',
    })
  })

  it('needs a well-formed ID', async () => {
    expect(await failureOf(client().replay('../me'))).toMatchObject({ code: 'malformed_id' })
  })
})
