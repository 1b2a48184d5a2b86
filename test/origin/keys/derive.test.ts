import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deriveBytes,
  deriveScalar,
  encodeInfo,
  P256_ORDER,
  SECP256K1_ORDER,
} from '../../../origin/keys/derive.ts'
import { freshWallet } from '../../../origin/keys/fresh-wallet.ts'
import { Keyring, NO_LOCK } from '../../../origin/keys/keyring.ts'
import { anyText } from '../../any-text.ts'

const ROOT = Uint8Array.from({ length: 32 }, (_, index) => index)
const ACCOUNT = `0x${'11'.repeat(32)}`
const PATH = `0x${'22'.repeat(32)}`
const LOCK = `0x${'44'.repeat(32)}`
const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const keyring = new Keyring(ROOT)

// Expected values computed with Python's hmac, and P-256 points by hand. They must never change: stored data depends on
// them.
describe('derived keys equal those of the first release', () => {
  it.each([
    [
      'wallet',
      keyring.walletKey(ACCOUNT, PATH),
      '4ee1c1aef350168a7aa5e94896bff7fd9d5582f118c141e5e6b5e4eb28dd7b07',
    ],
    [
      'policy wallet',
      keyring.policyWalletKey(ACCOUNT, PATH, NO_LOCK),
      '89763c4049c7dc3ea5396cadcff2004fac6029ea1c6c0ad0d46e132eb5e2cee5',
    ],
    [
      'policy wallet, locked to a policy',
      keyring.policyWalletKey(ACCOUNT, PATH, LOCK),
      '97846307ac4440dd5ded39af96c50f9af036f18ffc19678742f187e21394837d',
    ],
    [
      'action',
      keyring.actionKey(CID),
      '1f0a2bccf18ba8816e09381af4fadb67efa71f53eb97bf84fbd31d629c78da6d',
    ],
    [
      'account',
      keyring.accountKey(ACCOUNT),
      '1578374a742d3ee26a31d50373739bfc710ad916bd8a43f446824118f79865b2',
    ],
    [
      'payer 0',
      keyring.payerKey(0),
      '6944fe294b44e22fe58e3a0c81caa5ed7f6ff72210e3818969db7903862e97f9',
    ],
    [
      'payer 1',
      keyring.payerKey(1),
      '941fa69c64cbded91ecbf7babfedc68d595b7156a29c67a046626e788d4dafdf',
    ],
  ])('%s', (_name, key, expected) => {
    expect(key).toBe(`0x${expected}`)
  })

  it('wallet cipher, of a salt', () => {
    const key = keyring.walletCipher(ACCOUNT, PATH).key(Buffer.alloc(16, 0x33))
    expect(Buffer.from(key).toString('hex')).toBe(
      '534511446b16917446e47103ffab7a4fd76b96ccb043878da7af34f961fbdee1',
    )
  })

  it('channel, of an epoch', () => {
    const { privateKey, publicKey } = keyring.channelKey(1)
    expect(privateKey.toString('hex')).toBe(
      '93bda770505fbd6d9e1aec802b79b39e235ebacf8aa6d38843d9b5b68ce69c99',
    )
    expect(publicKey.toString('hex')).toBe(
      '049c18bdfdba23946a4ef5e18912a9205bd97dc5225f71aa1b5f6182e250bd70408491e5d9f89fe375ca7ecd5f73e2b00b1bd5d465e81b124438ec246096c895fa',
    )
    expect(keyring.channelKey(2).privateKey).not.toEqual(privateKey)
  })

  it('storage', () => {
    const { privateKey, publicKey } = keyring.storageKey()
    expect(privateKey.toString('hex')).toBe(
      '89e913a0eb619dd7132c04487a20c720d87f347540995f084941f1f1d4e6f5dc',
    )
    expect(publicKey.toString('hex')).toBe(
      '04c4205472bf38d425588f6b477f25fd924cfde552138db50ef16066ba0cece51a97b80d7746d8c4ba7fe330c668a5c042db3eae2f8e3924a81832ce713b4612ff',
    )
  })

  it('ACME account', () => {
    expect(keyring.acmeAccountKey().privateKey.toString('hex')).toBe(
      '7d69cde77b8bfbd41e8fc62d8c1e70e91a4816575b8c41d9212d5241fb4a1400',
    )
  })

  it('e-mail addresses', () => {
    expect(keyring.emailKey().toString('hex')).toBe(
      'c7e486d1d7598b3d4399ce2458b2ecef90057359188230c04c7008d7ebcaa6d3',
    )
  })

  it('outcomes', () => {
    expect(keyring.outcomeKey().toString('hex')).toBe(
      '193d8b20302b9f02395b240a9174b459ac61f823e77ea2336d5cd18899a4947f',
    )
  })
})

