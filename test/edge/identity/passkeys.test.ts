import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { localMailbox } from '../../../edge/db/schema.ts'
import { decodeBase64url } from '../../../shared/encoding/base64url.ts'
import { PASSKEYS_MAX, RECENT_SIGN_IN_MS } from '../../../shared/limits.ts'
import { field, openBrowser, signIn } from './browser.ts'
import { database, db, identityApp, PUBLIC_URL } from './harness.ts'
import {
  accountToken,
  addPasskey,
  registrationOptions,
  signInByPasskey,
  signInOptions,
  somebody,
  whoIsSignedIn,
  withPasskey,
} from './passkey-person.ts'

const edge = identityApp()

describe('a passkey', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'with %s can be added on the account page and used to sign in elsewhere',
    async (algorithm) => {
      const person = await somebody(edge)
      const added = await addPasskey(person, { algorithm, name: 'My phone' })
      expect([added.status, await added.json()]).toEqual([201, { name: 'My phone' }])
      expect(await (await person.browser.get('/account')).text()).toContain(
        '<h3><bdi>My phone</bdi></h3>',
      )

      const elsewhere = openBrowser(edge)
      const answer = await signInByPasskey(person, elsewhere, { next: '/agent/authorize?a=b' })
      expect([answer.status, await answer.json()]).toEqual([200, { next: '/agent/authorize?a=b' }])
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Host-svc=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      expect(await whoIsSignedIn(elsewhere)).toBe(person.email)
    },
  )

  it('must be discoverable and require user verification', async () => {
    const person = await somebody(edge)
    const options = await (await registrationOptions(person)).json<any>()
    expect(options).toMatchObject({
      rp: { id: 'edge.test' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
      excludeCredentials: [],
    })
    expect(await signInOptions(person.browser)).toMatchObject({
      rpId: 'edge.test',
      allowCredentials: [],
      userVerification: 'required',
    })
  })

  it('has a random user handle of 16 bytes without personal data', async () => {
    const person = await somebody(edge)
    const { user } = await (await registrationOptions(person)).json<any>()
    expect(decodeBase64url(user.id)).toHaveLength(16)
    expect(user).toMatchObject({ name: person.email, displayName: person.email })
  })

  it('is not created twice on the same authenticator', async () => {
    const person = await withPasskey(edge)
    const { excludeCredentials } = await (await registrationOptions(person)).json<any>()
    expect(excludeCredentials).toEqual([
      { type: 'public-key', id: person.credential.id, transports: ['internal', 'hybrid'] },
    ])
  })

  it('of an authenticator without a counter can sign in repeatedly', async () => {
    const person = await withPasskey(edge, { countsUses: false })
    for (let i = 0; i < 2; i++) {
      expect((await signInByPasskey(person, openBrowser(edge))).status).toBe(200)
    }
  })

  it('with self-attestation is accepted, because browsers may pass it on', async () => {
    const person = await somebody(edge)
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
      const added = await addPasskey(person, { faults: { attestation: 'self' }, algorithm })
      expect(added.status).toBe(201)
    }
  })

  it('shows its last use', async () => {
    const person = await withPasskey(edge)
    expect(await (await person.browser.get('/account')).text()).toContain('<dd>never</dd>')
    await signInByPasskey(person, person.browser)
    const [used] = /Last used<\/dt><dd>.*?<\/dd>/.exec(
      await (await person.browser.get('/account')).text(),
    )!
    expect(used).toContain(new Date(edge.clock.ms).toISOString())
  })

  it('session fixation: ends the browser’s previous session on sign-in', async () => {
    const person = await withPasskey(edge)
    const before = { ...person.browser.jar }
    await signInByPasskey(person, person.browser)
    expect(person.browser.jar.cookie).not.toBe(before.cookie)
    const planted = openBrowser(edge)
    planted.jar.cookie = before.cookie
    expect(await whoIsSignedIn(planted)).toBeUndefined()
  })

  it('cannot sign in and is not listed after its removal', async () => {
    const person = await withPasskey(edge)
    const csrf = await accountToken(person.browser)
    const form = { csrf, credential_id: person.credential.id }
    const removed = await person.browser.post('/passkeys/remove', form)
    expect([removed.status, removed.headers.get('location')]).toEqual([303, '/account'])
    expect((await signInByPasskey(person, openBrowser(edge))).status).toBe(403)
    expect(await (await person.browser.get('/account')).text()).toContain('No passkeys yet')
  })

  it('causes an e-mail when it is added and when it is removed', async () => {
    const person = await withPasskey(edge)
    const form = {
      csrf: await accountToken(person.browser),
      credential_id: person.credential.id,
    }
    await person.browser.post('/passkeys/remove', form)
    await person.browser.post('/passkeys/remove', form)
    await edge.afterwards()
    const mails = await db
      .select({ subject: localMailbox.subject, text: localMailbox.text })
      .from(localMailbox)
      .where(eq(localMailbox.recipient, person.email))
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Your sign-in link',
      'A passkey was added',
      'A passkey was removed',
    ])
    expect(mails[1]!.text).toContain('Name: Laptop')
  })

  it(`is one of at most ${PASSKEYS_MAX}, even if several are added at once`, async () => {
    const person = await withPasskey(edge)
    const csrf = await accountToken(person.browser)
    for (let i = 2; i < PASSKEYS_MAX; i++)
      await database
        .prepare(
          `INSERT INTO passkeys SELECT ?, user_id, name, public_key, counter, transports, created_at, null FROM passkeys WHERE credential_id = ?`,
        )
        .bind(`${person.credential.id}${i}`, person.credential.id)
        .run()
    const made = await Promise.all(
      [1, 2].map(async () => {
        const options = await (await registrationOptions(person, csrf)).json<any>()
        return person.authenticator.register(options)
      }),
    )
    const answers = await Promise.all(
      made.map((response) => person.browser.ask('/passkeys', { csrf, name: 'One', response })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect((await registrationOptions(person)).status).toBe(409)
    expect(await (await person.browser.get('/account')).text()).toContain(
      'You have reached the limit of 20 passkeys',
    )
  })
})

