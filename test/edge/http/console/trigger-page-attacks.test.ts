import { html } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { TriggerNotice } from '../../../../edge/http/console/trigger-notice.tsx'
import { edge, script, success, unknownTriggerId } from '../../app.ts'
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

  it('an oracle: the page of somebody else’s trigger is that of one which is unknown, forged or malformed', async () => {
    const bytes = async (of: string) => {
      const { status, text } = await person.get(`/triggers/${of}/edit`)
      return [status, text]
    }
    const theirs = await bytes(id)
    expect(theirs[0]).toBe(404)
    for (const other of [await unknownTriggerId(), forged, 'x', `${id}A`, id.toLowerCase()])
      expect(await bytes(other)).toEqual(theirs)
  })

  it('a token for one trigger, or of one person, is none for another', async () => {
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

  it('CSRF: no form of another site, or without a page’s token, does anything', async () => {
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

  it('MEMORY: of the megabytes of who is not signed in, or on another site, nothing is read', async () => {
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

  it('clickjacking: no page of them is shown in a frame', async () => {
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

  it('the account key that a browser keeps for the console is filled into no form that is sent here', async () => {
    for (const path of ['/triggers/new?kind=webhook', `/triggers/${id}/edit`]) {
      const { text } = await victim.get(path)
      const fields = text.match(/<input[^>]*type="password"[^>]*>/g) ?? []
      expect(fields).toHaveLength(1)
      expect(fields[0]).toContain('autocomplete="new-password"')
    }
  })

  it('words of an attacker in the query of the list do not appear on it', async () => {
    const { text } = await victim.get('/triggers?deleted=%3Cimg%3Eowned&enabled=owned')
    expect(text).not.toContain('owned')
  })
})

describe('what was done, on the page of a trigger', () => {
  const noticeAt = async (query: string) => {
    const url = `https://edge.test/triggers/x?${query}`
    const trigger = { kind: 'webhook', config: {}, action_cid: 'QmAction' } as const
    return textOf((await html`${TriggerNotice({ url, trigger })}`).toString())
  }

  it('is said with what its owner should know of the key', async () => {
    expect(await noticeAt('changed=1&key=not_permitted')).toMatch(
      /^The trigger was changed\.usage_api_key: it may not execute QmAction now/,
    )
    expect(await noticeAt('enabled=1')).toContain('goes on')
  })

  it('says which signatures to choose from, if only marks decide how logs are decoded', async () => {
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

  it('words of an attacker in the query do not appear, whatever they are called', async () => {
    for (const key of ['%3Cscript%3E', 'constructor', '__proto__', 'toString'])
      expect(await noticeAt(`changed=${key}&key=${key}`)).toBe('The trigger was changed.')
    expect(await noticeAt('key=owned')).toBe('')
  })
})
