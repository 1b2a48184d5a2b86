import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { anyText } from '../../any-text.ts'
import { CipherError, decryptText, encryptText } from '../../../origin/keys/wallet-cipher.ts'
import { CIPHERTEXT_MAX_CHARACTERS, ENCRYPTED_MESSAGE_MAX_BYTES } from '../../../shared/limits.ts'

const keyring = new Keyring(Uint8Array.from({ length: 32 }, (_, index) => index))
const [ACCOUNT, OTHER_ACCOUNT] = [`0x${'11'.repeat(32)}`, `0x${'12'.repeat(32)}`]
const [PATH, OTHER_PATH] = [`0x${'22'.repeat(32)}`, `0x${'23'.repeat(32)}`]
const wallet = keyring.walletCipher(ACCOUNT, PATH)

describe('text encrypted for a wallet', () => {
  it('matches the first release for this root, wallet, salt and nonce', () => {
    // Computed with Python's hmac and cryptography. It must never change: stored ciphertexts outlive the code.
    const ciphertext = 'ATMzMzMzMzMzMzMzMzMzMzNERERERERERERERESFDOW0iTao7IH4gBJq1NzDK9+pfoeBLg=='
    const drawn = [0x33, 0x44]
    const random = (bytes: number) => Buffer.alloc(bytes, drawn.shift())
    expect(encryptText(wallet, 'grüße', random)).toBe(ciphertext)
    expect(decryptText(wallet, ciphertext)).toBe('grüße')
  })

  it('decrypts to the original, for any text', () => {
    const text = anyText().filter((any) => any.isWellFormed())
    fc.assert(
      fc.property(text, (message) => {
        expect(decryptText(wallet, encryptText(wallet, message))).toBe(message)
      }),
    )
    for (const message of ['', '\0', '\ufeffbom', 'a\0b'])
      expect(decryptText(wallet, encryptText(wallet, message))).toBe(message)
  })

  it('can be as long as the limit, in bytes of UTF-8', () => {
    const longest = 'é'.repeat(ENCRYPTED_MESSAGE_MAX_BYTES / 2)
    const ciphertext = encryptText(wallet, longest)
    expect(ciphertext).toHaveLength(CIPHERTEXT_MAX_CHARACTERS)
    expect(decryptText(wallet, ciphertext)).toBe(longest)
    expect(() => encryptText(wallet, `${longest}a`)).toThrow(
      'the message has 65537 bytes; the limit is 65536',
    )
  })

  it('cannot contain a lone surrogate, which UTF-8 would replace', () => {
    expect(() => encryptText(wallet, 'a\ud83d')).toThrow('a lone surrogate')
  })

  it('differs each time: salt and nonce are fresh', () => {
    const made = Array.from({ length: 1000 }, () => encryptText(wallet, 'the same'))
    const parts = (from: number, to: number) =>
      new Set(made.map((text) => Buffer.from(text, 'base64').subarray(from, to).toString('hex')))
    expect([parts(1, 17).size, parts(17, 29).size, parts(29, 37).size]).toEqual([1000, 1000, 1000])
  })
})

describe('decryption rejects a ciphertext', () => {
  const ciphertext = encryptText(wallet, 'secret')
  const elsewhere = 'modified, truncated, or encrypted for another wallet or account'

  it('of another wallet of the account', () => {
    const other = keyring.walletCipher(ACCOUNT, OTHER_PATH)
    expect(() => decryptText(other, ciphertext)).toThrow(elsewhere)
  })

  it('of another account’s wallet with the same path', () => {
    const other = keyring.walletCipher(OTHER_ACCOUNT, PATH)
    expect(() => decryptText(other, ciphertext)).toThrow(elsewhere)
  })

  it('of another deployment', () => {
    const other = new Keyring(randomBytes(32)).walletCipher(ACCOUNT, PATH)
    expect(() => decryptText(other, ciphertext)).toThrow(elsewhere)
  })

  it('with the name of another wallet under the same key', () => {
    const renamed = { ...wallet, name: keyring.walletCipher(ACCOUNT, OTHER_PATH).name }
    expect(() => decryptText(renamed, ciphertext)).toThrow(elsewhere)
  })

  it('with any bit flipped', () => {
    const bytes = Buffer.from(ciphertext, 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes)
      altered[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => decryptText(wallet, altered.toString('base64'))).toThrow(CipherError)
    }
  })

  it('cut short or made longer', () => {
    const bytes = Buffer.from(ciphertext, 'base64')
    for (let length = 0; length < bytes.length; length++)
      expect(() => decryptText(wallet, bytes.subarray(0, length).toString('base64'))).toThrow(
        CipherError,
      )
    const longer = Buffer.concat([bytes, Uint8Array.of(0)]).toString('base64')
    expect(() => decryptText(wallet, longer)).toThrow(elsewhere)
  })

  it('with the salt, nonce, text or tag of another one', () => {
    const [one, two] = [ciphertext, encryptText(wallet, 'other!')].map((text) =>
      Buffer.from(text, 'base64'),
    ) as [Buffer, Buffer]
    for (const [from, to] of [
      [1, 17],
      [17, 29],
      [29, 35],
      [35, 51],
    ] as const) {
      const mixed = Buffer.from(one)
      two.copy(mixed, from, from, to)
      expect(() => decryptText(wallet, mixed.toString('base64'))).toThrow(elsewhere)
    }
  })

  it.each([
    ['of another version', `Ag${ciphertext.slice(2)}`, 'version 2'],
    ['in another spelling of base64', `${ciphertext}\n`, 'not the base64 that encrypt returned'],
    ['in base64url', `-${ciphertext.slice(1)}`, 'not the base64 that encrypt returned'],
    ['that is no base64', 'hello world', 'not the base64 that encrypt returned'],
    ['of nothing', '', 'truncated'],
  ])('%s', (_what, text, message) => {
    expect(() => decryptText(wallet, text)).toThrow(message)
  })
})

it('the key of a ciphertext differs from the wallet’s key and is not shown by the cipher', () => {
  const salts = [Buffer.alloc(0), Buffer.alloc(16)]
  for (const salt of salts)
    expect(Buffer.from(wallet.key(salt)).toString('hex')).not.toBe(
      keyring.walletKey(ACCOUNT, PATH).slice(2),
    )
  expect(JSON.stringify(wallet)).not.toContain(
    Buffer.from(wallet.key(salts[1]!)).toString('base64'),
  )
})
