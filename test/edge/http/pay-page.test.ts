import { describe, expect, it } from 'vitest'
import { edge, env } from '../app.ts'

const SCRIPT = new URL('/scripts/pay.js', env.PUBLIC_URL).href

async function paySources(): Promise<Record<string, string[]>> {
  const policy = (await edge('/pay')).headers.get('content-security-policy') ?? ''
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
}

describe('the page /pay', () => {
  it('runs its own script and the processor’s, and no other page runs that one', async () => {
    expect((await paySources())['script-src']).toEqual([
      SCRIPT,
      'https://js.stripe.com',
      'https://*.js.stripe.com',
    ])
    for (const path of ['/', '/console', '/verify', '/sign-in']) {
      const { headers } = await edge(path)
      expect(headers.get('content-security-policy')).not.toContain('stripe')
    }
  })

  it('the processor’s script asks nothing of this site in the person’s name, and sends no form', async () => {
    const { 'connect-src': connect, 'frame-src': frames, ...policy } = await paySources()
    const own = new URL(env.PUBLIC_URL).origin
    expect([...connect!, ...frames!].filter((source) => source.startsWith(own))).toEqual([])
    expect([...connect!, ...frames!]).not.toContain("'self'")
    expect(policy).toMatchObject({
      'default-src': ["'none'"],
      'form-action': ["'none'"],
      'worker-src': ["'none'"],
      'base-uri': ["'none'"],
    })
  })

  it('has no form, link or name of who is signed in: nothing to take', async () => {
    const text = await (await edge('/pay')).text()
    expect(text).not.toContain('csrf')
    expect(text.match(/<a [^>]*>/g)).toEqual(['<a class="skip" href="#main">'])
  })

  it('clickjacking: no page has it in a frame', async () => {
    const { headers } = await edge('/pay')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect((await paySources())['frame-ancestors']).toEqual(["'none'"])
  })

  it('a window that it opens, or that opened it, is cut off, one of this site too', async () => {
    const { headers } = await edge('/pay')
    expect(headers.get('cross-origin-opener-policy')).toBe('noopener-allow-popups')
    expect((await edge('/account')).headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  it('says without a script how to pay', async () => {
    expect(await (await edge('/pay')).text()).toContain('<noscript>')
  })
})
