import { html } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { TriggerNotice } from '../../../edge/pages/triggers/detail/trigger-notice.tsx'
import { edge, script, success, unknownTriggerId } from '../app.ts'
import { FROM_US, hidden, Person, textOf } from './person.ts'

const person = await Person.signedIn()

const FILLED = {
  name: 'by hand',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  default_params: '{"a": 1}',
}

describe('attacks on the forms', async () => {
  const victim = await Person.signedIn()
  const { id } = await victim.trigger({ name: 'of somebody else' })
  const forged = id.slice(0, 31) + (id[31] === 'A' ? 'B' : 'A')
  const POSTS = ['edit', 'enable', 'disable', 'delete']

  it('ID probing: a foreign trigger has the same page as an unknown, forged or malformed ID', async () => {
    const bytes = async (of: string) => {
      const { status, text } = await person.get(`/triggers/${of}/edit`)
      return [status, text]
    }
    const theirs = await bytes(id)
    expect(theirs[0]).toBe(404)
    for (const other of [await unknownTriggerId(), forged, 'x', `${id}A`, id.toLowerCase()])
      expect(await bytes(other)).toEqual(theirs)
  })

  it('stolen token: a CSRF token is valid only for one trigger and one user', async () => {
    const mine = await person.trigger()
    const csrf = hidden(await person.get(`/triggers/${mine.id}/edit`), 'csrf')
    for (const action of POSTS) {
      expect((await person.post(`/triggers/${id}/${action}`, { csrf })).status).toBe(403)
      const theirs = hidden(await victim.get(`/triggers/${id}/edit`), 'csrf')
      expect((await person.post(`/triggers/${id}/${action}`, { csrf: theirs })).status).toBe(403)
    }
    expect(await (await victim.owner.api(`/api/triggers/${id}`)).json()).toMatchObject({
      enabled: true,
      name: 'of somebody else',
    })
  })

  it('CSRF: rejects forms of other sites and forms without a token', async () => {
    const page = await victim.get(`/triggers/${id}/edit`)
    for (const action of [
      ...POSTS.map((name) => `/triggers/${id}/${name}`),
      '/triggers/new?kind=webhook',
    ]) {
      const csrf = hidden(page, 'csrf')
      const refused = [
        await victim.post(action, { csrf, ...FILLED }, { origin: 'https://evil.test' }),
        await victim.post(
          action,
          { csrf, ...FILLED },
          { ...FROM_US, 'sec-fetch-site': 'cross-site' },
        ),
        await victim.post(action, { csrf, ...FILLED }, {}),
        await victim.post(action, FILLED),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    }
    expect(await (await victim.owner.api('/api/triggers')).json()).toHaveLength(1)
  })

  it('memory: does not read megabytes from a signed-out client or another site', async () => {
    for (const [headers, status] of [
      [FROM_US, 303],
      [{ ...FROM_US, 'sec-fetch-site': 'cross-site' }, 403],
    ] as const) {
      let chunks = 0
      const body = new ReadableStream({
        pull(stream) {
          if (chunks++ === 20) stream.close()
          else stream.enqueue(new Uint8Array(64 * 1024).fill(0x61))
        },
      })
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await edge('/triggers/new?kind=webhook', {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { ...headers, ...type },
      })
      expect([answer.status, chunks <= 2]).toEqual([status, true])
    }
  })

  it('clickjacking: shows no page in a frame', async () => {
    for (const path of [
      '/triggers',
      '/triggers/new',
      '/triggers/new?kind=webhook',
      `/triggers/${id}/edit`,
    ]) {
      const { headers } = (await victim.get(path)).response
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('stolen key: the browser does not fill the saved account key into any form', async () => {
    for (const path of ['/triggers/new?kind=webhook', `/triggers/${id}/edit`]) {
      const { text } = await victim.get(path)
      const fields = text.match(/<input[^>]*type="password"[^>]*>/g) ?? []
      // The usage key and the secret of the sender.
      expect(fields).toHaveLength(2)
      for (const field of fields) expect(field).toContain('autocomplete="new-password"')
    }
  })

  it('stolen key: the form neither lists triggers of other users nor copies their keys', async () => {
    await person.trigger({ name: 'my own' })
    const path = '/triggers/new?kind=webhook'
    const form = await person.get(path)
    expect(form.text).toContain('my own (Webhook)')
    expect(form.text).not.toContain('of somebody else')
    const stolen = { ...FILLED, usage_api_key: '', usage_key_of: id }
    const page = await person.post(path, { csrf: hidden(form, 'csrf'), ...stolen })
    expect(page.status).toBe(422)
    expect(textOf(page.text)).toContain('You have no trigger with this ID.')
  })

  it('content injection: ignores text in the query of the list', async () => {
    const { text } = await victim.get('/triggers?deleted=%3Cimg%3Eowned&enabled=owned')
    expect(text).not.toContain('owned')
  })
})

describe('the notice on the page of a trigger', () => {
  const noticeAt = async (query: string) => {
    const url = `https://edge.test/triggers/x?${query}`
    const trigger = { kind: 'webhook', config: {}, action_cid: 'QmAction' } as const
    return textOf((await html`${TriggerNotice({ url, trigger })}`).toString())
  }

  it('describes the change, and warns about the key', async () => {
    expect(await noticeAt('changed=1&key=not_permitted')).toMatch(
      /^Trigger updated\.usage_api_key: the key cannot execute QmAction\./,
    )
    expect(await noticeAt('enabled=1')).toContain('Trigger resumed.')
  })

  it('suggests signatures if only indexed marks determine the decoding', async () => {
    const config = {
      chain: 'ethereum',
      contract_address: `0x${'11'.repeat(20)}`,
      event_signature: 'Handed(address,address)',
    }
    const trigger = { kind: 'chain_event', config, action_cid: 'QmAction' } as const
    const shown = async (query: string) => {
      const notice = TriggerNotice({ url: `https://edge.test/triggers/x?${query}`, trigger })
      return textOf((await html`${notice}`).toString())
    }
    for (const query of ['created=1', 'changed=1'])
      expect(await shown(query)).toContain('Handed(address indexed, address)')
    expect(await shown('')).toBe('')
  })

  it('content injection: ignores unknown and inherited names in the query', async () => {
    for (const key of ['%3Cscript%3E', 'constructor', '__proto__', 'toString'])
      expect(await noticeAt(`changed=${key}&key=${key}`)).toBe('Trigger updated.')
    expect(await noticeAt('key=owned')).toBe('')
  })
})