describe('the account page', () => {
  it('redirects a signed-out user to sign in, and back afterwards', async () => {
    const answer = await openBrowser(edge).get('/account')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/sign-in?next=%2Faccount',
    ])
  })

  it('explains that adding a passkey needs a script, and shows no enabled form without one', async () => {
    const { browser } = await somebody(edge)
    const text = await (await browser.get('/account')).text()
    expect(text).toContain('<noscript>')
    expect(text).toMatch(/<button type="submit" disabled="">\s*Add a passkey/)
  })

  it('may run only its own script and connect only to this site', async () => {
    const { browser } = await somebody(edge)
    for (const path of ['/account', '/sign-in']) {
      const policy = (await browser.get(path)).headers.get('content-security-policy')
      expect(policy).toContain(
        `; script-src ${PUBLIC_URL}/scripts${path}.js; connect-src ${PUBLIC_URL};`,
      )
      const script = await browser.get(`/scripts${path}.js`)
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    }
  })

  it('can sign out everywhere', async () => {
    const person = await somebody(edge)
    const other = openBrowser(edge)
    await signIn(other, person.email)
    const text = await (await person.browser.get('/account')).text()
    const form = text.slice(text.lastIndexOf('<form method="post" action="/sign-out"'))
    expect(text).toContain('value="everywhere"')
    await person.browser.post('/sign-out', { csrf: field(form, 'csrf'), where: 'everywhere' })
    expect(await whoIsSignedIn(other)).toBeUndefined()
  })

  it('XSS: escapes the name of a passkey', async () => {
    const person = await somebody(edge)
    await addPasskey(person, { name: '"><script>alert(1)</script>' })
    const text = await (await person.browser.get('/account')).text()
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&lt;script&gt;alert(1)')
  })

  it.each(['', 'a\nb', 'a\u202eb', 'x'.repeat(65)])('rejects the name %j', async (name) => {
    const person = await somebody(edge)
    expect((await addPasskey(person, { name })).status).toBe(422)
  })

  it('requires a sign-in within the last 15 minutes to add a passkey', async () => {
    const late = identityApp()
    const person = await somebody(late)
    const csrf = await accountToken(person.browser)
    const options = await (await registrationOptions(person, csrf)).json<any>()
    late.clock.ms += RECENT_SIGN_IN_MS
    expect(await (await person.browser.get('/account')).text()).toMatch(/sign in again<\/a>/)
    const response = await person.authenticator.register(options)
    const refusals = [
      await registrationOptions(person, csrf),
      await person.browser.ask('/passkeys', { csrf, name: 'Late', response }),
    ]
    for (const refusal of refusals)
      expect([refusal.status, await refusal.json()]).toMatchObject([
        403,
        { reason: 'sign_in_again' },
      ])
    await signIn(person.browser, person.email)
    expect((await addPasskey(person)).status).toBe(201)
  })
})
