import { getBytes, hexlify } from 'ethers'
import { deriveBytes, deriveScalar, type KeyPart, P256_ORDER, SECP256K1_ORDER } from './derive.ts'
import { type P256Key, p256KeyOf } from './p256-key.ts'
import { type PublicKey, publicKeyOf } from './public-key.ts'
import { LruCache } from '../lru-cache.ts'
import type { WalletCipher } from './wallet-cipher.ts'

/** Each key takes about 400 bytes, and most runs use only a few wallets and actions. */
const PUBLIC_KEYS_MAX = 4_096

/** Lock of a policy wallet that was created with a policy that can be changed. */
export const NO_LOCK = `0x${'00'.repeat(32)}`

/**
 * Derives the keys of this deployment. The root key never leaves this class, and only public keys are cached. Only the
 * origin's main process has a keyring. The processes that run actions do not have one.
 */
export class Keyring {
  readonly #root: Uint8Array
  readonly #publicKeys = new LruCache<PublicKey>(PUBLIC_KEYS_MAX)

  /** @param root 32 bytes */
  constructor(root: Uint8Array) {
    if (root.length !== 32) throw new Error(`the root key has ${root.length} bytes, not 32`)
    this.#root = Uint8Array.from(root)
  }

  /** The key depends on the account, so another account that registers the same address does not get the key. */
  walletKey(accountHash: string, path: string): string {
    return this.#secp256k1('svc/wallet/v1', bytes32(accountHash), bytes32(path))
  }

  walletPublicKey(accountHash: string, path: string): PublicKey {
    return this.#publicKeys.getOrCreate(`wallet/${accountHash}/${path}`, () =>
      publicKeyOf(this.walletKey(accountHash, path)),
    )
  }

  /**
   * Derives the key of a wallet with a policy. In contrast to `walletKey`, no key operation returns it to an action.
   * @param lock hash of the policy if the wallet was created with an immutable policy, otherwise `NO_LOCK`. A key with a
   * lock cannot be derived under another policy, whatever the contract says.
   */
  policyWalletKey(accountHash: string, path: string, lock: string): string {
    const parts = [accountHash, path, lock].map(bytes32)
    return this.#secp256k1('svc/policy-wallet/v1', ...parts)
  }

  policyWalletPublicKey(accountHash: string, path: string, lock: string): PublicKey {
    return this.#publicKeys.getOrCreate(`policy-wallet/${accountHash}/${path}/${lock}`, () =>
      publicKeyOf(this.policyWalletKey(accountHash, path, lock)),
    )
  }

  /** The cipher's keys are independent of the wallet's signing key. */
  walletCipher(accountHash: string, path: string): WalletCipher {
    const wallet = [bytes32(accountHash), bytes32(path)]
    return {
      name: Buffer.concat(wallet),
      key: (salt) => deriveBytes(this.#root, ['svc/encryption/v1', ...wallet, salt]),
    }
  }

  actionKey(cid: string): string {
    return this.#secp256k1('svc/action/v1', cid)
  }

  actionPublicKey(cid: string): PublicKey {
    return this.#publicKeys.getOrCreate(`action/${cid}`, () => publicKeyOf(this.actionKey(cid)))
  }

  /** Wallet that represents an API-mode account on the chain. It does not change after the account is created. */
  accountKey(apiKeyHash: string): string {
    return this.#secp256k1('svc/account/v1', bytes32(apiKeyHash))
  }

  payerKey(n: number): string {
    return this.#secp256k1('svc/payer/v1', String(n))
  }

  channelKey(epoch: number): P256Key {
    return this.#p256('svc/channel/v1', String(epoch))
  }

  /** For usage keys at rest, which are encrypted to its public key. Unlike the channel key, it does not rotate. */
  storageKey(): P256Key {
    return this.#p256('svc/seal/v1')
  }

  /** Derives the key pair that signs receipts of runs (`docs/receipts.md`). */
  receiptKey(): P256Key {
    return this.#p256('svc/receipt/v1')
  }

  /** Key of the ACME account that obtains the certificates of all machines (`origin/tls/acme/`). */
  acmeAccountKey(): P256Key {
    return this.#p256('svc/acme/v1')
  }

  outcomeKey(): Buffer {
    return deriveBytes(this.#root, ['svc/outcome/v1'])
  }

  emailKey(): Buffer {
    return deriveBytes(this.#root, ['svc/email/v1'])
  }

  /** AES-256 key that encrypts the client addresses in audit logs. */
  auditAddressKey(): Buffer {
    return deriveBytes(this.#root, ['svc/audit-address/v1'])
  }

  /**
   * Keys for the responses stored under idempotency keys. `naming` derives the names of the database rows, and
   * `sealing` (AES-256) encrypts the responses.
   */
  idempotencyKeys(): { naming: Buffer; sealing: Buffer } {
    return {
      naming: deriveBytes(this.#root, ['svc/idempotency/v1', 'naming']),
      sealing: deriveBytes(this.#root, ['svc/idempotency/v1', 'sealing']),
    }
  }

  /** HMAC key that derives the IDs of transactions from their identities. */
  transactionIdKey(): Buffer {
    return deriveBytes(this.#root, ['svc/transaction/v1'])
  }

  /** HMAC key that hashes the client addresses stored in the database. */
  addressHashKey(): Buffer {
    return deriveBytes(this.#root, ['svc/address/v1'])
  }

  /** HMAC-SHA256 key that authenticates the mirror's snapshots. */
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

export function addressFromPrivateKey(privateKey: string): string {
  return publicKeyOf(privateKey).address
}

function bytes32(hex: string): Uint8Array {
  const bytes = getBytes(hex)
  if (bytes.length !== 32) throw new Error(`expected 32 bytes, got ${bytes.length}`)
  return bytes
}
