import { describe, expect, it } from 'vitest'
import { edge } from '../app.ts'
import { field, signIn } from '../identity/browser.ts'
import { postMessage } from '../mcp/remote-client.ts'
import {
  approve,
  challengeOfDevice,
  CLIENT,
  connected,
  newDevice,
  pathOf,
  poll,
  requestCode,
  typeCode,
} from './device-client.ts'
import { anonymous, errorOf, refresh, signedIn } from './oauth-client.ts'

const withToken = (token: string) => postMessage({ authorization: `Bearer ${token}` })

describe('device authorization', () => {
  it('is described by the metadata of the server', async () => {
    const server: any = await (await edge('/.well-known/oauth-authorization-server')).json()
    expect(server.device_authorization_endpoint).toBe(
      'https://edge.test/oauth/device_authorization',
    )
    expect(server.grant_types_supported).toContain('urn:ietf:params:oauth:grant-type:device_code')
  })

  it('returns the codes and both links', async () => {
    const response = await requestCode({ resource: 'https://edge.test/mcp' })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await response.json()).toEqual({
      device_code: expect.stringMatching(/^svcd_[\w-]{43}$/),
      user_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      verification_uri: 'https://edge.test/device',
      verification_uri_complete: expect.stringMatching(
        /^https:\/\/edge\.test\/agent\/authorize\?challenge=[\w-]{43}$/,
      ),
      expires_in: 600,
      interval: 5,
    })
  })

  it('is approved by the complete link, and gives tokens of the MCP server', async () => {
    const person = await signedIn()
    const device = await newDevice()
    expect(await errorOf(await poll(device))).toBe('authorization_pending')
    expect((await approve(person, device)).status).toBe(200)
    const response = await poll(device)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const tokens: any = await response.json()
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'triggers:read triggers:write',
    })
    expect((await withToken(tokens.access_token)).status).toBe(200)
    const second: any = await (await refresh(CLIENT, tokens.refresh_token)).json()
    expect((await withToken(second.access_token)).status).toBe(200)
  })

  it('is approved on the page where the person types the code', async () => {
    const person = await signedIn()
    const device = await newDevice({ scope: 'triggers:read' })
    const response = await typeCode(person, ` ${device.user_code.toLowerCase()} `)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('device.example.com')
    const form = {
      challenge: field(page, 'challenge'),
      csrf: field(page, 'csrf'),
      user_code: /value="([0-9A-Z]{4}-[0-9A-Z]{4})"/.exec(page)![1]!,
      decision: 'authorize',
    }
    expect(form).toMatchObject({
      challenge: challengeOfDevice(device),
      user_code: device.user_code,
    })
    expect((await person.post('/agent/authorize', form)).status).toBe(200)
    expect(await (await poll(device)).json()).toMatchObject({ scope: 'triggers:read' })
  })

  it('continues after sign-in', async () => {
    const person = anonymous()
    const sent = (await person.get('/device')).headers.get('location')!
    expect(sent).toBe('/sign-in?next=%2Fdevice')
    await signIn(person, `${crypto.randomUUID()}@example.com`)
    expect((await person.get('/device')).status).toBe(200)
  })

  it('tells the device that the person refused', async () => {
    const person = await signedIn()
    const device = await newDevice()
    expect((await approve(person, device, { decision: 'refuse' })).status).toBe(200)
    expect(await errorOf(await poll(device))).toBe('access_denied')
  })

  it('is listed with a site that is not verified, and can be revoked', async () => {
    const person = await signedIn()
    const { access_token, refresh_token } = await connected(person)
    const page = await (await person.get('/agent/tokens')).text()
    expect(page).toContain('Site (not verified)')
    const form = { grant: field(page, 'grant'), csrf: field(page, 'csrf') }
    expect((await person.post('/agent/grants/revoke', form)).status).toBe(200)
    expect((await withToken(access_token)).status).toBe(401)
    expect(await errorOf(await refresh(CLIENT, refresh_token))).toBe('invalid_grant')
  })

  it('says so when it was approved before', async () => {
    const person = await signedIn()
    const { device } = await connected(person)
    const again = await person.get(pathOf(device))
    expect([again.status, await again.text()]).toEqual([
      200,
      expect.stringContaining('Already authorized'),
    ])
  })
})
