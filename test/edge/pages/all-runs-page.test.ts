import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { edge, fire, kill, post, queueOf, runOnce, script, success } from '../app.ts'
import { throwing } from '../replays/harness.ts'
import { isInert, MARKUPS } from './markup.ts'
import { Person, textOf } from './person.ts'

/** Restarts the objects, which then report without delay, and waits until the page has their runs. */
async function untilShown(person: Person, runIds: readonly string[]): Promise<void> {
  const triggers = new Set(runIds.map((id) => id.slice(0, 32)))
  for (const id of triggers) await kill(id)
  await vi.waitFor(
    async () => {
      for (const id of triggers) await runDurableObjectAlarm(queueOf(id))
      const { text } = await person.get('/runs')
      for (const id of runIds) expect(text).toContain(`href="/runs/${id}"`)
    },
    { timeout: 15_000, interval: 100 },
  )
}

const shown = (text: string) =>
  [...text.matchAll(/name="run_ids" value="([\w-]{48})"/g)].map(([, id]) => id)

describe('the page of all runs', () => {
  it('redirects a signed-out user to sign in, and back afterwards', async () => {
    const response = await edge('/runs?status=failed', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/sign-in?next=%2Fruns%3Fstatus%3Dfailed',
    ])
  })

  it('leads to the first trigger if there is none', async () => {
    const { text } = await (await Person.signedIn()).get('/runs')
    expect(textOf(text)).toContain('No runs yet')
    expect(text).toContain('<a class="button" href="/triggers/new">')
  })

  it('shows, searches and selects runs of all triggers, and leads to the preview of a replay', async () => {
    const person = await Person.signedIn()
    const good = await person.trigger({ name: 'orders', action_code: script(success('hi')) })
    const bad = await person.trigger({ name: 'prices', action_code: throwing('Error: No price.') })
    const first = await fire(good.id, '{"n": 1}', {
      headers: { 'content-type': 'application/json' },
    })
    const second = await fire(bad.id)
    const { path, init } = post(`/api/triggers/${good.id}/test`, { event: {} })
    const { run_id: test } = await (await person.owner.api(path, init)).json<{ run_id: string }>()
    for (const id of [first, second, test]) await runOnce(person.owner, id)
    await untilShown(person, [first, second, test])

    const all = await person.get('/runs')
    expect(shown(all.text)).toEqual([test, second, first])
    expect(textOf(all.text)).toMatch(/Error: No price\.[^]*?Failed[^]*?prices/)
    expect(textOf(all.text)).toMatch(/SucceededTest|Succeeded Test/)
    expect(shown((await person.get('/runs?status=failed')).text)).toEqual([second])
    expect(shown((await person.get(`/runs?trigger=${good.id}`)).text)).toEqual([test, first])
    expect(shown((await person.get('/runs?error=no+price')).text)).toEqual([second])
    expect(shown((await person.get('/runs?param=event.n%3D1')).text)).toEqual([first])
    expect(shown((await person.get('/runs?since=2000-01-01T00:00')).text)).toHaveLength(3)
    const none = textOf((await person.get('/runs?until=2000-01-01T00:00')).text)
    expect(none).toContain('No runs match.')

    const preview = await person.get(
      `/failed-runs/replay?from=runs&run_ids=${first}&run_ids=${second}`,
    )
    expect(textOf(preview.text)).toMatch(/Runs2/)
    expect(preview.text).toContain('<a href="/runs">Back to the runs</a>')
  })

  it('shows a problem of the search at its field, and no runs', async () => {
    const person = await Person.signedIn()
    for (const [query, problem] of [
      ['param=x', 'expected path=value'],
      ['header=x', 'expected name:value'],
      ['since=yesterday', 'expected a time'],
      ['error=x&status=success', 'only failed runs have an error'],
    ]) {
      const { status, text } = await person.get(`/runs?${query}`)
      expect(status).toBe(200)
      expect(textOf(text)).toContain(problem)
      expect(text).toContain('aria-invalid="true"')
    }
  })

  it('keeps the filter in the link to older runs', async () => {
    const person = await Person.signedIn()
    const { id } = await person.trigger({ action_code: script(success()), name: 'many' })
    const runs: string[] = []
    for (let n = 0; n < 51; n++) runs.push(await fire(id))
    await untilShown(person, runs.slice(-50))
    const { text } = await person.get(`/runs?trigger=${id}`)
    expect(shown(text)).toHaveLength(50)
    const [, next] = /href="(\/runs\?trigger=[^"]+)" rel="next"/.exec(text)!
    const older = await person.get(next!.replaceAll('&amp;', '&'))
    expect(shown(older.text)).toEqual([runs[0]])
    expect(older.text).toContain(`href="/runs?trigger=${id}"`)
  })

  it('XSS: escapes names, results and what was entered', async () => {
    const person = await Person.signedIn()
    for (const markup of MARKUPS) {
      const { id } = await person.trigger({
        name: markup,
        action_code: script(success(markup)),
      })
      const runId = await fire(id)
      await runOnce(person.owner, runId)
      await untilShown(person, [runId])
      const query = new URLSearchParams({ trigger: markup, param: markup, since: markup })
      for (const path of ['/runs', `/runs?${query.toString()}`]) {
        isInert(await person.get(path))
      }
    }
  })
})
