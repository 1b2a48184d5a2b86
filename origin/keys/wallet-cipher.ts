import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ENCRYPTED_MESSAGE_MAX_BYTES } from '../../shared/limits.ts'

/**
 * Texts that an action has encrypted for a wallet (`Svc.Actions.encrypt`), in base64:
 * version 1 · salt 16 · nonce 12 · AES-256-GCM of the UTF-8 text · tag 16. Each message has a key of its own, derived
 * from the wallet's place in the root key's tree and from the salt: random nonces under one key would run out after
 * 2^32 messages (NIST SP 800-38D, 8.3). Header and wallet are the associated data.
 */
const VERSION = 1
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + SALT_BYTES
const OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES

/** How a wallet encrypts: its name in the associated data, and the key for a salt. */
export type WalletCipher = { name: Uint8Array; key(salt: Uint8Array): Uint8Array }

/** A message or ciphertext that is not taken; the message is for the action's author. */
export class CipherRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CipherRefused'
  }
}

/** @throws {CipherRefused} for a text that is too long, or that UTF-8 cannot carry */
export function encryptText(cipher: WalletCipher, text: string, random = randomBytes): string {
  if (!text.isWellFormed())
    throw new CipherRefused('the message holds half a surrogate pair; encode bytes as base64 first')
  const bytes = Buffer.from(text)
  if (bytes.length > ENCRYPTED_MESSAGE_MAX_BYTES)
    throw new CipherRefused(
      `the message is ${bytes.length} bytes; the limit is ${ENCRYPTED_MESSAGE_MAX_BYTES}`,
    )
  const header = Buffer.concat([Uint8Array.of(VERSION), random(SALT_BYTES)])
  const nonce = random(NONCE_BYTES)
  const gcm = createCipheriv('aes-256-gcm', cipher.key(header.subarray(1)), nonce)
  gcm.setAAD(Buffer.concat([header, cipher.name]))
  const hidden = Buffer.concat([gcm.update(bytes), gcm.final()])
  return Buffer.concat([header, nonce, hidden, gcm.getAuthTag()]).toString('base64')
}

/** @throws {CipherRefused} for what `encryptText` did not make for this very wallet */
export function decryptText(cipher: WalletCipher, ciphertext: string): string {
  const bytes = Buffer.from(ciphertext, 'base64')
  // Node skips what is no base64; one text has one spelling here.
  if (bytes.toString('base64') !== ciphertext)
    throw new CipherRefused('the ciphertext is not base64 as encrypt returned it')
  if (bytes.length < OVERHEAD_BYTES) throw new CipherRefused('the ciphertext is cut short')
  if (bytes[0] !== VERSION)
    throw new CipherRefused(`the ciphertext is of version ${bytes[0]}, which is unknown here`)
  const header = bytes.subarray(0, HEADER_BYTES)
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
  const gcm = createDecipheriv('aes-256-gcm', cipher.key(header.subarray(1)), nonce, {
    authTagLength: TAG_BYTES,
  })
  gcm.setAAD(Buffer.concat([header, cipher.name]))
  gcm.setAuthTag(bytes.subarray(-TAG_BYTES))
  const hidden = bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES)
  try {
    return Buffer.concat([gcm.update(hidden), gcm.final()]).toString('utf8')
  } catch {
    throw new CipherRefused(
      'the ciphertext was altered or cut, or encrypted for another wallet or account',
    )
  }
}
