import { describe, expect, it } from 'vitest'
import { RateLimitExceededError } from '../../../edge/limits/require-rate.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { PASSKEY_CHALLENGE_LIFETIME_MS } from '../../../shared/limits.ts'
import { Authenticator, type Faults } from '../../doubles/authenticator.ts'
import { fromUs, openBrowser } from './browser.ts'
import { database, identityApp, PUBLIC_URL } from './harness.ts'
import {
  accountToken,
  addPasskey,
  type Person,
  registrationOptions,
  signInByPasskey,
  signInOptions,
  somebody,
  whoIsSignedIn,
  withPasskey,
} from './passkey-person.ts'

const edge = identityApp()
const madeUp = () => encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
const x5c = new Map([['x5c', [new Uint8Array(40)]]])

type Attack = (victim: Person) => Faults | Promise<Faults>

/** Faults in the client data or the signed authenticator data, which both ceremonies must detect. */
const IN_BOTH: [name: string, attack: Attack][] = [
  ['phishing: an answer that was made on another site', () => ({ origin: 'https://edge.tset' })],
  ['an answer that was made on a subdomain', () => ({ origin: 'https://a.edge.test' })],
  ['an answer that was made on a page without TLS', () => ({ origin: 'http://edge.test' })],
  ['an answer that was made on another port', () => ({ origin: 'https://edge.test:8443' })],
  ['an answer for another site’s passkeys', () => ({ rpId: 'test' })],
  ['a challenge that nobody was given', () => ({ challenge: madeUp() })],
  ['a challenge that is none', () => ({ challenge: 'x' })],
  ['a frame on another site’s page', () => ({ crossOrigin: true })],
  ['a frame, that only its top page tells of', () => ({ topOrigin: 'https://evil.test' })],
  ['nobody was verified by the authenticator', () => ({ isUserVerified: false })],
  ['nobody was at the authenticator', () => ({ isUserPresent: false, isUserVerified: false })],
]

const passkeysOf = async ({ browser }: Pick<Person, 'browser'>) =>
  (await (await browser.get('/account')).text()).match(/name="credential_id"/g)?.length ?? 0

