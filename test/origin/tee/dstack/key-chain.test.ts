import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pointFromScalar } from 'tiny-secp256k1'
import {
  type KeyChain,
  KeyChainError,
  verifyKeyChain,
} from '../../../../origin/tee/dstack/key-chain.ts'
import { SECP256K1_ORDER } from '../../../../origin/keys/derive.ts'
import { issuedText, signed } from '../../../doubles/guest-agent.ts'

const PURPOSE = 'svc/v1/root'
const kms = randomBytes(32)
const app = randomBytes(32)
const key = randomBytes(32)
const appId = randomBytes(20)

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const publicOf = (secret: Uint8Array) => Buffer.from(pointFromScalar(secret, true)!)
const keyText = (of: Uint8Array, purpose = PURPOSE) =>
  Buffer.from(`${purpose}:${publicOf(of).toString('hex')}`)
const ofKey = bytes(signed(app, keyText(key)))
const ofApp = bytes(signed(kms, issuedText(appId, app)))
const GOOD: KeyChain = {
  key,
  purpose: PURPOSE,
  signatureChain: [ofKey, ofApp],
  appId,
  kmsRoot: publicOf(kms),
}

/** Returns the other valid ECDSA signature of the same text, with s negated and the recovery bit flipped. */
function withHighS(signature: Buffer): Buffer {
  const s = BigInt(`0x${signature.subarray(32, 64).toString('hex')}`)
  const high = (SECP256K1_ORDER - s).toString(16).padStart(64, '0')
  return Buffer.concat([signature.subarray(0, 32), bytes(high), Uint8Array.of(signature[64]! ^ 1)])
}

const edited = (signature: Buffer, at: number, value: number) => {
  const copy = Buffer.from(signature)
  copy[at] = value
  return copy
}

describe('the signature chain of a guest agent key', () => {
  it('is accepted if it ends at the pinned root', () => {
    expect(() => verifyKeyChain(GOOD)).not.toThrow()
  })

  const mallory = randomBytes(32)
  const other = randomBytes(32)
  const forged: [string, Partial<KeyChain>, string][] = [
    ['another pinned root', { kmsRoot: publicOf(mallory) }, 'does not end at the pinned KMS root'],
    [
      'an application’s key that the KMS did not issue',
      { signatureChain: [ofKey, bytes(signed(mallory, issuedText(appId, app)))] },
      'does not end at the pinned KMS root',
    ],
    [
      'a key that another application’s key signed',
      { signatureChain: [bytes(signed(mallory, keyText(key))), ofApp] },
      'does not end at the pinned KMS root',
    ],
    ['a key in place of the one that was signed', { key: other }, 'does not end at'],
    ['a key that was signed for another purpose', { purpose: 'svc/v1/other' }, 'does not end at'],
    ['the key of another application', { appId: randomBytes(20) }, 'does not end at'],
    ['signatures in the other order', { signatureChain: [ofApp, ofKey] }, 'does not end at'],
    ['one signature', { signatureChain: [ofKey] }, '1 signatures instead of 2'],
    ['no signature', { signatureChain: [] }, '0 signatures instead of 2'],
    ['a third signature', { signatureChain: [ofKey, ofApp, ofApp] }, '3 signatures instead of 2'],
    [
      'a signature without its recovery id',
      { signatureChain: [ofKey.subarray(0, 64), ofApp] },
      'of the key has 64 bytes instead of 65',
    ],
    [
      'a longer signature',
      { signatureChain: [ofKey, Buffer.concat([ofApp, ofApp])] },
      'of the application’s key has 130 bytes',
    ],
    ['a recovery id of 2', { signatureChain: [edited(ofKey, 64, 2), ofApp] }, 'recovery id 2'],
    ['one of 27', { signatureChain: [ofKey, edited(ofApp, 64, 27)] }, 'recovery id 27'],
    ['a high s', { signatureChain: [withHighS(ofKey), ofApp] }, 'of the key has a high s'],
    [
      'a high s of the KMS',
      { signatureChain: [ofKey, withHighS(ofApp)] },
      'of the application’s key has a high s',
    ],
    [
      'a signature of zeros',
      { signatureChain: [Buffer.alloc(65), ofApp] },
      'of the key does not match any key',
    ],
    ['a short key', { key: key.subarray(1) }, '31 bytes instead of 32'],
    ['a key of zeros', { key: Buffer.alloc(32) }, 'not a valid secp256k1 key'],
    ['a key above the order', { key: Buffer.alloc(32, 0xff) }, 'not a valid secp256k1 key'],
    ['a short app id', { appId: appId.subarray(1) }, '19 bytes instead of 20'],
  ]
  it.each(forged)('is rejected: %s', (_what, change, reason) => {
    const verify = () => verifyKeyChain({ ...GOOD, ...change })
    expect(verify).toThrow(KeyChainError)
    expect(verify).toThrow(reason)
  })

  it('is rejected if any byte of a signature is modified', () => {
    for (let at = 0; at < 65; at++)
      for (const whole of [0, 1]) {
        const chain = [ofKey, ofApp].map((signature, index) =>
          index === whole ? edited(signature, at, signature[at]! ^ 1) : signature,
        )
        expect(() => verifyKeyChain({ ...GOOD, signatureChain: chain })).toThrow(KeyChainError)
      }
  })
})
