import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { dstackVerifierInput, parseEventLog } from '../../../shared/attestation/event-log.ts'
import { replayRegister } from '../../../shared/attestation/replay.ts'
import { simulatedMachine } from './good-evidence.ts'

const RUNTIME = 0x08000001
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function entry(event: string, payload: string, more: object = {}) {
  return { imr: 3, event_type: RUNTIME, digest: '', event, event_payload: payload, ...more }
}
const parsed = (...entries: object[]) => parseEventLog(JSON.stringify(entries))

describe('the digest of an event', () => {
  // From the boot of a real machine (dstack, verifier/fixtures/tdx-lite-getquote.json).
  it.each([
    ['system-preparing', 'f9974020ef507068183313d0'],
    ['boot-mr-done', '98bd7e6bd3952720b65027fd'],
    ['system-ready', '1a76b2a80a0be71eae59f809'],
  ])('equals the constant of real machines for %s', (name, begins) => {
    const [event] = parsed(entry(name, ''))
    expect(hex(event!.digest).slice(0, 24)).toBe(begins)
  })

  it('covers type, name and payload in version 1', () => {
    const [event] = parsed(entry('app-id', 'deadbeef'))
    const preimage = Buffer.concat([
      Buffer.from([1, 0, 0, 8]),
      Buffer.from(':app-id:'),
      Buffer.from('deadbeef', 'hex'),
    ])
    expect(hex(event!.digest)).toBe(createHash('sha384').update(preimage).digest('hex'))
  })

  it('covers canonical JSON in version 2, which is included as the preimage', () => {
    const json = '{"name":"compose-hash","payload":"abcd","type":134217729}'
    const preimage = Buffer.from(json).toString('hex')
    const [event] = parsed(entry('compose-hash', 'ABCD', { version: 2, preimage }))
    expect(hex(event!.digest)).toBe(createHash('sha384').update(json).digest('hex'))
  })

  it('rejects a version 2 preimage with different content', () => {
    const preimage = Buffer.from('{"name":"compose-hash","payload":"abce","type":134217729}')
    const other = entry('compose-hash', 'abcd', { version: 2, preimage: preimage.toString('hex') })
    expect(() => parsed(other)).toThrow('its preimage does not match')
  })

  it('is taken as given for firmware, and is required', () => {
    const measured = { ...entry('', '00', { event_type: 4 }), imr: 0, digest: 'ab'.repeat(48) }
    expect(hex(parsed(measured)[0]!.digest)).toBe('ab'.repeat(48))
    expect(() => parsed({ ...measured, digest: '' })).toThrow('missing digest')
    expect(() => parsed({ ...measured, digest: 'ab'.repeat(49) })).toThrow(
      'expected a digest of 48-byte hex',
    )
  })
})

describe('replaying events', () => {
  it('pads short digests with zeros', () => {
    const short = { ...entry('', '', { event_type: 4 }), imr: 1, digest: 'ab' }
    const extended = createHash('sha384')
      .update(Buffer.alloc(48))
      .update(Buffer.from('ab'.padEnd(96, '0'), 'hex'))
    expect(replayRegister(parsed(short), 1)).toBe(extended.digest('hex'))
  })

  it('returns zero without events', () => {
    expect(replayRegister([], 0)).toBe('00'.repeat(48))
  })
})

describe("the official verifier's input", () => {
  it('has the quote without 0x, all digests, and no attestation', async () => {
    const attestation = await simulatedMachine().quote(Buffer.alloc(0))
    const input = dstackVerifierInput({ ...attestation, quote: `0x${attestation.quote}` })
    expect(input).toMatchObject({ quote: attestation.quote, attestation: null })
    expect(input.vm_config).toBe(attestation.vm_config)
    const events = JSON.parse(input.event_log) as { event: string; digest: string }[]
    expect(events.map(({ digest }) => digest.length)).toEqual(events.map(() => 96))
    expect(events.find(({ event }) => event === 'system-ready')!.digest).toMatch(/^1a76b2a8/)
  })
})
