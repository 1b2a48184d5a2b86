import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  EnvelopeError,
  keyIdOf,
  openRequest,
  openStoredUsageKey,
} from '../../../origin/channel/open-request.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import {
  ENC_BYTES,
  HEADER_BYTES,
  KEY_ID_BYTES,
  MODE_BASE,
  MODE_PSK,
  REQUEST_OVERHEAD_BYTES,
} from '../../../shared/envelope/format.ts'
import {
  ResponseDecryptionError,
  importChannelKey,
  sealCall,
  sealForStorage,
} from '../../../shared/envelope/seal.ts'

const keyring = new Keyring(randomBytes(32))
const channel = keyring.channelKey(1)
const storage = keyring.storageKey()
const psk = Uint8Array.from(randomBytes(32))
const keys = {
  keyFor: (id: string) => (id === keyIdOf(channel.publicKey) ? channel : undefined),
  psk,
}
const toChannel = await importChannelKey(Uint8Array.from(channel.publicKey))
const toStorage = await importChannelKey(Uint8Array.from(storage.publicKey))
const plaintext = Uint8Array.from(Buffer.from('{"run":1}'))
const base = { method: 'POST', path: '/sealed/execute', plaintext }

const open = (bytes: Uint8Array, method = 'POST', path = '/sealed/execute', opener = keys) =>
  openRequest(opener, method, path, bytes)

/** Returns the reason of a rejection. */
function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof EnvelopeError) return error.failure.reason
    throw error
  }
  return 'opened'
}

function flipped(bytes: Uint8Array, at: number, bit = 1): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes)
  copy[at]! ^= bit
  return copy
}

describe.each([
  ['base', undefined],
  ['PSK', psk],
])('a sealed request, %s mode', (_name, secret) => {
  const sealed = sealCall(toChannel, { ...base, ...(secret ? { psk: secret } : {}) })

  it('opens at the origin, and its response opens at the sender', async () => {
    const { body, open: openAnswer } = await sealed
    const opened = open(body)
    expect(opened.mode).toBe(secret ? MODE_PSK : MODE_BASE)
    expect(opened.plaintext).toEqual(Buffer.from(plaintext))
    const answer = Uint8Array.from(opened.sealResponse(Buffer.from('done')))
    expect(Buffer.from(await openAnswer(answer)).toString()).toBe('done')
  })

  it('bit flipping: no bit of the header, the key or the ciphertext can be changed', async () => {
    const { body } = await sealed
    const opened: string[] = []
    for (let at = 0; at < body.length; at++)
      for (const bit of [1, 2, 128])
        if (refusal(() => open(flipped(body, at, bit))) === 'opened') opened.push(`${at}:${bit}`)
    expect(opened).toEqual([])
  })

  it('redirection: opens only for its own method and path', async () => {
    const { body } = await sealed
    expect(refusal(() => open(body, 'PUT'))).toBe('not_authentic')
    expect(refusal(() => open(body, 'POST', '/sealed/outcomes'))).toBe('not_authentic')
    expect(refusal(() => open(body, 'POST', '/sealed/execute/'))).toBe('not_authentic')
  })

  it('truncation: no prefix of it opens', async () => {
    const { body } = await sealed
    for (let length = 0; length < body.length; length++)
      expect(refusal(() => open(body.subarray(0, length)))).toBe(
        length < REQUEST_OVERHEAD_BYTES ? 'malformed' : 'not_authentic',
      )
  })

  it('extension: does not open with a trailing byte', async () => {
    const { body } = await sealed
    expect(refusal(() => open(Buffer.concat([body, Buffer.alloc(1)])))).toBe('not_authentic')
  })

  it('response tampering: a changed or truncated response does not open', async () => {
    const { body, open: openAnswer } = await sealed
    const answer = Uint8Array.from(open(body).sealResponse(Buffer.from('{"ok":true}')))
    const forged = [
      ...Array.from(answer, (_byte, at) => flipped(answer, at)),
      ...Array.from(answer, (_byte, length) => answer.slice(0, length)),
    ]
    for (const one of forged)
      await expect(openAnswer(one)).rejects.toBeInstanceOf(ResponseDecryptionError)
  })

  it('response replay: a response to one request does not open for another', async () => {
    const first = await sealed
    const second = await sealCall(toChannel, { ...base, ...(secret ? { psk: secret } : {}) })
    const answer = Uint8Array.from(open(first.body).sealResponse(Buffer.from('first')))
    await expect(second.open(answer)).rejects.toBeInstanceOf(ResponseDecryptionError)
  })
})

