import { describe, expect, it } from 'vitest'
import { edge, env } from '../../app.ts'
import { production } from '../front-harness.ts'

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
  it('may run its own scripts by their addresses, and write no markup', async () => {
    const policy = policyOf(await edge('/console'))
    const scripts = policy['script-src']!
    expect(scripts[0]).toBe(`${OWN}/scripts/connect.js`)
    expect(scripts).toEqual(expect.arrayContaining([`${OWN}/scripts/console.js`]))
    expect(scripts.every((script) => script.startsWith(`${OWN}/scripts/`))).toBe(true)
    expect(policy).toMatchObject({
      'default-src': ["'none'"],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ["'none'"],
    })
    for (const script of scripts)
      expect((await edge(new URL(script).pathname)).headers.get('content-type')).toMatch(
        /^text\/javascript/,
      )
  })

  it('locally asks the edge, which passes on sealed what a browser could not ask the origin', async () => {
    const response = await edge('/console')
    expect(policyOf(response)['connect-src']).toEqual([OWN])
    expect(await response.text()).toContain(`data-base-url="${OWN}" data-verify="never"`)
  })

  it('in production asks the origin itself, once it has been verified', async () => {
    const response = await production()('/console')
    expect(response.status).toBe(200)
    expect(policyOf(response)['connect-src']).toEqual([OWN, ORIGIN])
    expect(await response.text()).toContain(`data-base-url="${ORIGIN}" data-verify="once"`)
  })

  it('STOLEN KEY: without its script it has no form that a browser sends', async () => {
    const text = await (await edge('/console')).text()
    expect(text).toContain('<noscript>')
    const forms = text.match(/<form id="(connect|create)".*?<\/form>/gs)!
    expect(forms).toHaveLength(2)
    for (const form of forms) expect(form).toMatch(/<fieldset disabled=""/)
  })

  it('says to everybody where a key goes, and asks nobody to sign in', async () => {
    const response = await edge('/console')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toContain('where your key goes')
  })
})
