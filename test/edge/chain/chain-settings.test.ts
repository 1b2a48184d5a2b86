import { describe, expect, it } from 'vitest'
import { chainSettingProblems, chainsSetting } from '../../../shared/config/chain-settings.ts'
import { type Env, settingsOf } from '../../../edge/env.ts'
import { env } from '../app.ts'

const KEY = 'k3y-of-a-provider'
const url = `https://node.example/v2/${KEY}`
const read = (chains: unknown) => chainsSetting.parse(JSON.stringify(chains))
/** Returns the Worker's error message for these settings. */
const complaint = (CHAINS: string, more: Partial<Env> = {}) => {
  try {
    settingsOf({ ...env, CHAINS, ...more })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('CHAINS', () => {
  it('configures no chain if it is absent or empty', () => {
    expect(chainsSetting.parse(undefined)).toEqual({})
    expect(chainsSetting.parse('')).toEqual({})
    expect(read({})).toEqual({})
  })

  it('applies the documented default finality of each chain', () => {
    const chain = { chain_id: 1, rpc: [url] }
    const chains = read({
      ethereum: chain,
      base: chain,
      arbitrum: chain,
      bsc: chain,
      polygon: chain,
    })
    expect(Object.values(chains).map(({ finality }) => finality)).toEqual([12, 12, 40, 15, 64])
    expect(chains.ethereum).toEqual({
      chainId: 1,
      rpc: [url],
      finality: 12,
      pollMs: 6_000,
      explorer: 'https://etherscan.io',
    })
  })

  it('links the main network to an explorer by default, and no other network with its name', () => {
    const explorerOf = (chain: object) => read({ base: { rpc: [url], ...chain } }).base!.explorer
    expect(explorerOf({ chain_id: 8453 })).toBe('https://basescan.org')
    expect(explorerOf({ chain_id: 84_532 })).toBeUndefined()
    const explorer = 'https://sepolia.basescan.org/'
    expect(explorerOf({ chain_id: 84_532, explorer })).toBe('https://sepolia.basescan.org')
  })

  it('accepts explicit values, including a finality of 0', () => {
    expect(read({ base: { chain_id: 2, rpc: [url], finality: 0, poll_ms: 200 } }).base).toEqual({
      chainId: 2,
      rpc: [url],
      finality: 0,
      pollMs: 200,
    })
  })

  it.each([
    ['no JSON', `{"ethereum": "${url}`, 'CHAINS: expected JSON'],
    ['another chain', { [url]: { chain_id: 1, rpc: [url] } }, 'CHAINS: unknown field'],
    ['a member', { bsc: { chain_id: 1, rpc: [url], [url]: 1 } }, 'CHAINS.bsc: unknown field'],
    ['a URL for a list', { bsc: { chain_id: 1, rpc: url } }, 'CHAINS.bsc.rpc: '],
    ['no URL', { bsc: { chain_id: 1, rpc: [] } }, 'CHAINS.bsc.rpc: '],
    ['no chain id', { bsc: { rpc: [url] } }, 'CHAINS.bsc.chain_id: '],
    ['a URL for a number', { bsc: { chain_id: url, rpc: [url] } }, 'CHAINS.bsc.chain_id: '],
    [
      'a text',
      { bsc: { chain_id: 1, rpc: [url, KEY] } },
      'CHAINS.bsc.rpc.1: expected an https URL',
    ],
    ['websockets', { bsc: { chain_id: 1, rpc: [`wss://x.example/${KEY}`] } }, 'CHAINS.bsc.rpc.0: '],
    ['the same', { bsc: { chain_id: 1, rpc: [url, url] } }, 'CHAINS.bsc.rpc.1: duplicate'],
    ['a fragment', { bsc: { chain_id: 1, rpc: [`https://x.example/#${KEY}`] } }, 'CHAINS.bsc.rpc'],
    ['a finality below 0', { bsc: { chain_id: 1, rpc: [url], finality: -1 } }, 'CHAINS.bsc.fin'],
    [
      'no address for an explorer',
      { bsc: { chain_id: 1, rpc: [url], explorer: KEY } },
      '.explorer',
    ],
    [
      'a script for an explorer',
      { bsc: { chain_id: 1, rpc: [url], explorer: `javascript:${KEY}` } },
      'CHAINS.bsc.explorer: expected an https URL',
    ],
    [
      'a leaked password, in the URL of an explorer',
      { bsc: { chain_id: 1, rpc: [url], explorer: `https://u:${KEY}@x.example` } },
      'CHAINS.bsc.explorer: must not have a user name or password',
    ],
    [
      'a leaked key, in the query of an explorer',
      { bsc: { chain_id: 1, rpc: [url], explorer: `https://x.example/?key=${KEY}` } },
      'CHAINS.bsc.explorer: must not have a query',
    ],
    ['a poll too often', { bsc: { chain_id: 1, rpc: [url], poll_ms: 199 } }, 'CHAINS.bsc.poll_ms'],
  ])('names the location of the error without revealing a URL or key: %s', (_, chains, place) => {
    const said = complaint(typeof chains === 'string' ? chains : JSON.stringify(chains))
    expect(said).toContain(place)
    expect(said).not.toContain(KEY)
    expect(said).not.toContain('.example')
  })

  it('allows plain HTTP only outside production', () => {
    const chains = { bsc: { chain_id: 56, rpc: [url, `http://node.example/${KEY}`] } }
    const CHAINS = read(chains)
    expect(chainSettingProblems({ CHAINS, SVC_ENV: 'local' })).toEqual([])
    expect(chainSettingProblems({ CHAINS, SVC_ENV: 'production' })).toEqual([
      ['CHAINS.bsc.rpc.1', 'must use https in production'],
    ])
    expect(complaint(JSON.stringify(chains), { SVC_ENV: 'production' })).toContain('CHAINS.bsc.rpc')
    const explorer = read({ bsc: { chain_id: 56, rpc: [url], explorer: 'http://scan.example' } })
    expect(chainSettingProblems({ CHAINS: explorer, SVC_ENV: 'staging' })).toEqual([
      ['CHAINS.bsc.explorer', 'must use https in staging'],
    ])
  })

  it('rejects two chains with the same ID in production', () => {
    const CHAINS = read({
      base: { chain_id: 1, rpc: [url] },
      ethereum: { chain_id: 1, rpc: [url] },
    })
    expect(chainSettingProblems({ CHAINS, SVC_ENV: 'production' })).toEqual([
      ['CHAINS.base.chain_id', 'must differ from the other chains'],
    ])
  })
})