describe('a passkey sign-in is rejected', () => {
  const attacks: typeof IN_BOTH = [
    ...IN_BOTH,
    ['the answer to a registration', () => ({ type: 'webauthn.create' })],
    [
      'cross-purpose: a challenge that was given for a registration',
      async (victim) => ({
        challenge: (await (await registrationOptions(victim)).json<{ challenge: string }>())
          .challenge,
      }),
    ],
    [
      'another user’s handle',
      async () => ({ userHandle: (await withPasskey(edge)).credential.userHandle }),
    ],
    ['no user handle', () => ({ userHandle: null })],
    ['an answer that was changed after it was signed', () => ({ isTampered: true })],
    [
      'another key for the victim’s passkey',
      async () => ({ signer: (await withPasskey(edge)).credential }),
    ],
    ['a passkey that nobody has', () => ({ credentialId: madeUp() })],
  ]

  it.each(attacks)('%s', async (_, attack) => {
    const victim = await withPasskey(edge)
    const attacker = openBrowser(edge)
    const answer = await signInByPasskey(victim, attacker, { faults: await attack(victim) })
    // All rejections are identical, so none reveals whether a passkey is known.
    expect([answer.status, await answer.json()]).toEqual([
      403,
      {
        error: 'forbidden',
        reason: 'passkey_refused',
        message: 'Sign-in with this passkey failed.',
        fix: 'Try again, or sign in with a link sent to your e-mail address.',
        docs_url: 'https://docs.test/docs/errors#passkey_refused',
      },
    ])
    expect(attacker.jar.cookie).toBe('')
    expect((await signInByPasskey(victim, openBrowser(edge))).status).toBe(200)
  })

  it('replay: accepts a response only once', async () => {
    const victim = await withPasskey(edge, { countsUses: false })
    const response = await victim.authenticator.signIn(await signInOptions(victim.browser))
    const answers = await Promise.all(
      [1, 2, 3].map(() => openBrowser(edge).ask('/passkeys/sign-in', { response })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403])
  })

  it('brute force: an invalid response uses up its challenge', async () => {
    const victim = await withPasskey(edge)
    const options = await signInOptions(victim.browser)
    const statuses: number[] = []
    for (const faults of [{ isTampered: true }, {}]) {
      const response = await victim.authenticator.signIn(options, faults)
      statuses.push((await openBrowser(edge).ask('/passkeys/sign-in', { response })).status)
    }
    expect(statuses).toEqual([403, 403])
  })

  it('expired challenge: after five minutes', async () => {
    const late = identityApp()
    const victim = await withPasskey(late)
    const response = await victim.authenticator.signIn(await signInOptions(victim.browser))
    late.clock.ms += PASSKEY_CHALLENGE_LIFETIME_MS
    expect((await openBrowser(late).ask('/passkeys/sign-in', { response })).status).toBe(403)
  })

  it('cloned authenticator: if its counter does not increase', async () => {
    const victim = await withPasskey(edge)
    const statuses: number[] = []
    for (const counter of [5, 4, 5, 0, 6]) {
      const answer = await signInByPasskey(victim, openBrowser(edge), { faults: { counter } })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([200, 403, 403, 403, 200])
  })

  it('cloned authenticator: for one of two simultaneous responses with the same counter', async () => {
    const victim = await withPasskey(edge)
    const answers = await Promise.all(
      [1, 2].map(() => signInByPasskey(victim, openBrowser(edge), { faults: { counter: 9 } })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
  })

  it.each(['//evil.test/', '/\\evil.test', 'https://evil.test/', '/.//evil.test', 'javascript:1'])(
    'open redirect: does not redirect to %s',
    async (next) => {
      const victim = await withPasskey(edge)
      const answer = await signInByPasskey(victim, openBrowser(edge), { next })
      expect(await answer.json()).toEqual({ next: '/' })
    },
  )
})

describe('a passkey registration is rejected', () => {
  const attacks: typeof IN_BOTH = [
    ...IN_BOTH,
    ['the answer to a sign-in', () => ({ type: 'webauthn.get' })],
    [
      'cross-purpose: a challenge that was given for a sign-in',
      async ({ browser }) => ({ challenge: (await signInOptions(browser)).challenge }),
    ],
    [
      'a challenge that another account was given',
      async () => {
        const options = await registrationOptions(await somebody(edge))
        return { challenge: (await options.json<{ challenge: string }>()).challenge }
      },
    ],
    ['an id beside another one that was signed', () => ({ credentialId: madeUp() })],
    [
      'a certificate, whose addresses would be asked',
      () => ({ attestation: { format: 'packed', statement: x5c } }),
    ],
    [
      'a format with certificates of others',
      () => ({ attestation: { format: 'android-key', statement: x5c } }),
    ],
    ['a format that nobody knows', () => ({ attestation: { format: 'x', statement: new Map() } })],
    [
      'a self-attestation that its key did not sign',
      () => ({
        attestation: {
          format: 'packed',
          statement: new Map<string, number | Uint8Array>([
            ['alg', -7],
            ['sig', Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)],
          ]),
        },
      }),
    ],
  ]

  it.each(attacks)('%s', async (_, attack) => {
    const person = await somebody(edge)
    const answer = await addPasskey(person, { faults: await attack(person) })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: 'bad_request', reason: 'passkey_refused' },
    ])
    expect(await passkeysOf(person)).toBe(0)
  })

  it('replay: adds only one passkey for one response', async () => {
    const person = await somebody(edge)
    const csrf = await accountToken(person.browser)
    const options = await (await registrationOptions(person, csrf)).json<any>()
    const response = await person.authenticator.register(options)
    const body = { csrf, name: 'One', response }
    const answers = await Promise.all([1, 2].map(() => person.browser.ask('/passkeys', body)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
    expect(await passkeysOf(person)).toBe(1)
  })

  it('account takeover: if another account has a passkey with the same ID', async () => {
    const victim = await withPasskey(edge)
    const attacker = await somebody(edge)
    const drawnId = victim.credential.id
    const answer = await addPasskey(attacker, { faults: { drawnId } })
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { error: 'passkey_registered' },
    ])
    expect((await signInByPasskey(attacker, openBrowser(edge))).status).toBe(403)
    const browser = openBrowser(edge)
    await signInByPasskey(victim, browser)
    expect(await whoIsSignedIn(browser)).toBe(victim.email)
  })

  it('host injection: the Host header does not change the relying party ID', async () => {
    const person = await somebody(edge)
    const csrf = await accountToken(person.browser)
    const headers = { ...fromUs, host: 'evil.test', 'x-forwarded-host': 'evil.test' }
    const asked = await person.browser.ask('/passkeys/registration-options', { csrf }, headers)
    expect(await asked.json()).toMatchObject({ rp: { id: 'edge.test' } })
  })
})

