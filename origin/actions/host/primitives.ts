import { digest, hexOf, hmac, keccak256 } from '../ethers/cryptography/digests.ts'
import { pbkdf2, scrypt } from '../ethers/cryptography/key-derivation.ts'
import {
  convertPoint,
  publicKeys,
  recover,
  sharedSecret,
  sign,
  addPoints,
} from '../ethers/cryptography/secp256k1.ts'
import { asciiBytes, bytesOfHex, checksumAddress, NO_BYTES } from '../ethers/cryptography/texts.ts'
import { type HostFunctions, hostFunction } from './host-function.ts'
import type { RunHooks } from './run-functions.ts'

/**
 * Cryptography for ethers, as pure functions. Only the bundle calls these functions, but they must handle any
 * arguments, because an action may have modified built-ins that the bundle uses to prepare the arguments.
 */
export function primitives(hooks: () => RunHooks): HostFunctions {
  const mustStop = () => hooks().mustStop()
  return {
    keccak256: hostFunction(['bytes'], 'text', (bytes) => keccak256(bytes, mustStop)),
    /** Hashes 0x hex. Returns '' if the text is not valid hex. */
    keccak256OfHex: hostFunction(['text', 'number'], 'text', (text, length) => {
      const bytes = bytesOfHex(text, length)
      return bytes === undefined ? '' : keccak256(bytes, mustStop)
    }),
    digest: hostFunction(['text', 'bytes'], 'text', (name, bytes) => digest(name, bytes, mustStop)),
    hmac: hostFunction(['text', 'bytes', 'bytes'], 'text', (name, key, bytes) =>
      hmac(name, key, bytes, mustStop),
    ),
    pbkdf2: hostFunction(
      ['text', 'bytes', 'bytes', 'number', 'number'],
      'text',
      (name, password, salt, rounds, length) =>
        hexOf(pbkdf2(name, password, salt, rounds, length, mustStop)),
    ),
    scrypt: hostFunction(
      ['bytes', 'bytes', 'number', 'number', 'number', 'number'],
      'bytes',
      (password, salt, N, r, p, length) => scrypt(password, salt, { N, r, p, length }, mustStop),
    ),
    publicKeys: hostFunction(['text'], 'text', publicKeys),
    signDigest: hostFunction(['text', 'text', 'number'], 'text', sign),
    recoverPublicKey: hostFunction(
      ['bytes', 'text', 'text', 'number'],
      'text',
      errorsAsText(recover),
    ),
    convertPoint: hostFunction(['bytes', 'boolean'], 'text', errorsAsText(convertPoint)),
    addPoints: hostFunction(['bytes', 'bytes'], 'text', errorsAsText(addPoints)),
    sharedSecret: hostFunction(['text', 'bytes'], 'text', errorsAsText(sharedSecret)),
    checksumAddress: hostFunction(['text'], 'text', checksumAddress),
    hexOf: hostFunction(['bytes'], 'text', hexOf),
    /** Decodes 0x hex. Returns empty bytes if the text is '0x' or not valid hex. */
    bytesOfHex: hostFunction(
      ['text', 'number'],
      'bytes',
      (text, length) => bytesOfHex(text, length) ?? NO_BYTES,
    ),
    asciiBytes: hostFunction(['text', 'number'], 'bytes', asciiBytes),
  }
}

/**
 * Wraps a function so that it returns '!' and the message instead of throwing. The bundle then throws an error with the
 * action's stack.
 */
function errorsAsText<A extends unknown[]>(call: (...args: A) => string): (...args: A) => string {
  return (...args) => {
    try {
      return call(...args)
    } catch (error) {
      return `!${error instanceof Error ? error.message : 'the computation failed'}`
    }
  }
}
