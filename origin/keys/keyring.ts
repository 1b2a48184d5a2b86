import { getBytes, hexlify } from 'ethers'
import { deriveBytes, deriveScalar, type KeyPart, P256_ORDER, SECP256K1_ORDER } from './derive.ts'
import { type P256Key, p256KeyOf } from './p256-key.ts'
import { type PublicKey, publicKeyOf } from './public-key.ts'
import { Recent } from './recent.ts'
import type { WalletCipher } from './wallet-cipher.ts'

/** Public keys that are remembered, of some 400 bytes each: most runs are of few wallets and actions. */
const PUBLIC_KEYS_MAX = 4_096

/**
 * The keys of this deployment, derived on demand; the root key stays inside, and only public keys are kept. Only the
 * origin's main process holds one: the processes that run actions never do.
 */
export class Keyring {
  readonly #root: Uint8Array
  readonly #publicKeys = new Recent<PublicKey>(PUBLIC_KEYS_MAX)

  /** @param root 32 bytes */
  constructor(root: Uint8Array) {
    if (root.length !== 32) throw new Error(`the root key has ${root.length} bytes, not 32`)
    this.#root = Uint8Array.from(root)
  }

  /** A wallet's key: bound to its account, so that registering its address elsewhere gains nothing. */
  walletKey(accountHash: string, path: string): string {
    return this.#secp256k1('svc/wallet/v1', bytes32(accountHash), bytes32(path))
  }

  /** What is public of a wallet's key. */
  walletPublicKey(accountHash: string, path: string): PublicKey {
    return this.#publicKeys.get(`wallet/${accountHash}/${path}`, () =>
      publicKeyOf(this.walletKey(accountHash, path)),
    )
  }

  /** What a wallet's texts are encrypted with; says nothing about the key that it signs with. */
  walletCipher(accountHash: string, path: string): WalletCipher {
    const wallet = [bytes32(accountHash), bytes32(path)]
    return {
      name: Buffer.concat(wallet),
      key: (salt) => deriveBytes(this.#root, ['svc/encryption/v1', ...wallet, salt]),
    }
  }

  /** The key that an action owns by its source alone. */
  actionKey(cid: string): string {
    return this.#secp256k1('svc/action/v1', cid)
  }

  /** What is public of an action's key. */
  actionPublicKey(cid: string): PublicKey {
    return this.#publicKeys.get(`action/${cid}`, () => publicKeyOf(this.actionKey(cid)))
  }

  /** The wallet that stands for an API-mode account on the chain; fixed at creation. */
  accountKey(apiKeyHash: string): string {
    return this.#secp256k1('svc/account/v1', bytes32(apiKeyHash))
  }

  /** The n-th wallet that pays the gas of managed accounts. */
  payerKey(n: number): string {
    return this.#secp256k1('svc/payer/v1', String(n))
  }

  /** The key that sealed requests of an epoch are opened with. */
  channelKey(epoch: number): P256Key {
    return this.#p256('svc/channel/v1', String(epoch))
  }

  /** The key that usage keys at rest are sealed to; it does not rotate with the channel's. */
  storageKey(): P256Key {
    return this.#p256('svc/seal/v1')
  }

  /** The key that receipts of executions are signed with (`docs/receipts.md`). */
  receiptKey(): P256Key {
    return this.#p256('svc/receipt/v1')
  }

  /** AES-256 key of the outcomes in the database. */
  outcomeKey(): Buffer {
    return deriveBytes(this.#root, ['svc/outcome/v1'])
  }

  /** AES-256 key of accounts' e-mail addresses in the database. */
  emailKey(): Buffer {
    return deriveBytes(this.#root, ['svc/email/v1'])
  }

  /** Keys of the answers kept for Idempotency-Keys: of their rows' names, and AES-256 of the answers. */
  idempotencyKeys(): { naming: Buffer; sealing: Buffer } {
    return {
      naming: deriveBytes(this.#root, ['svc/idempotency/v1', 'naming']),
      sealing: deriveBytes(this.#root, ['svc/idempotency/v1', 'sealing']),
    }
  }

  /** Key of the hashes that stand for client addresses in the database. */
  addressHashKey(): Buffer {
    return deriveBytes(this.#root, ['svc/address/v1'])
  }

  /** HMAC-SHA256 key of the mirror's snapshots. */
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

/** The EIP-55 address of a private key (0x hex). */
export function addressOf(privateKey: string): string {
  return publicKeyOf(privateKey).address
}

function bytes32(hex: string): Uint8Array {
  const bytes = getBytes(hex)
  if (bytes.length !== 32) throw new Error(`expected 32 bytes, got ${bytes.length}`)
  return bytes
}