describe('CSRF: other pages cannot act for a browser', () => {
  const foreign = [
    { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://a.edge.test', 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.test' },
    {},
  ]
  const operations = [
    '/passkeys/registration-options',
    '/passkeys',
    '/passkeys/sign-in-options',
    '/passkeys/sign-in',
  ]

  it.each(operations)('POST %s accepts only JSON from pages of this site', async (path) => {
    const { browser } = await somebody(edge)
    for (const headers of foreign) {
      const answer = await browser.ask(path, {}, headers)
      expect(answer.status).toBe(403)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
    const asText = { ...fromUs, 'content-type': 'text/plain' }
    expect((await browser.ask(path, {}, asText)).status).toBe(415)
    expect((await browser.ask(path, { next: 'x'.repeat(17_000) })).status).toBe(413)
  })

  it('a form token of another session cannot add or remove passkeys', async () => {
    const [victim, attacker] = [await withPasskey(edge), await somebody(edge)]
    const csrf = await accountToken(attacker.browser)
    for (const given of [csrf, '', 'x']) {
      expect((await registrationOptions(victim, given)).status).toBe(403)
      const form = { csrf: given, credential_id: victim.credential.id }
      expect((await victim.browser.post('/passkeys/remove', form)).status).toBe(403)
    }
    const own = { csrf: await accountToken(victim.browser), credential_id: victim.credential.id }
    for (const headers of foreign)
      expect((await victim.browser.post('/passkeys/remove', own, headers)).status).toBe(403)
    expect(await passkeysOf(victim)).toBe(1)
  })

  it('a foreign passkey is not removed, and gets the same response as an unknown one', async () => {
    const [victim, attacker] = [await withPasskey(edge), await somebody(edge)]
    const csrf = await accountToken(attacker.browser)
    for (const credential_id of [victim.credential.id, madeUp()]) {
      const answer = await attacker.browser.post('/passkeys/remove', { csrf, credential_id })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    }
    expect(await passkeysOf(victim)).toBe(1)
  })

  it('a signed-out user cannot add or remove passkeys, even with a bearer token', async () => {
    const nobody = openBrowser(edge)
    const headers = { ...fromUs, authorization: `Bearer ${'a'.repeat(64)}` }
    const asked = await nobody.ask('/passkeys/registration-options', { csrf: 'x' }, headers)
    expect(asked.status).toBe(401)
    const removed = await nobody.post('/passkeys/remove', { csrf: 'x' }, headers)
    expect(removed.headers.get('location')).toBe('/sign-in?next=%2Faccount')
  })
})

describe('flood of passkey requests', () => {
  it('is rejected per address before anything is stored or compared', async () => {
    const asked: string[] = []
    const full = identityApp('local', {
      requireRate: async (name) => {
        asked.push(name)
        if (name === 'passkey_address') throw new RateLimitExceededError('too many', 1_000)
      },
    })
    const person = await somebody(full)
    const response = await new Authenticator(PUBLIC_URL).register({
      rp: { id: 'edge.test', name: '' },
      user: { id: madeUp(), name: '', displayName: '' },
      challenge: madeUp(),
      pubKeyCredParams: [],
    })
    const csrf = await accountToken(person.browser)
    const stored = () => database.prepare('SELECT count(*) AS n FROM passkey_challenges').first('n')
    const before = await stored()
    const answers = [
      await person.browser.ask('/passkeys/sign-in-options', {}),
      await registrationOptions(person, csrf),
      await person.browser.ask('/passkeys', { csrf, name: 'One', response }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429])
    expect(answers[0]!.headers.get('retry-after')).toBe('1')
    expect(await stored()).toBe(before)
  })

  it('keeps at most 10,000 challenges, and the newest stays valid', async () => {
    const victim = await withPasskey(edge)
    await database
      .prepare(
        `INSERT INTO passkey_challenges
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500)
           SELECT 'flood' || i, 'sign_in', null, ? + i FROM n`,
      )
      .bind(edge.clock.ms)
      .run()
    expect((await signInByPasskey(victim, openBrowser(edge))).status).toBe(200)
    const count = await database.prepare('SELECT count(*) AS n FROM passkey_challenges').first('n')
    expect(count).toBeLessThanOrEqual(10_000)
    await database
      .prepare(`DELETE FROM passkey_challenges WHERE challenge_hash GLOB 'flood*'`)
      .run()
  })

  it('leaves no challenges after they expired', async () => {
    const later = identityApp()
    later.clock.ms += 60 * 60 * 1000
    await signInOptions(openBrowser(later))
    const old = await database
      .prepare('SELECT count(*) AS n FROM passkey_challenges WHERE expires_at <= ?')
      .bind(later.clock.ms)
      .first('n')
    expect(old).toBe(0)
  })
})

it('stolen database: contains no challenges', async () => {
  const { challenge } = await signInOptions(openBrowser(edge))
  const { results } = await database.prepare('SELECT * FROM passkey_challenges').all()
  expect(results.length).toBeGreaterThan(0)
  expect(JSON.stringify(results)).not.toContain(challenge)
})
