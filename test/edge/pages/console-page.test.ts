import { describe, expect, it } from 'vitest'
import { edge, env } from '../app.ts'
import { edgeWith, production } from '../http/front-harness.ts'

const ORIGIN = new URL(env.ORIGIN_URL).origin
const OWN = new URL(env.PUBLIC_URL).origin

const policyOf = (response: Response) =>
  Object.fromEntries(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
describe('the page /console', () => {
  it('may run only its own scripts by URL, and cannot create markup', async () => {
    const policy = policyOf(await edge('/console'))
    const scripts = policy['script-src']!
    expect(scripts[0]).toBe(`${OWN}/scripts/connect.js`)
    expect(scripts).toEqual(expect.arrayContaining([`${OWN}/scripts/console.js`]))
    expect(scripts.every((script) => script.startsWith(`${OWN}/scripts/`))).toBe(true)
    expect(policy).toMatchObject({
      'default-src': ["'none'"],
      'require-trusted-types-for': ["'script'"],
      // The only policy creates the URL of the worker.
      'trusted-types': ['language-worker'],
      'worker-src': [`${OWN}/scripts/language.js`],
    })
    for (const script of scripts)
      expect((await edge(new URL(script).pathname)).headers.get('content-type')).toMatch(
        /^text\/javascript/,
      )
  })

  it('uses the edge locally, which forwards sealed requests that a browser cannot send to the origin', async () => {
    const response = await edge('/console')
    expect(policyOf(response)['connect-src']).toEqual([OWN])
    expect(await response.text()).toContain(`data-base-url="${OWN}" data-verify="never"`)
  })

  it('uses the origin itself in production, after verifying it', async () => {
    const response = await production()('/console')
    expect(response.status).toBe(200)
    expect(policyOf(response)['connect-src']).toEqual([OWN, ORIGIN])
    expect(await response.text()).toContain(`data-base-url="${ORIGIN}" data-verify="once"`)
  })

  it('names the explorers of the configured chains', async () => {
    const CHAINS = JSON.stringify({
      base: { chain_id: 8453, rpc: ['http://127.0.0.1:1'] },
      ethereum: { chain_id: 5, rpc: ['http://127.0.0.1:1'], explorer: 'https://five.example' },
      polygon: { chain_id: 80_002, rpc: ['http://127.0.0.1:1'] },
    })
    const text = await (await edgeWith({ CHAINS })('/console')).text()
    const [, explorers] = /<data id="explorers" value="([^"]*)"/.exec(text)!
    expect(JSON.parse(explorers!.replaceAll('&quot;', '"'))).toEqual({
      8453: 'https://basescan.org',
      5: 'https://five.example',
    })
  })

  it('stolen key: has no form that a browser can submit without its script', async () => {
    const text = await (await edge('/console')).text()
    expect(text).toContain('<noscript>')
    const forms = text.match(/<form id="(connect|create)".*?<\/form>/gs)!
    expect(forms).toHaveLength(2)
    for (const form of forms) expect(form).toMatch(/<fieldset disabled=""/)
  })

  it('explains where a key goes, without a sign-in', async () => {
    const response = await edge('/console')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toContain('About the console and your key')
  })
})
