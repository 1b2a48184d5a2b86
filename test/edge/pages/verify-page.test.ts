import { describe, expect, it } from 'vitest'
import { edge, env } from '../app.ts'

const ORIGIN = new URL(env.ORIGIN_URL).origin
const SCRIPT = new URL('/scripts/verify.js', env.PUBLIC_URL).href

const submitted = (rpcUrl: string, headers: Record<string, string> = {}) =>
  edge('/verify', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ rpc_url: rpcUrl }),
  })
const own = { 'sec-fetch-site': 'same-origin' }
const policyOf = (response: Response) => {
  const policy = response.headers.get('content-security-policy') ?? ''
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources.join(' ')]
    }),
  )
}

describe('the /verify page', () => {
  it('may run only its own script and connect only to the origin', async () => {
    const response = await edge('/verify')
    expect(response.status).toBe(200)
    expect(policyOf(response)).toMatchObject({
      'default-src': "'none'",
      'script-src': SCRIPT,
      'connect-src': ORIGIN,
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
      'frame-ancestors': "'none'",
    })
  })

  it('shows the command to run instead if scripts are disabled', async () => {
    const text = await (await edge('/verify')).text()
    expect(text).toContain(`npx --no-install svc verify ${ORIGIN}`)
    expect(text).toContain('<noscript>')
  })

  it('may connect to the host of the node that the user entered', async () => {
    const response = await submitted('https://rpc.example/v1/key?a=b', own)
    expect(response.status).toBe(200)
    expect(policyOf(response)['connect-src']).toBe(`${ORIGIN} https://rpc.example`)
    expect(await response.text()).toContain('data-rpc-url="https://rpc.example/v1/key?a=b"')
  })

  it('policy injection: a node URL cannot widen the policy', async () => {
    for (const address of [
      "https://rpc.example;script-src 'unsafe-inline'",
      'https://*/',
      'https:// *',
    ]) {
      const response = await submitted(address, own)
      const policy = policyOf(response)
      expect(policy['script-src']).toBe(SCRIPT)
      expect(policy['connect-src']?.split(' ').filter((source) => source.includes('*'))).toEqual([])
    }
  })

  it('XSS: escapes markup in a URL', async () => {
    const response = await submitted('https://rpc.example/"><script>alert(1)</script>', own)
    expect(await response.text()).not.toContain('<script>alert')
  })

  it.each(['http://rpc.example', 'javascript:alert(1)', 'rpc.example', 'file:///etc/passwd'])(
    'rejects %s as a node URL',
    async (address) => {
      const response = await submitted(address, own)
      expect(response.status).toBe(400)
      expect(policyOf(response)['connect-src']).toBe(ORIGIN)
    },
  )

  it('CSRF: rejects a form of another site', async () => {
    const response = await submitted('https://rpc.example', { 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(403)
  })
})

describe('the /verify script', () => {
  it('is served as JavaScript for pages of this site only', async () => {
    const response = await edge('/scripts/verify.js')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect((await response.text()).length).toBeGreaterThan(100_000)
  })
})
