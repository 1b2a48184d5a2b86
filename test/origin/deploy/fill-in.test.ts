import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fillInCompose } from '../../../origin/deploy/fill-in.ts'
import { chainsSetting } from '../../../shared/config/chain-settings.ts'

const compose = readFileSync(
  new URL('../../../origin/deploy/docker-compose.yaml', import.meta.url),
  'utf8',
)
const GOOD: Record<string, unknown> = {
  image: `registry.example/svc-origin@sha256:${'5e'.repeat(32)}`,
  SVC_KMS_ROOT: `02${'ab'.repeat(32)}`,
  SVC_PUBLIC_URL: 'https://origin.example',
  SVC_CHAIN_NAME: 'base',
  SVC_CHAIN_RPC: 'https://rpc.example/v1',
  SVC_CHAIN_FINALITY: 64,
  SVC_CONTRACT_ADDRESS: `0x${'cd'.repeat(20)}`,
  SVC_CONTRACT_BLOCK: 12_345_678,
  CHAINS: { base: { chain_id: 8453, rpc: ['https://a.example/v1?x=1', 'https://b.example'] } },
  SVC_OUTBOUND_DENY: 'edge.example',
  SVC_DATABASE_CA: 'system',
}
const code = (text: string) => text.replace(/^\s*#.*$/gm, '')

describe('the compose file of one deployment', () => {
  it('has the deployment’s values, and no placeholder is left', () => {
    const text = fillInCompose(compose, GOOD)
    expect(code(text)).not.toContain('.invalid')
    expect(text).toContain(`    image: ${String(GOOD['image'])}\n`)
    expect(text).toContain('      - SVC_CONTRACT_BLOCK=12345678\n')
  })

  it('measures the list of chain nodes as it is written', () => {
    const nodes = 'https://a.example/v1,https://b.example,https://c.example'
    const text = fillInCompose(compose, { ...GOOD, SVC_CHAIN_RPC: nodes })
    expect(text).toContain(`      - SVC_CHAIN_RPC=${nodes}\n`)
  })

  it('measures the chains of transactions as JSON, which YAML and the origin read as it is', () => {
    const text = fillInCompose(compose, GOOD)
    const { services } = parse(text) as { services: { origin: { environment: string[] } } }
    const [line = ''] = services.origin.environment.filter((entry) => entry.startsWith('CHAINS='))
    expect(chainsSetting.parse(line.slice('CHAINS='.length)).base).toMatchObject({
      chainId: 8453,
      rpc: ['https://a.example/v1?x=1', 'https://b.example/'],
    })
    expect(fillInCompose(compose, { ...GOOD, CHAINS: {} })).toContain('      - CHAINS={}\n')
  })

  it('differs from the template only in these values', () => {
    const [before, after] = [compose.split('\n'), fillInCompose(compose, GOOD).split('\n')]
    expect(after).toHaveLength(before.length)
    const changed = before.filter((line, i) => line !== after[i])
    expect(changed).toHaveLength(Object.keys(GOOD).length)
  })

  it.each(Object.keys(GOOD))('cannot be made without %s', (name) => {
    const { [name]: _left, ...others } = GOOD
    expect(() => fillInCompose(compose, others)).toThrow(`${name}: missing`)
  })

  it.each([
    ['image', 'registry.example/svc-origin:latest', 'expected name@sha256'],
    ['image', compose.match(/image: (fill-in.*)/)![1]!, 'still the example value'],
    [
      'image',
      `a.example/b@sha256:${compose.match(/@sha256:(e3b0\S+)/)![1]!}`,
      'expected the digest of an image',
    ],
    ['SVC_CHAIN_RPC', '${EVIL}', 'a character with a special meaning'],
    ['SVC_CHAIN_NAME', 'base\n      - SVC_TEE=simulated', 'a character with a special meaning'],
    ['SVC_PUBLIC_URL', 'http://origin.example', 'expected https'],
    ['SVC_PUBLIC_URL', 'https://origin.example/path', 'without a path or query'],
    ['SVC_CHAIN_RPC', 'https://a.example,http://b.example', 'must use https'],
    ['SVC_CHAIN_RPC', 'https://a.example,https://a.example/', 'URL 2: duplicate'],
    ['SVC_CHAIN_RPC', 'https://a.example, https://b.example', 'a character with a special meaning'],
    ['CHAINS', { base: { chain_id: 8453, rpc: ['http://a.example'] } }, 'must use https'],
    ['CHAINS', { base: { rpc: ['https://a.example'] } }, 'CHAINS.base.chain_id'],
    ['CHAINS', { base: { chain_id: 8453, rpc: ['https://a.example/${EVIL}'] } }, 'a character'],
    ['CHAINS', '{} # hidden', 'expected JSON'],
    ['CHAINS', '{}\n', 'a character with a special meaning'],
    ['SVC_ENV', 'local', 'not a variable of the compose file'],
  ])('cannot be made with %s %s', (name, value, fault) => {
    expect(() => fillInCompose(compose, { ...GOOD, [name]: value })).toThrow(fault)
  })
})
