import { computeAddress, SigningKey } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SECP256K1_ORDER } from '../../../origin/keys/derive.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { publicKeyOf } from '../../../origin/keys/public-key.ts'

const hex = (scalar: bigint) => `0x${scalar.toString(16).padStart(64, '0')}`
const byEthers = (key: string) => {
  const { publicKey } = new SigningKey(key)
  return { publicKey, address: computeAddress(publicKey) }
}

describe('the public key of a private key', () => {
  it('equals that of ethers, for random keys and the first and last', () => {
    const scalar = fc.bigInt({ min: 1n, max: SECP256K1_ORDER - 1n })
    const edges = [1n, 2n, SECP256K1_ORDER - 2n, SECP256K1_ORDER - 1n].map((edge): [bigint] => [
      edge,
    ])
    fc.assert(
      fc.property(scalar, (key) => {
        expect(publicKeyOf(hex(key))).toEqual(byEthers(hex(key)))
      }),
      { examples: edges, numRuns: 200 },
    )
  })

  it.each([
    ['zero', hex(0n)],
    ['the order of the curve', hex(SECP256K1_ORDER)],
    ['31 bytes', `0x${'01'.repeat(31)}`],
  ])('cannot be computed for %s', (_what, key) => {
    expect(() => publicKeyOf(key)).toThrow(Error)
  })
})

describe('the keyring', () => {
  const keyring = new Keyring(new Uint8Array(32).fill(7))
  const [account, other] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
  const path = `0x${'33'.repeat(32)}`

  it('returns the public keys of wallets and actions, on first and repeated calls', () => {
    for (let times = 0; times < 2; times++) {
      for (const hash of [account, other])
        expect(keyring.walletPublicKey(hash, path)).toEqual(byEthers(keyring.walletKey(hash, path)))
      for (const cid of ['QmOne', 'QmTwo'])
        expect(keyring.actionPublicKey(cid)).toEqual(byEthers(keyring.actionKey(cid)))
    }
  })

  it('impersonation: an action ID that looks like a wallet’s name gets a different key', () => {
    const wallet = keyring.walletPublicKey(account, path)
    expect(keyring.actionPublicKey(`${account}/${path}`)).not.toEqual(wallet)
  })
})
