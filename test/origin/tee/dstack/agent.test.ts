import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { GuestAgent } from '../../../../origin/tee/dstack/guest-agent.ts'
import { TeeUnavailableError } from '../../../../origin/tee/provider.ts'
import { type Fault, type GuestAgentDouble, startGuestAgent } from '../../../doubles/guest-agent.ts'

const MAX_BYTES = 200_000
let double: GuestAgentDouble
let agent: GuestAgent
beforeAll(async () => {
  double = await startGuestAgent('{"docker_compose_file":"services: {}"}')
  agent = new GuestAgent({ socketPath: double.socketPath, maxBytes: MAX_BYTES })
})
afterEach(() => {
  for (const method of ['GetKey', 'GetQuote', 'Info'] as const) delete double.faults[method]
})
afterAll(() => double.close())

describe('the guest agent', () => {
  it('returns a key for a path and purpose', async () => {
    const { key, signature_chain } = await agent.getKey('a/path', 'a purpose')
    expect(key).toHaveLength(32)
    expect(signature_chain.map(({ length }) => length)).toEqual([65, 65])
    expect(double.asked.at(-1)).toEqual({
      method: 'GetKey',
      body: { path: 'a/path', purpose: 'a purpose' },
    })
    expect((await agent.getKey('a/path', 'another')).key).toEqual(key)
    expect((await agent.getKey('another/path', 'a purpose')).key).not.toEqual(key)
  })

  it('creates a quote over the report data, padded with zeros', async () => {
    const data = randomBytes(32)
    const { quote, report_data } = await agent.getQuote(data)
    const expected = data.toString('hex') + '00'.repeat(32)
    expect(report_data).toBe(expected)
    expect(Buffer.from(quote, 'hex').subarray(568, 632).toString('hex')).toBe(expected)
  })

  it('returns the machine’s info with the measured app-compose text', async () => {
    const info = await agent.info()
    expect(info.tcb_info.app_compose).toBe('{"docker_compose_file":"services: {}"}')
    expect(info.app_id).toBe(double.appId.toString('hex'))
    expect(info.tcb_info).toHaveProperty('mrtd')
  })
})

describe('a response that is rejected', () => {
  const refused: [string, Fault, string][] = [
    ['another status', { status: 500 }, 'with status 500'],
    ['an error with status 200', { error: 'no such key' }, 'with an error'],
    ['one that ends within', 'cut', 'did not respond to GetKey'],
    ['one that is too long', { bytes: MAX_BYTES + 1 }, `more than ${MAX_BYTES} bytes`],
    ['what is not JSON', { text: 'key' }, 'malformed'],
    [
      'a key that is not hex',
      { change: (answer) => ({ ...answer, key: 'xyz' }) },
      'malformed: key',
    ],
    ['none of the fields', { text: '{}' }, 'malformed: key, signature_chain'],
  ]
  it.each(refused)('is %s', async (_what, fault, reason) => {
    double.faults.GetKey = fault
    const failure = await agent.getKey('p', 'p').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TeeUnavailableError)
    expect((failure as Error).message).toContain(reason)
  })

  it('is one that times out', async () => {
    double.faults.GetKey = 'slow'
    const hasty = new GuestAgent({ socketPath: double.socketPath, withinMs: 50 })
    await expect(hasty.getKey('p', 'p')).rejects.toThrow(TeeUnavailableError)
  })

  it('key leak: does not show a key in the error message, with a malformed chain or an error text', async () => {
    const key = 'ab'.repeat(32)
    for (const text of [
      JSON.stringify({ key, signature_chain: 'none' }),
      JSON.stringify({ error: key }),
      `${key} is not JSON`,
    ]) {
      double.faults.GetKey = { text }
      const failure = await agent.getKey('p', 'p').catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TeeUnavailableError)
      expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(key)
    }
  })

  it('is a quote over other report data, in the field or inside the quote', async () => {
    const other = await double.machine.quote(Buffer.alloc(64, 1))
    double.faults.GetQuote = { change: () => other }
    await expect(agent.getQuote(Buffer.alloc(64, 2))).rejects.toThrow('different report data')
    double.faults.GetQuote = { change: (answer) => ({ ...answer, quote: other.quote }) }
    await expect(agent.getQuote(Buffer.alloc(64, 2))).rejects.toThrow('different report data')
  })

  it('is missing because the socket does not exist', async () => {
    const nobody = new GuestAgent({ socketPath: `${double.socketPath}.none` })
    await expect(nobody.info()).rejects.toThrow('did not respond to Info: ENOENT')
  })
})
