import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { ALL_AREAS, SpecClient, SpecError, SpecViolation, journeys } from './spec-client.ts'
import { cidOf } from './spec-client/cid.ts'
import { canonicalJson } from './spec-client/derived-action.ts'
import * as discover from './spec-client/discover.ts'
import { filledEventLog } from './spec-client/event-log.ts'

type Request = { url: string; init: RequestInit | undefined }

/** A client with a server that answers every request the same way. */
function before(status: number, body: string) {
  const requests: Request[] = []
  const opened: string[] = []
  const client = new SpecClient({
    baseUrl: 'https://origin.test/',
    triggersUrl: 'https://edge.test',
    fetch: (url, init) => {
      requests.push({ url, init })
      return Promise.resolve(new Response(body, { status }))
    },
    browser: (url) => {
      opened.push(url)
      return Promise.resolve()
    },
  })
  return { client, requests, opened }
}

describe('the specification client', () => {
  it('shows only the hash of its token while it authorizes', async () => {
    const { client, requests, opened } = before(200, '{}')
    const token = await client.authorize()
    const hash = createHash('sha256').update(token).digest('base64url')
    expect(Buffer.from(token, 'base64url')).toHaveLength(48)
    expect(opened).toEqual([`https://edge.test/agent/authorize?challenge=${hash}`])
    expect(requests).toEqual([])
  })

  it('computes the IPFS CIDs of known files', () => {
    expect(cidOf('')).toBe('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
    expect(cidOf('hello world')).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
    expect(cidOf('hello world\n')).toBe('QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o')
    expect(cidOf('x'.repeat(1_000_000))).toBe('QmQyLUKgbMteuJuy42nTf7wWBFn2tG4LgykKV3D6gxcPMp')
  })

  it('writes canonical JSON and rejects unsupported values', () => {
    expect(canonicalJson({ b: [1, null], a: { d: 'ü', c: true } })).toBe(
      '{"a":{"c":true,"d":"ü"},"b":[1,null]}',
    )
    for (const value of [1.5, 2 ** 53, undefined, { a: undefined }]) {
      expect(() => canonicalJson(value)).toThrow(SpecViolation)
    }
  })

  it('fills in the digest of a runtime event', () => {
    const event = { event_type: 0x08000001, event: 'app-id', event_payload: 'ab', digest: '' }
    const bytes = Buffer.concat([Buffer.from([1, 0, 0, 8]), Buffer.from(':app-id:\xab', 'latin1')])
    const digest = createHash('sha384').update(bytes).digest('hex')
    expect(filledEventLog(JSON.stringify([event]))).toEqual([{ ...event, digest }])
  })

  it.for([
    ['structured', 403, '{"error":"forbidden","message":"m","fix":"f","docs_url":"d"}'],
    ['message', 500, '"Error: it threw"'],
  ] as const)('accepts a %s error of the core API', async ([shape, status, body]) => {
    const thrown: unknown = await before(status, body)
      .client.core.createWallet('k')
      .catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(SpecError)
    expect(thrown).toMatchObject({ status, shape })
  })

  it.for([
    ['HTML', 502, '<html>Bad gateway</html>'],
    ['an incomplete object', 403, '{"error":"forbidden"}'],
    ['the word of another status', 403, '{"error":"no","message":"m","fix":"f","docs_url":"d"}'],
  ] as const)('reports a violation if an error of the core API is %s', async ([, status, body]) => {
    await expect(before(status, body).client.core.createWallet('k')).rejects.toThrow(SpecViolation)
  })

  it('uses only known areas, and every area', () => {
    const named = new Set(journeys.flatMap((journey) => journey.needs))
    expect([...named].filter((area) => !ALL_AREAS.includes(area))).toEqual([])
    expect(ALL_AREAS.filter((area) => !named.has(area))).toEqual([])
  })

  it('has journeys with unique names', () => {
    const names = journeys.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('a name that the contract leaves open', () => {
  const key = Buffer.alloc(32, 5).toString('base64')
  const hash = `0x${'ab'.repeat(32)}`

  it.for([{ usage_api_key: key, usage_api_key_hash: hash }, { hash, value: key }, key])(
    'finds the usage key in %j',
    (body) => expect(discover.usageKeyIn(body)).toBe(key),
  )

  it('finds a usage key that starts with 0x', () => {
    const startsWith0x = `0x${key.slice(2)}`
    const body = { usage_api_key: startsWith0x, usage_api_key_hash: hash }
    expect(discover.usageKeyIn(body)).toBe(startsWith0x)
  })

  it.for([
    { status: 'queued', run_id: 'r-1' },
    { id: 'r-1', status: 'queued' },
    { run: { id: 'r-1' } },
  ])('finds the run ID in %j', (body) => expect(discover.runIdIn(body)).toBe('r-1'))

  it.for([{ group_id: 3, success: true }, { id: '3' }, { group: { id: 3 } }, 3])(
    'finds the group ID in %j',
    (body) => expect(discover.groupIdIn(body)).toBe(3),
  )

  it.for([[{ id: 'a' }], { next_cursor: null, runs: [{ id: 'a' }] }])(
    'finds the rows in %j',
    (body) => expect(discover.rowsIn(body)).toEqual([{ id: 'a' }]),
  )

  it.for([false, { exists: false }])('finds a false in %j', (body) =>
    expect(discover.existsIn(body)).toBe(false),
  )

  it('is reported if no value matches', () => {
    expect(() => discover.usageKeyIn({ success: true })).toThrow('no usage key')
    expect(() => discover.runIdIn({ status: 'queued' })).toThrow('no run id')
    expect(() => discover.groupIdIn({ success: true })).toThrow('no group id')
  })
})
