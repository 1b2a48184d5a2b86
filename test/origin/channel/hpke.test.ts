import { Aes128Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setupReceiver } from '../../../origin/channel/hpke.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { p256KeyOf } from '../../../origin/keys/p256-key.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const INFO = hex('4f6465206f6e2061204772656369616e2055726e')
const TEXT = hex('4265617574792069732074727574682c20747275746820626561757479')
const AAD = hex('436f756e742d30')

describe('RFC 9180, A.3: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM', () => {
  it.each([
    {
      section: 'A.3.1, base',
      enc: '04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4',
      privateKey: 'f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2',
      publicKey:
        '04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0',
      psk: undefined,
      ciphertext:
        '5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434',
      exported: [
        '5e9bc3d236e1911d95e65b576a8a86d478fb827e8bdfe77b741b289890490d4d',
        '6cff87658931bda83dc857e6353efe4987a201b849658d9b047aab4cf216e796',
        'd8f1ea7942adbba7412c6d431c62d01371ea476b823eb697e1f6e6cae1dab85a',
      ],
    },
    {
      section: 'A.3.2, PSK',
      enc: '04305d35563527bce037773d79a13deabed0e8e7cde61eecee403496959e89e4d0ca701726696d1485137ccb5341b3c1c7aaee90a4a02449725e744b1193b53b5f',
      privateKey: '438d8bcef33b89e0e9ae5eb0957c353c25a94584b0dd59c991372a75b43cb661',
      publicKey:
        '040d97419ae99f13007a93996648b2674e5260a8ebd2b822e84899cd52d87446ea394ca76223b76639eccdf00e1967db10ade37db4e7db476261fcc8df97c5ffd1',
      psk: {
        key: hex('0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82'),
        id: hex('456e6e796e20447572696e206172616e204d6f726961'),
      },
      ciphertext:
        '90c4deb5b75318530194e4bb62f890b019b1397bbf9d0d6eb918890e1fb2be1ac2603193b60a49c2126b75d0eb',
      exported: [
        'a115a59bf4dd8dc49332d6a0093af8efca1bcbfd3627d850173f5c4a55d0c185',
        '4517eaede0669b16aac7c92d5762dd459c301fa10e02237cd5aeb9be969430c4',
        '164e02144d44b607a7722e58b0f4156e67c0c2874d74cf71da6ca48a4cbdc5e0',
      ],
    },
  ])('$section', ({ enc, privateKey, publicKey, psk, ciphertext, exported }) => {
    const key = p256KeyOf(hex(privateKey))
    expect(key.publicKey).toEqual(hex(publicKey))
    const context = setupReceiver(hex(enc), key, INFO, psk)
    expect(context.open(hex(ciphertext), AAD)).toEqual(TEXT)
    const contexts = ['', '00', '54657374436f6e74657874']
    const secrets = contexts.map((text) => context.export(hex(text), 32).toString('hex'))
    expect(secrets).toEqual(exported)
  })
})

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes128Gcm(),
})
const receiver = new Keyring(Uint8Array.from({ length: 32 }, () => 7)).channelKey(1)
const recipientPublicKey = await suite.kem.deserializePublicKey(Uint8Array.from(receiver.publicKey))
const bytes = (constraints: fc.IntArrayConstraints = {}) =>
  fc.uint8Array(constraints).map((array) => Uint8Array.from(array))

describe('compared with another implementation', () => {
  it.each([['base'], ['PSK']])('%s mode opens and exports what @hpke/core sealed', async (mode) => {
    const psk = fc.record({
      id: bytes({ minLength: 1 }),
      key: bytes({ minLength: 32, maxLength: 64 }),
    })
    const given = fc.record({
      text: bytes({ maxLength: 2_000 }),
      aad: bytes(),
      info: bytes(),
      exporter: bytes(),
      length: fc.integer({ min: 1, max: 100 }),
      psk: mode === 'PSK' ? psk : fc.constant(undefined),
    })
    await fc.assert(
      fc.asyncProperty(given, async (one) => {
        const sender = await suite.createSenderContext({
          recipientPublicKey,
          info: one.info,
          ...(one.psk ? { psk: one.psk } : {}),
        })
        const ciphertext = new Uint8Array(await sender.seal(one.text, one.aad))
        const context = setupReceiver(new Uint8Array(sender.enc), receiver, one.info, one.psk)
        expect(context.open(ciphertext, one.aad).equals(one.text)).toBe(true)
        const theirs = Buffer.from(await sender.export(one.exporter, one.length))
        expect(context.export(one.exporter, one.length)).toEqual(theirs)
      }),
      { numRuns: 100 },
    )
  })

  it('rejects an ephemeral key that is not on the curve', () => {
    const offCurve = Uint8Array.of(4, ...Array.from({ length: 64 }, () => 1))
    expect(() => setupReceiver(offCurve, receiver, INFO)).toThrow()
    expect(() => setupReceiver(new Uint8Array(65), receiver, INFO)).toThrow()
    expect(() => setupReceiver(new Uint8Array(0), receiver, INFO)).toThrow()
  })

  it('tag guessing: rejects a truncated tag', async () => {
    const sealed = await suite.seal({ recipientPublicKey, info: INFO }, new Uint8Array(0))
    const tag = new Uint8Array(sealed.ct)
    for (let length = 0; length < 16; length++) {
      const context = setupReceiver(new Uint8Array(sealed.enc), receiver, INFO)
      expect(() => context.open(tag.subarray(0, length), new Uint8Array(0))).toThrow(
        'shorter than its tag',
      )
    }
  })
})
