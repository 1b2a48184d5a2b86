import { describe, expect, it } from 'vitest'
import type { ErrorGroup, FailedRun } from '../../../shared/wire/failed-runs.ts'
import { type Owner, runOnce, script, someOwner, success } from '../app.ts'
import { failedRuns, failTimes, get, patch, send, throwing, untilFailed } from './harness.ts'

const owner: Owner = await someOwner()
const one = await failTimes(owner, 3)
const two = await failTimes(owner, 2)
const three = await failTimes(owner, 1, { action_code: throwing('TypeError: x is not a function') })
const all = await untilFailed(owner, 6)

describe('GET /api/failed-runs', () => {
  it('lists the failed runs of all triggers, latest failure first', () => {
    expect(all.map(({ trigger_id }) => trigger_id)).toEqual([three, two, two, one, one, one])
    expect(all[0]).toEqual({
      id: expect.stringContaining(three),
      trigger_id: three,
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      code: 'action_threw',
      message: 'TypeError: x is not a function',
      frame: 'at main (action.js:3:9)',
      attempt: 1,
      queued_at: expect.any(String),
      failed_at: expect.any(String),
      replay: null,
    })
  })

  it('returns pages without gaps or repetitions', async () => {
    const ids: string[] = []
    let query = '?limit=4'
    for (;;) {
      type Page = { failed_runs: FailedRun[]; next_cursor: string | null }
      const page: Page = await get(owner, `/api/failed-runs${query}`)
      ids.push(...page.failed_runs.map(({ id }) => id))
      if (page.next_cursor === null) break
      query = `?limit=4&cursor=${page.next_cursor}`
    }
    expect(ids).toEqual(all.map(({ id }) => id))
  })

  it('filters by trigger, fingerprint and time of failure', async () => {
    const ids = async (query: string) => (await failedRuns(owner, query)).map(({ id }) => id)
    const [first, second] = all as [FailedRun, FailedRun]
    expect(await ids(`&trigger_id=${two}`)).toEqual(all.slice(1, 3).map(({ id }) => id))
    expect(await ids(`&fingerprint=${second.fingerprint}`)).toHaveLength(5)
    expect(await ids(`&since=${first.failed_at}`)).toEqual([first.id])
    expect(await ids(`&until=${first.failed_at}`)).toEqual(all.slice(1).map(({ id }) => id))
  })

  it('shows a single replay and its state', async () => {
    const run = all[0]!
    await patch(owner, three, { action_code: script(success()) })
    const { run_id } = await (
      await send(owner, `/api/runs/${run.id}/replay`)
    ).json<{ run_id: string }>()
    await runOnce(owner, run_id)
    const [listed] = await failedRuns(owner, `&trigger_id=${three}&replayed=true`)
    expect(listed!.replay).toEqual({ replay_id: null, run_id, status: 'success' })
    expect(await failedRuns(owner, `&trigger_id=${three}&replayed=false`)).toEqual([])
  })

  it('IDOR: does not list failed runs of other users', async () => {
    const mallory = await someOwner()
    expect(await failedRuns(mallory)).toEqual([])
    expect(await failedRuns(mallory, `&trigger_id=${one}`)).toEqual([])
  })

  it.each(['trigger_id=x', 'fingerprint=XYZ', 'since=yesterday', 'cursor=AAAA', 'replayed=maybe'])(
    'returns 422 and names the field: %s',
    async (query) => {
      const response = await owner.api(`/api/failed-runs?${query}`)
      const { message }: { message: string } = await response.json()
      expect([response.status, message]).toEqual([
        422,
        expect.stringContaining(query.split('=')[0]!),
      ])
    },
  )
})

describe('GET /api/failed-runs/groups', () => {
  type Page = { error_groups: ErrorGroup[]; next_cursor: string | null }
  const groups = (query = '') => get<Page>(owner, `/api/failed-runs/groups${query}`)

  it('groups by error across triggers, latest failure first', async () => {
    const { error_groups, next_cursor } = await groups()
    expect(next_cursor).toBeNull()
    expect(error_groups).toMatchObject([
      { count: 1, trigger_ids: [three], example: { message: 'TypeError: x is not a function' } },
      {
        fingerprint: all[1]!.fingerprint,
        count: 5,
        replayed: 0,
        first_failed_at: all[5]!.failed_at,
        last_failed_at: all[1]!.failed_at,
        example: { id: all[1]!.id, message: 'Error: No price.' },
      },
    ])
    expect(error_groups[1]!.trigger_ids.toSorted()).toEqual([one, two].toSorted())
  })

  it('returns pages and applies filters', async () => {
    const first = await groups('?limit=1')
    const second = await groups(`?limit=1&cursor=${first.next_cursor}`)
    const counts = [first, second].map(({ error_groups }) => error_groups[0]!.count)
    expect([...counts, second.next_cursor]).toEqual([1, 5, null])
    expect((await groups(`?trigger_id=${two}`)).error_groups).toMatchObject([{ count: 2 }])
  })
})