/** RFC 5869 for one block, spelled out. */
function hkdfByHand(root: Uint8Array, info: Uint8Array): Buffer {
  const extracted = createHmac('sha256', 'svc-root-v1').update(root).digest()
  return createHmac('sha256', extracted).update(info).update(Uint8Array.of(1)).digest()
}

describe('derivation', () => {
  it('is HKDF-SHA256 for any root, parts and counter', () => {
    const parts = fc.array(anyText(), { maxLength: 4 })
    const root = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(root, parts, fc.nat({ max: 255 }), (key, given, counter) => {
        const expected = hkdfByHand(key, encodeInfo(given, counter))
        expect(deriveBytes(key, given, counter)).toEqual(expected)
      }),
    )
  })

  it('encodes parts injectively: a/b and c is not a and b/c', () => {
    expect(encodeInfo(['a/b', 'c'], 0)).not.toEqual(encodeInfo(['a', 'b/c'], 0))
    expect(encodeInfo(['ab'], 0)).not.toEqual(encodeInfo(['a', 'b'], 0))
    expect(encodeInfo(['a'], 0)).not.toEqual(encodeInfo(['a', ''], 0))
    const parts = fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other)
        expect(encodeInfo(one, 0).equals(encodeInfo(other, 0))).toBe(same)
      }),
    )
  })

  it.each([
    ['secp256k1', SECP256K1_ORDER],
    ['P-256', P256_ORDER],
  ])('skips candidates that are not a scalar of %s by raising the counter', (_curve, order) => {
    const scalar = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
    const candidates = [0n, order, order + 1n, 2n ** 256n - 1n, order - 1n, 5n].map(scalar)
    const asked: number[] = []
    const key = deriveScalar(ROOT, ['p'], order, (_root, _parts, counter = 0) => {
      asked.push(counter)
      return candidates[counter]!
    })
    expect(key).toEqual(scalar(order - 1n))
    expect(asked).toEqual([0, 1, 2, 3, 4])
  })

  it('fails if no counter leads to a scalar', () => {
    const zero = () => Buffer.alloc(32)
    expect(() => deriveScalar(ROOT, ['p'], P256_ORDER, zero)).toThrow('no candidate')
  })
})

describe('the keyring', () => {
  it('binds a wallet to its account: the same path in another account gives another key', () => {
    expect(keyring.walletKey(`0x${'12'.repeat(32)}`, PATH)).not.toBe(
      keyring.walletKey(ACCOUNT, PATH),
    )
  })

  it('binds a policy wallet to its account', () => {
    expect(keyring.policyWalletKey(`0x${'12'.repeat(32)}`, PATH, NO_LOCK)).not.toBe(
      keyring.policyWalletKey(ACCOUNT, PATH, NO_LOCK),
    )
    expect(() => keyring.policyWalletKey(ACCOUNT, PATH, '0x00')).toThrow('expected 32 bytes')
  })

  it.each([
    ['an immutable policy', { hash: LOCK, isImmutable: true }, LOCK],
    ['a policy that can change', { hash: LOCK, isImmutable: false }, NO_LOCK],
  ])('derives the key of a new wallet with %s', (_what, policy, lock) => {
    const { address, pkpId, derivationPath } = freshWallet(keyring, ACCOUNT, policy)
    const derived = keyring.policyWalletPublicKey(ACCOUNT, derivationPath, lock)
    expect(address).toBe(derived.address)
    expect(pkpId).toBe(`0x${'00'.repeat(12)}${address.slice(2).toLowerCase()}`)
  })

  it('derives the key of a new wallet without a policy from the account and the path', () => {
    const { address, derivationPath } = freshWallet(keyring, ACCOUNT)
    expect(address).toBe(keyring.walletPublicKey(ACCOUNT, derivationPath).address)
  })

  it('rejects a root, an account hash or a path of the wrong length', () => {
    expect(() => new Keyring(ROOT.subarray(1))).toThrow('31 bytes')
    expect(() => keyring.walletKey(ACCOUNT.slice(0, -2), PATH)).toThrow('expected 32 bytes')
    expect(() => keyring.walletKey(ACCOUNT, '0x')).toThrow('expected 32 bytes')
    expect(() => keyring.accountKey('0x1234')).toThrow('expected 32 bytes')
  })

  it('exposes its root neither as a property nor as JSON', () => {
    expect(Object.keys(keyring)).toEqual([])
    expect(JSON.stringify(keyring)).toBe('{}')
  })
})
