import { getAddress, type JsonRpcApiProvider } from 'ethers'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import { isDeeperThan } from '../../../shared/json/json-depth.ts'
import { type ValidationFailure, parseValue } from '../../../shared/json/json-body.ts'
import {
  CONCURRENT_CONTRACT_SIGNATURES_MAX,
  PROOF_WINDOW_S,
  TYPED_DATA_MAX_BYTES,
} from '../../../shared/limits.ts'
import {
  type ProofTerms,
  type Purpose,
  PURPOSES,
  termNames,
  typedDataDigest,
} from '../../../shared/crypto/typed-data.ts'
import { primaryTypeSchema, walletProofSchema } from '../../../shared/wire/wallet-proofs.ts'
import { OverloadedError } from '../../admission/event-loop-load.ts'
import { rejectAfter } from '../../timeout.ts'
import { ContractUnavailableError } from '../chain.ts'
import { RPC_TIMEOUT_MS } from '../nodes/chain-nodes.ts'
import { checkContractSignature } from './contract-signature.ts'
import { recoverSigner } from './ecdsa.ts'
import { WalletProofError } from './wallet-proof-error.ts'

export type WalletProof = {
  /** EIP-55 address that the proof claims. The signature has not been verified yet. */
  address: string
  purpose: Purpose
  /** Timestamp of the proof in Unix seconds, within the accepted window. */
  issuedAt: number
  /** EIP-712 digest of the typed data: 32 bytes in lower-case 0x hex. */
  digest: string
  /** Additional members of the message, in lower case. Empty for most purposes. */
  terms: ProofTerms
  /** Signature in 0x hex: 65 bytes for an externally owned account, any length for a contract wallet. */
  signature: string
}

type WalletProofsOptions = {
  chain: { provider: JsonRpcApiProvider; chainId: bigint }
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  callTimeoutMs?: number
}

/** Valid typed data has three levels and one list. Deeper values are rejected before they are serialized. */
const DEPTH_MAX = 8

/** Schemas by purpose. They are created only once, because creating a schema costs more than applying it. */
const SCHEMAS = new Map(PURPOSES.map((purpose) => [purpose, schemasOf(purpose)]))

/** Suffix of signatures by contract wallets that are not deployed (ERC-6492). */
const ERC6492_MAGIC = '6492'.repeat(16)

export class WalletProofs {
  readonly #options: WalletProofsOptions
  #callsInFlight = 0

  constructor(options: WalletProofsOptions) {
    this.#options = options
  }

  /**
   * Checks a proof's form, domain, chain and time. Makes no RPC request, and does not verify the signature.
   * @param body a request body or a decoded header; other properties are ignored
   * @throws {WalletProofError} `form` or `outside_window`; the error names the field
   */
  read(body: { typed_data?: unknown; signature?: unknown }, purpose: Purpose): WalletProof {
    requireWithinSize(body.typed_data)
    const schemas = SCHEMAS.get(purpose)!
    // The primary type is checked first, because a proof for another purpose would also fail in every other field.
    valueOrThrow(parseValue(schemas.primaryType, body))
    const { typed_data: typedData, signature } = valueOrThrow(parseValue(schemas.proof, body))
    const { chainId } = this.#options.chain
    if (typedData.domain.chainId !== chainId)
      throw malformedProof(
        `typed_data.domain.chainId: expected ${chainId}, the chain of this origin`,
      )
    const { message } = typedData
    const { address, issuedAt } = message
    const terms = termsOf(message, purpose)
    const now = Math.floor(this.#options.now() / 1000)
    if (issuedAt < BigInt(now - PROOF_WINDOW_S) || issuedAt > BigInt(now + PROOF_WINDOW_S))
      throw new WalletProofError({ kind: 'outside_window', issuedAt, now })
    const digest = `0x${encodeHex(typedDataDigest({ purpose, address, issuedAt, chainId, terms }))}`
    const checksummed = getAddress(address.toLowerCase())
    return { address: checksummed, purpose, issuedAt: Number(issuedAt), digest, terms, signature }
  }

  /**
   * Verifies a proof's signature by ECDSA recovery, or by ERC-1271 if the address is a contract.
   * @throws {WalletProofError} if the signature is not valid
   * @throws {ContractUnavailableError | OverloadedError} if a contract cannot be called at the moment
   */
  async verify(proof: WalletProof): Promise<void> {
    const { address, digest, signature } = proof
    // ECDSA is tried first, even if the address has code, because an account that uses EIP-7702 delegation still has
    // its key.
    if (recoverSigner(digest, signature) === address) return
    const answer = await this.#callContract({ address, digest, signature })
    if (answer === 'yes') return
    if (signature.toLowerCase().endsWith(ERC6492_MAGIC))
      throw new WalletProofError({ kind: 'counterfactual' })
    const kind = answer === 'no_code' ? 'not_of_address' : 'not_of_contract'
    throw new WalletProofError({ kind, address })
  }

  /** A call that has timed out still counts towards the limit of concurrent calls until the node responds. */
  async #callContract(call: Parameters<typeof checkContractSignature>[1]) {
    if (this.#callsInFlight >= CONCURRENT_CONTRACT_SIGNATURES_MAX)
      throw new OverloadedError('too many contract wallet signatures are being verified')
    this.#callsInFlight++
    const answer = checkContractSignature(this.#options.chain.provider, call).finally(() => {
      this.#callsInFlight--
    })
    return rejectAfter(
      this.#options.callTimeoutMs ?? RPC_TIMEOUT_MS,
      answer,
      () => new ContractUnavailableError('a contract wallet did not respond in time'),
    )
  }
}

function termsOf(
  message: { [Name in keyof ProofTerms]?: string | undefined },
  purpose: Purpose,
): ProofTerms {
  return Object.fromEntries(termNames(purpose).map((name) => [name, message[name]!.toLowerCase()]))
}

function schemasOf(purpose: Purpose) {
  return { primaryType: primaryTypeSchema(purpose), proof: walletProofSchema(purpose) }
}

/**
 * Must run before any other check.
 * @throws {WalletProofError}
 */
function requireWithinSize(typedData: unknown): void {
  if (isDeeperThan(typedData, DEPTH_MAX)) throw malformedProof('typed_data: nested too deeply')
  const bytes = Buffer.byteLength(JSON.stringify(typedData) ?? '')
  if (bytes > TYPED_DATA_MAX_BYTES)
    throw malformedProof(`typed_data: expected at most ${TYPED_DATA_MAX_BYTES} bytes of JSON`)
}

function valueOrThrow<Value>(result: { value: Value } | ValidationFailure): Value {
  if ('value' in result) return result.value
  throw new WalletProofError({ kind: 'form', ...result })
}

function malformedProof(message: string): WalletProofError {
  return new WalletProofError({ kind: 'form', message, isOfWrongType: false })
}
