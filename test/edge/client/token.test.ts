import { describe, expect, it } from 'vitest'
import { refuseRequest } from '../../../edge/identity/agent-requests.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { newAgentToken } from '../../../shared/client/agent-token.ts'
import { db, random } from '../app.ts'
import { beginAnew, client, failureOf, fields, line, owner } from './edge-client.ts'

beginAnew()

describe('an agent token', () => {
  it('has 48 bytes and a challenge that is the base64url SHA-256 of the token', async () => {
    const made = newAgentToken((bytes) => new Uint8Array(bytes).fill(7))
    expect(made.token).toBe('BwcH'.repeat(16))
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(made.token))
    expect(made.challenge).toBe(
      btoa(String.fromCharCode(...new Uint8Array(hash)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', ''),
    )
    expect(made.comparisonCode).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(newAgentToken().token).not.toBe(newAgentToken().token)
  })

  it('token leak: the authorization URL contains only the challenge', () => {
    const made = newAgentToken()
    const url = new URL(made.authorizeUrl('https://edge.test'))
    expect(url.pathname).toBe('/agent/authorize')
    expect([...url.searchParams]).toEqual([['challenge', made.challenge]])
    expect(url.href).not.toContain(made.token)
  })

  it('can be awaited until a user approves it', async () => {
    const { token, challenge } = newAgentToken()
    line.way = async (request, send) => {
      const answer = await send(request)
      if (line.asked.length === 3)
        await approveAgentToken({ db, now: Date.now, random }, { challenge, userId: owner.id })
      return answer
    }
    const me = await client({ token: undefined }).waitUntilAuthorized({ token })
    expect(me).toMatchObject({ id: owner.id, token_expires_at: expect.any(String) })
    expect(line.asked).toEqual(Array(4).fill('GET /api/me'))
    expect(line.waits).toEqual([1_000, 1_000, 1_000])
    expect(await client({ token }).me()).toEqual(me)
  })

  it('is not awaited if it is malformed, after another error, or when aborted', async () => {
    const { token } = newAgentToken()
    line.way = async () =>
      Response.json({ error: 'forbidden', message: 'm', fix: 'f' }, { status: 403 })
    const triggers = client({ token })
    expect(await failureOf(triggers.waitUntilAuthorized())).toMatchObject({ name: 'Forbidden' })
    line.asked = []
    const malformed = failureOf(triggers.waitUntilAuthorized({ token: 'a b' }))
    expect(await malformed).toMatchObject({ name: 'NotSent', code: 'bad_credential' })
    expect(line.asked).toEqual([])
    const controller = new AbortController()
    const { signal } = controller
    line.way = async (request, send) => {
      controller.abort(new Error('enough'))
      return send(request)
    }
    expect(await failureOf(triggers.waitUntilAuthorized({ signal }))).toMatchObject({
      message: 'enough',
    })
  })

  it('token leak: registration sends only the challenge, label and scopes', async () => {
    const agent = newAgentToken()
    let sent: unknown
    line.way = async (asking, send) => {
      sent = await asking.clone().json()
      expect(asking.headers.has('authorization')).toBe(false)
      return send(asking)
    }
    const scopes = ['triggers:read' as const]
    const request = { ...agent, label: 'a script', scopes }
    const registered = await client({ token: undefined }).registerAgentRequest(request)
    expect(sent).toEqual({ challenge: agent.challenge, label: 'a script', scopes })
    expect(registered).toEqual({
      request_id: expect.any(String),
      user_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      authorize_url: agent.authorizeUrl('https://edge.test'),
      expires_at: expect.any(String),
    })
    const again = failureOf(client().registerAgentRequest(request))
    expect(await again).toMatchObject({ name: 'Conflict', code: 'challenge_taken' })
  })

  it('is no longer awaited after its request was refused', async () => {
    const { token, challenge } = newAgentToken()
    const { request_id } = await client().registerAgentRequest({ challenge, label: 'refused' })
    line.way = async (request, send) => {
      if (line.asked.length === 4) await refuseRequest({ db, now: Date.now, random }, request_id)
      return send(request)
    }
    expect(await failureOf(client({ token }).waitUntilAuthorized())).toMatchObject({
      name: 'Unauthorized',
      code: 'request_refused',
    })
    expect(line.waits).toEqual([1_000, 1_000])
  })

  it('is required before anything is sent', async () => {
    const triggers = client({ token: undefined })
    for (const call of [() => triggers.me(), () => triggers.create(fields())])
      expect(await failureOf(call())).toMatchObject({ name: 'NotSent', code: 'no_token' })
    expect(line.asked).toEqual([])
  })
})