describe('a sealed request', () => {
  it('downgrade: PSK mode relabelled as base does not open, nor base as PSK', async () => {
    const strong = (await sealCall(toChannel, { ...base, psk })).body
    const weak = (await sealCall(toChannel, base)).body
    expect(refusal(() => open(flipped(strong, 1)))).toBe('not_authentic')
    const raised = flipped(weak, 1)
    expect(refusal(() => open(raised))).toBe('unknown_psk')
    raised.set(strong.subarray(2 + KEY_ID_BYTES, HEADER_BYTES), 2 + KEY_ID_BYTES)
    expect(refusal(() => open(raised))).toBe('not_authentic')
  })

  it('impersonation of the edge: another pre-shared key is rejected, under its own ID or the right one', async () => {
    const guess = Uint8Array.from(randomBytes(32))
    const body = (await sealCall(toChannel, { ...base, psk: guess })).body
    expect(refusal(() => open(body))).toBe('unknown_psk')
    const right = (await sealCall(toChannel, { ...base, psk })).body
    body.set(right.subarray(0, HEADER_BYTES))
    expect(refusal(() => open(body))).toBe('not_authentic')
  })

  it('splicing: the encapsulated key of one request does not open the ciphertext of another', async () => {
    const [one, other] = [await sealCall(toChannel, base), await sealCall(toChannel, base)]
    const spliced = Uint8Array.from(one.body)
    spliced.set(other.body.subarray(HEADER_BYTES, HEADER_BYTES + ENC_BYTES), HEADER_BYTES)
    expect(refusal(() => open(spliced))).toBe('not_authentic')
  })

  it('wrong recipient: a request for another key names that key and does not open', async () => {
    const { body } = await sealCall(toStorage, base)
    expect(refusal(() => open(body))).toBe('unknown_key')
    const always = { keyFor: () => channel, psk }
    expect(refusal(() => open(body, 'POST', '/sealed/execute', always))).toBe('not_authentic')
  })
})

describe('a usage key at rest', () => {
  const owner = { triggerId: 'a'.repeat(32), ownerId: 'user-1' }
  const sealed = sealForStorage(toStorage, 'the usage key', owner)

  it('opens for its own trigger and owner', async () => {
    expect(openStoredUsageKey(storage, await sealed, owner).toString()).toBe('the usage key')
  })

  it('transplant: does not open for another trigger or owner', async () => {
    const bytes = await sealed
    for (const other of [
      { ...owner, triggerId: 'b'.repeat(32) },
      { ...owner, ownerId: 'user-2' },
      { triggerId: owner.ownerId, ownerId: owner.triggerId },
      { triggerId: `${owner.triggerId}","user-1`, ownerId: '' },
    ])
      expect(refusal(() => openStoredUsageKey(storage, bytes, other))).toBe('not_authentic')
  })

  it('bit flipping and truncation: changed bytes do not open', async () => {
    const bytes = await sealed
    const changed = [
      ...Array.from(bytes, (_byte, at) => flipped(bytes, at)),
      ...Array.from(bytes, (_byte, length) => bytes.slice(0, length)),
    ]
    for (const one of changed)
      expect(refusal(() => openStoredUsageKey(storage, one, owner))).toMatch(
        /unknown_key|not_authentic/,
      )
  })

  it('cross-protocol: a usage key does not open as a request, nor vice versa, even under one key', async () => {
    const bytes = await sealForStorage(toChannel, 'the usage key', owner)
    const { body } = await sealCall(toChannel, base)
    const asRequest = Buffer.concat([body.subarray(0, HEADER_BYTES), bytes.subarray(KEY_ID_BYTES)])
    expect(refusal(() => open(asRequest))).toBe('not_authentic')
    const asKey = Buffer.concat([body.subarray(2, 2 + KEY_ID_BYTES), body.subarray(HEADER_BYTES)])
    expect(refusal(() => openStoredUsageKey(channel, asKey, owner))).toBe('not_authentic')
  })
})
