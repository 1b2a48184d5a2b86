import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../shared/wire/outcome.ts'
import { edge, env, fire, queueOf, runOnce, script, unknownTriggerId } from '../app.ts'
import { failure } from './failure.ts'
import { FROM_US, hidden, type Page, Person, textOf } from './person.ts'

const person = await Person.signedIn()
const stranger = await Person.signedIn()
const { owner } = person

/** Returns the response without the parts that differ between requests. */
const bytesOf = ({ status, text, response }: Page) => ({
  status,
  text: text.replace(/name="csrf" value="[^"]*"/g, ''),
  headers: [...response.headers].filter(([name]) => name !== 'x-request-id'),
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
    `/triggers/${trigger}/tail.json?after=x&wait=1`,
    `/runs/${run}`,
    `/runs/${run}/state.json`,
  ]
  const POSTS = (trigger: string, run: string) => [
    `/triggers/${trigger}/test`,
    `/triggers/${trigger}/purge`,
    `/runs/${run}/replay`,
    `/runs/${run}/cancel`,
  ]

  it('ID probing: foreign IDs get the same response as unknown and malformed ones', async () => {
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
    'CSRF: %s rejects forms of other sites and tokens of other pages',
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
    'cross-site read: %s requires a session and a script of this site',
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
  /** Expects that the markup was neither parsed nor executable. */
  const isText = ({ text }: Page) => {
    const [, main] = text.split('<main')
    expect(main).not.toMatch(/<img|<script>|onerror=alert\(1\)>(?!&quot;)|\u202e|href="javascript/)
    expect(textOf(text)).toContain('<img src=x onerror=alert(1)>')
    expect(text).toContain('‹U+202E›')
  }

  it('XSS: escapes the name, source and params of a trigger', async () => {
    const trigger = await person.trigger({ name: MARKUP })
    isText(await person.get(`/triggers/${trigger.id}`))
    const params = await person.trigger({ default_params: { [MARKUP]: MARKUP } })
    isText(await person.get(`/triggers/${params.id}`))
    const source = await person.trigger({
      action_code: script(failure({ message: MARKUP })),
    })
    const { text } = await person.get(`/triggers/${source.id}`)
    expect(text.split('<main')[1]).not.toMatch(/<img|<script>|\u202e/)
  })

  it.each([
    ['response', { ...failure().outcome, status: 'success', response: { [MARKUP]: MARKUP } }],
    ['error', failure({ message: MARKUP, stack: '' }).outcome],
    ['stack', failure({ message: 'Error', stack: `Error\n at ${MARKUP}` }).outcome],
    ['log', failure({ logs: [{ level: 'log', at_ms: 1, text: MARKUP }] }).outcome],
  ])('XSS: escapes the %s of a run on its page and in the list', async (field, outcome) => {
    const trigger = await person.trigger({ action_code: script({ outcome: outcome as Outcome }) })
    const run = await fire(trigger.id)
    await runOnce(owner, run)
    isText(await person.get(`/runs/${run}`))
    const list = await person.get(`/triggers/${trigger.id}`)
    expect(list.text.split('<main')[1]).not.toMatch(/<img|<script>|\u202e/)
    if (field === 'error') expect(textOf(list.text)).toContain('<img src=x onerror=alert(1)>')
  })

  it('XSS: escapes the body, header, query and content type of a sender', async () => {
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

  it('XSS: escapes every field of a log', async () => {
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

  it('HTML injection: shows the event of a block as plain text', async () => {
    const { id: trying } = await person.trigger()
    const action = `/triggers/${trying}/test`
    const csrf = hidden(await person.get(`/triggers/${trying}`), 'csrf', action)
    const event = { chain: MARKUP, block_number: MARKUP, block_hash: MARKUP, every: MARKUP }
    const json = JSON.stringify({ source: 'chain_event', event })
    const { response } = await person.post(action, { csrf, what: 'params', json })
    const page = await person.get(response.headers.get('location')!)
    isText(page)
    expect(textOf(page.text)).toMatch(/Interval<img src=x onerror=alert\(1\)>.*gnp\.exe blocks/)
  })

  it('HTML injection: shows the event of a transaction as plain text', async () => {
    const { id: trying } = await person.trigger()
    const action = `/triggers/${trying}/test`
    const csrf = hidden(await person.get(`/triggers/${trying}`), 'csrf', action)
    const event = { transaction_hash: MARKUP, from: MARKUP, to: MARKUP, value: MARKUP }
    const json = JSON.stringify({ source: 'chain_event', event: { ...event, status: MARKUP } })
    const { response } = await person.post(action, { csrf, what: 'params', json })
    const page = await person.get(response.headers.get('location')!)
    isText(page)
    expect(textOf(page.text)).toMatch(/Value in wei<img src=x onerror=alert\(1\)>/)
  })

  it('stolen key: the page of a run can send a key only to the core API', async () => {
    const { response } = await person.get(`/runs/${ended}`)
    const policy = response.headers.get('content-security-policy')!
    const own = new URL(env.PUBLIC_URL).origin
    expect(policy).toMatch(/^default-src 'none';/)
    expect(/connect-src ([^;]*)/.exec(policy)![1]).toBe(own)
    expect(/script-src ([^;]*)/.exec(policy)![1]!.split(' ')).toEqual(
      ['runs', 'transactions', 'console', 'verifier'].map((name) => `${own}/scripts/${name}.js`),
    )
    expect(policy).toContain("require-trusted-types-for 'script'")
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'prototype names: shows %s as plain text',
    async (decode) => {
      const { id: trying } = await person.trigger()
      const action = `/triggers/${trying}/test`
      const csrf = hidden(await person.get(`/triggers/${trying}`), 'csrf', action)
      const json = JSON.stringify({ source: 'chain_event', event: { decode } })
      const { response } = await person.post(action, { csrf, what: 'params', json })
      const { text } = await person.get(response.headers.get('location')!)
      expect(text).toContain(`<dt>Decoding</dt><dd><bdi>${decode}</bdi></dd>`)
    },
  )

  it('JSON bomb: limits the page of an event that is nested 500 deep and wide', async () => {
    const trigger = await person.trigger()
    const wide = `${'['.repeat(500)}${'1,'.repeat(100_000)}1${']'.repeat(500)}`
    const run = await fire(trigger.id, wide, { headers: { 'content-type': 'application/json' } })
    await runOnce(owner, run)
    const { status, text } = await person.get(`/runs/${run}`)
    expect(status).toBe(200)
    expect(text.length).toBeLessThan(100_000)
    expect(textOf(text)).toContain('Truncated.')
  })
})
