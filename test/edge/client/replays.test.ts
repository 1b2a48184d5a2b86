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

  it('is not started twice if the response is lost', async () => {
    const { id } = await failedRuns(1)
    line.way = lose
    line.asked = []
    const failure = await failureOf(client({ times: 4 }).startReplay({ trigger_id: id }))
    expect(failure).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(line.asked).toHaveLength(1)
  })

  it('needs a well-formed ID', async () => {
    expect(await failureOf(client().replay('../me'))).toMatchObject({ code: 'malformed_id' })
  })
})
