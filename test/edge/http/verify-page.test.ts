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

describe('the page /verify', () => {
  it('may run its own script and ask the origin, and nothing else', async () => {
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

  it('says without a script what to run instead', async () => {
    const text = await (await edge('/verify')).text()
    expect(text).toContain(`npx --no-install svc verify ${ORIGIN}`)
    expect(text).toContain('<noscript>')
  })

  it('may ask the node that the person named, by its host and without its path', async () => {
    const response = await submitted('https://rpc.example/v1/key?a=b', own)
    expect(response.status).toBe(200)
    expect(policyOf(response)['connect-src']).toBe(`${ORIGIN} https://rpc.example`)
    expect(await response.text()).toContain('data-rpc-url="https://rpc.example/v1/key?a=b"')
  })

  it('a node’s address that would widen the policy does not', async () => {
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

  it('an address with markup in it is text', async () => {
    const response = await submitted('https://rpc.example/"><script>alert(1)</script>', own)
    expect(await response.text()).not.toContain('<script>alert')
  })

  it.each(['http://rpc.example', 'javascript:alert(1)', 'rpc.example', 'file:///etc/passwd'])(
    'does not take %s for a node',
    async (address) => {
      const response = await submitted(address, own)
      expect(response.status).toBe(400)
      expect(policyOf(response)['connect-src']).toBe(ORIGIN)
    },
  )

  it('a form of another site is refused', async () => {
    const response = await submitted('https://rpc.example', { 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(403)
  })
})

describe('the script of /verify', () => {
  it('is text that a browser runs, for this site’s own pages', async () => {
    const response = await edge('/scripts/verify.js')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect((await response.text()).length).toBeGreaterThan(100_000)
  })
})
