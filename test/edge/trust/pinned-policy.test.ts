import { describe, expect, it } from 'vitest'
import { verifyPinned } from '../../../edge/trust/pinned-policy.ts'
import { encodeBase64url } from '../../../shared/base64url.ts'
import { random } from '../app.ts'

const SUITE = 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'
const file = (content: unknown) => new TextEncoder().encode(JSON.stringify(content))
const keyFile = (point: Uint8Array) => file({ suite: SUITE, public_key: encodeBase64url(point) })
async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const [channelKey, storageKey] = [random(65), random(65)]
const evidence = { channelKeyFile: keyFile(channelKey), storageKeyFile: keyFile(storageKey) }
const pins = {
  channelKeySha256: await sha256(evidence.channelKeyFile),
  storageKeySha256: await sha256(evidence.storageKeyFile),
}

describe('the policy `pinned`', () => {
  it('takes the keys of files that have the pinned hashes', async () => {
    expect(await verifyPinned(evidence, pins)).toEqual({ channelKey, storageKey })
  })

  it.each([
    [
      'another channel key',
      { channelKeyFile: keyFile(random(65)) },
      'channel key is not the pinned',
    ],
    [
      'another storage key',
      { storageKeyFile: keyFile(random(65)) },
      'storage key is not the pinned',
    ],
    [
      'one byte more',
      { channelKeyFile: new Uint8Array([...evidence.channelKeyFile, 10]) },
      'channel',
    ],
    ['nothing', { channelKeyFile: new Uint8Array() }, 'channel'],
    [
      'the two files swapped',
      { channelKeyFile: evidence.storageKeyFile, storageKeyFile: evidence.channelKeyFile },
      'channel key is not the pinned',
    ],
  ])('a man in the middle: %s is refused', async (_, served, reason) => {
    await expect(verifyPinned({ ...evidence, ...served }, pins)).rejects.toThrow(reason)
  })

  it('a pin in another spelling is no wildcard', async () => {
    for (const channelKeySha256 of ['', pins.channelKeySha256.toUpperCase()])
      await expect(verifyPinned(evidence, { ...pins, channelKeySha256 })).rejects.toThrow('pinned')
  })

  it.each([
    ['another suite', { suite: 'none', public_key: encodeBase64url(random(65)) }],
    ['a short key', { suite: SUITE, public_key: encodeBase64url(random(33)) }],
    ['no key', { suite: SUITE }],
    ['no object', []],
  ])('a pinned file that names %s is still refused', async (_, content) => {
    const channelKeyFile = file(content)
    const channelKeySha256 = await sha256(channelKeyFile)
    const verified = verifyPinned({ ...evidence, channelKeyFile }, { ...pins, channelKeySha256 })
    await expect(verified).rejects.toThrow()
  })
})
