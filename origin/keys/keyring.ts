import { getBytes, hexlify } from 'ethers'
import { deriveBytes, deriveScalar, type KeyPart, P256_ORDER, SECP256K1_ORDER } from './derive.ts'
import { type P256Key, p256KeyOf } from './p256-key.ts'
import { type PublicKey, publicKeyOf } from './public-key.ts'
import { Recent } from './recent.ts'
import type { WalletCipher } from './wallet-cipher.ts'

/** Maximum number of cached public keys, at about 400 bytes each. Most runs use only a few wallets and actions. */
const PUBLIC_KEYS_MAX = 4_096

/**
 * Derives the keys of this deployment on demand. The root key never leaves this class, and only public keys are cached.
 * Only the origin's main process has a keyring; the processes that run actions do not.
 */
export class Keyring {
  readonly #root: Uint8Array
  readonly #publicKeys = new Recent<PublicKey>(PUBLIC_KEYS_MAX)

  /** @param root the root key, 32 bytes */
  constructor(root: Uint8Array) {
    if (root.length !== 32) throw new Error(`the root key has ${root.length} bytes, not 32`)
    this.#root = Uint8Array.from(root)
  }

  /**
   * Returns a wallet's private key. The key depends on the account, so another account that registers the same address
   * does not get the key.
   */
  walletKey(accountHash: string, path: string): string {
    return this.#secp256k1('svc/wallet/v1', bytes32(accountHash), bytes32(path))
  }

  walletPublicKey(accountHash: string, path: string): PublicKey {
    return this.#publicKeys.get(`wallet/${accountHash}/${path}`, () =>
      publicKeyOf(this.walletKey(accountHash, path)),
    )
  }

  /**
   * Returns the cipher that encrypts and decrypts texts for a wallet. The cipher's keys are independent of the wallet's
   * signing key.
   */
  walletCipher(accountHash: string, path: string): WalletCipher {
    const wallet = [bytes32(accountHash), bytes32(path)]
    return {
      name: Buffer.concat(wallet),
      key: (salt) => deriveBytes(this.#root, ['svc/encryption/v1', ...wallet, salt]),
    }
  }

  /** Returns an action's own private key, which is derived from the action's CID only. */
  actionKey(cid: string): string {
    return this.#secp256k1('svc/action/v1', cid)
  }

  actionPublicKey(cid: string): PublicKey {
    return this.#publicKeys.get(`action/${cid}`, () => publicKeyOf(this.actionKey(cid)))
  }

  /**
   * Returns the private key of the wallet that represents an API-mode account on the chain. The wallet does not change
   * after the account is created.
   */
  accountKey(apiKeyHash: string): string {
    return this.#secp256k1('svc/account/v1', bytes32(apiKeyHash))
  }

  /** Returns the private key of the n-th wallet that pays gas for managed accounts. */
  payerKey(n: number): string {
    return this.#secp256k1('svc/payer/v1', String(n))
  }

  /** Returns the key pair that decrypts the sealed requests of an epoch. */
  channelKey(epoch: number): P256Key {
    return this.#p256('svc/channel/v1', String(epoch))
  }

  /** Returns the key pair that usage keys at rest are encrypted to. Unlike the channel key, it does not rotate. */
  storageKey(): P256Key {
    return this.#p256('svc/seal/v1')
  }

  /** Returns the key pair that signs receipts of runs (`docs/receipts.md`). */
  receiptKey(): P256Key {
    return this.#p256('svc/receipt/v1')
  }

  /** Returns the AES-256 key that encrypts run outcomes in the database. */
  outcomeKey(): Buffer {
    return deriveBytes(this.#root, ['svc/outcome/v1'])
  }

  /** Returns the AES-256 key that encrypts the e-mail addresses of accounts in the database. */
  emailKey(): Buffer {
    return deriveBytes(this.#root, ['svc/email/v1'])
  }

  /**
   * Returns two keys for the responses stored under idempotency keys: one that derives the names of their rows, and an
   * AES-256 key that encrypts the responses.
   */
  idempotencyKeys(): { naming: Buffer; sealing: Buffer } {
    return {
      naming: deriveBytes(this.#root, ['svc/idempotency/v1', 'naming']),
      sealing: deriveBytes(this.#root, ['svc/idempotency/v1', 'sealing']),
    }
  }

  /** Returns the key used to hash the client addresses that are stored in the database. */
  addressHashKey(): Buffer {
    return deriveBytes(this.#root, ['svc/address/v1'])
  }

  /** Returns the HMAC-SHA256 key that authenticates the mirror's snapshots. */
  mirrorKey(): Buffer {
    return deriveBytes(this.#root, ['svc/mirror/v1'])
  }

  #secp256k1(...parts: KeyPart[]): string {
    return hexlify(deriveScalar(this.#root, parts, SECP256K1_ORDER))
  }

  #p256(...parts: KeyPart[]): P256Key {
    return p256KeyOf(deriveScalar(this.#root, parts, P256_ORDER))
  }
}

/** Returns the EIP-55 address of a private key (0x hex). */
export function addressOf(privateKey: string): string {
  return publicKeyOf(privateKey).address
}

function bytes32(hex: string): Uint8Array {
  const bytes = getBytes(hex)
  if (bytes.length !== 32) throw new Error(`expected 32 bytes, got ${bytes.length}`)
  return bytes
}
