import { describe, expect, it } from 'vitest'
import {
  failedRuns,
  failTimes,
  readReplay,
  replayedRuns,
  startReplay,
  untilReplay,
} from '../replays/harness.ts'
import { FROM_US, hidden, Person, textOf } from './person.ts'

describe('the page of failed runs', async () => {
  const person = await Person.signedIn()

  it('says that there are none', async () => {
    const { status, text } = await person.get('/failed-runs')
    expect([status, textOf(text)]).toEqual([200, expect.stringContaining('No failed runs')])
  })

  it('shows errors and runs, and leads over a preview to the progress of a replay', async () => {
    const id = await failTimes(person.owner, 2, { name: 'Greets' })
    const runs = await failedRuns(person.owner)
    const shown = await person.get('/failed-runs')
    expect(textOf(shown.text)).toContain('Error: No price.')
    expect(textOf(shown.text)).toContain('2 runs of 1 trigger, 0 replayed')
    const path = `/failed-runs/replay?fingerprint=${runs[0]!.fingerprint}`
    expect(shown.text).toContain(`href="${path}"`)
    const preview = await person.get(path)
    expect(textOf(preview.text)).toContain('at least 2 cents')
    const form = {
      csrf: hidden(preview, 'csrf', '/failed-runs/replay'),
      fingerprint: hidden(preview, 'fingerprint'),
      per_minute: '600',
      code: 'current',
    }
    const sent = await person.post('/failed-runs/replay', form)
    const location = sent.response.headers.get('location')!
    expect([sent.status, location]).toEqual([303, expect.stringMatching(/^\/replays\/[\w-]{16}$/)])
    await untilReplay(person.owner, location.slice('/replays/'.length))
    const progress = await person.get(location)
    expect(textOf(progress.text)).toMatch(/Statusdone.*Replayed2/)
    expect(progress.response.headers.get('refresh')).toBeNull()
    expect(await replayedRuns(id)).toHaveLength(2)
    expect(textOf((await person.get('/failed-runs')).text)).toContain('replayed:')
  })

  it('starts one replay if the form is submitted twice', async () => {
    const id = await failTimes(person.owner, 2)
    const runs = await failedRuns(person.owner, `&trigger_id=${id}`)
    const path = `/failed-runs/replay?${runs.map((run) => `run_ids=${run.id}`).join('&')}`
    const preview = await person.get(path)
    const form = {
      csrf: hidden(preview, 'csrf', '/failed-runs/replay'),
      idempotency_key: hidden(preview, 'idempotency_key'),
      run_ids: runs[0]!.id,
      code: 'current',
    }
    const sent = [await person.post('/failed-runs/replay', form)]
    await untilReplay(person.owner, sent[0]!.response.headers.get('location')!.slice(9))
    sent.push(await person.post('/failed-runs/replay', form))
    expect(sent.map(({ status }) => status)).toEqual([303, 303])
    const locations = sent.map(({ response }) => response.headers.get('location'))
    expect(locations[1]).toBe(locations[0])
    expect(await replayedRuns(id)).toHaveLength(1)
    const changed = await person.post('/failed-runs/replay', { ...form, run_ids: runs[1]!.id })
    expect(changed.status).toBe(422)
    const next = hidden(await person.get(path), 'idempotency_key')
    expect(next).not.toBe(form.idempotency_key)
  })

  it('replays selected runs, and cancels a replay', async () => {
    const id = await failTimes(person.owner, 2)
    const runs = await failedRuns(person.owner, `&trigger_id=${id}`)
    const query = runs.map((run) => `run_ids=${run.id}`).join('&')
    const preview = await person.get(`/failed-runs/replay?${query}`)
    for (const run of runs) expect(preview.text).toContain(`value="${run.id}"`)
    const selected = { run_ids: runs.map((run) => run.id), per_minute: 1 }
    const replay = await startReplay(person.owner, selected)
    await untilReplay(person.owner, replay.id, ({ replayed }) => replayed === 1)
    const page = await person.get(`/replays/${replay.id}`)
    expect(page.response.headers.get('refresh')).toBe('5')
    const csrf = hidden(page, 'csrf', `/replays/${replay.id}/cancel`)
    expect((await person.post(`/replays/${replay.id}/cancel`, { csrf })).status).toBe(303)
    expect(await readReplay(person.owner, replay.id)).toMatchObject({ status: 'cancelled' })
    expect((await person.post(`/replays/${replay.id}/cancel`, { csrf })).status).toBe(409)
  })

  it('IDOR: shows and replays nothing of another user', async () => {
    const mallory = await Person.signedIn()
    const [run] = await failedRuns(person.owner)
    expect((await mallory.get(`/failed-runs/replay?run_ids=${run!.id}`)).status).toBe(404)
    const { text } = await mallory.get(`/failed-runs?fingerprint=${run!.fingerprint}`)
    expect(textOf(text)).not.toContain('No price')
    const { id } = await startReplay(person.owner, {
      run_ids: [run!.id],
      include_replayed: true,
    })
    expect((await mallory.get(`/replays/${id}`)).status).toBe(404)
  })

  it('CSRF: starts nothing without a token, or for another site', async () => {
    const victim = await Person.signedIn()
    const id = await failTimes(victim.owner, 1)
    const [run] = await failedRuns(victim.owner)
    const path = '/failed-runs/replay'
    const preview = await victim.get(`${path}?run_ids=${run!.id}`)
    const form = { csrf: hidden(preview, 'csrf', path), run_ids: run!.id }
    const refused = [
      await victim.post(path, { run_ids: run!.id }),
      await victim.post(path, form, { ...FROM_US, origin: 'https://evil.test' }),
      await victim.post(path, { ...form, csrf: 'x' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await replayedRuns(id)).toEqual([])
  })
})
