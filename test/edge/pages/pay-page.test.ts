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

describe('the /pay page', () => {
  it('runs only its own script and that of the payment processor, which no other page runs', async () => {
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

  it('payment script: cannot connect to or submit forms to this site', async () => {
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

  it('payment script: finds no form, link or user name on the page', async () => {
    const text = await (await edge('/pay')).text()
    expect(text).not.toContain('csrf')
    expect(text.match(/<a [^>]*>/g)).toEqual(['<a class="skip" href="#main">'])
  })

  it('clickjacking: cannot be framed', async () => {
    const { headers } = await edge('/pay')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect((await paySources())['frame-ancestors']).toEqual(["'none'"])
  })

  it('cross-window access: is isolated from windows that it opens or that opened it', async () => {
    const { headers } = await edge('/pay')
    expect(headers.get('cross-origin-opener-policy')).toBe('noopener-allow-popups')
    expect((await edge('/account')).headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  it('explains without a script how to pay', async () => {
    expect(await (await edge('/pay')).text()).toContain('<noscript>')
  })
})
