import { getAddress, type JsonRpcProvider } from 'ethers'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import { isDeeperThan } from '../../../shared/json/json-depth.ts'
import { type ValidationFailure, parseValue } from '../../../shared/json/json-body.ts'
import {
  CONCURRENT_CONTRACT_SIGNATURES_MAX,
  PROOF_WINDOW_S,
  TYPED_DATA_MAX_BYTES,
} from '../../../shared/limits.ts'
import { typedDataDigest, type Purpose } from '../../../shared/crypto/typed-data.ts'
import { primaryTypeSchema, walletProofSchema } from '../../../shared/wire/wallet-proofs.ts'
import { OverloadedError } from '../../admission/event-loop-load.ts'
import { rejectAfter } from '../../timeout.ts'
import { ContractUnavailableError, RPC_TIMEOUT_MS } from '../chain.ts'
import { checkContractSignature } from './contract-signature.ts'
import { recoverSigner } from './ecdsa.ts'
import { WalletProofError } from './wallet-proof-error.ts'

/** Typed data in which a wallet authorizes a request, with the wallet's signature. */
export type WalletProof = {
  /** EIP-55 address that the proof claims. The signature has not been verified yet. */
  address: string
  purpose: Purpose
  /** Unix seconds, within the accepted window. */
  issuedAt: number
  /** EIP-712 digest: 32 bytes in lower-case 0x hex. */
  digest: string
  /** 0x hex: 65 bytes for an externally owned account, any length for a contract wallet. */
  signature: string
}

type WalletProofsOptions = {
  chain: { provider: JsonRpcProvider; chainId: bigint }
  /** Unix milliseconds. */
  now: () => number
  callTimeoutMs?: number
}

/**
 * Valid typed data has three levels and one list. Anything deeper is rejected before it is serialized to measure its
 * size.
 */
const DEPTH_MAX = 8

/** Created only once, because creating a schema costs more than applying it. */
const SCHEMAS = {
  ConvertAccount: schemasOf('ConvertAccount'),
  CreateWallet: schemasOf('CreateWallet'),
  AddUsageApiKey: schemasOf('AddUsageApiKey'),
  BillingAuth: schemasOf('BillingAuth'),
}

/** Signatures of contract wallets that are not deployed (ERC-6492) end with it. */
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
    const schemas = SCHEMAS[purpose]
    // A proof for another purpose would also fail in every other field.
    valueOrThrow(parseValue(schemas.primaryType, body))
    const { typed_data: typedData, signature } = valueOrThrow(parseValue(schemas.proof, body))
    const { chainId } = this.#options.chain
    if (typedData.domain.chainId !== chainId)
      throw malformedProof(
        `typed_data.domain.chainId: expected ${chainId}, the chain of this origin`,
      )
    const { address, issuedAt } = typedData.message
    const now = Math.floor(this.#options.now() / 1000)
    if (issuedAt < BigInt(now - PROOF_WINDOW_S) || issuedAt > BigInt(now + PROOF_WINDOW_S))
      throw new WalletProofError({ kind: 'outside_window', issuedAt, now })
    const digest = `0x${encodeHex(typedDataDigest({ purpose, address, issuedAt, chainId }))}`
    const checksummed = getAddress(address.toLowerCase())
    return { address: checksummed, purpose, issuedAt: Number(issuedAt), digest, signature }
  }

  /**
   * ECDSA recovery, or ERC-1271 if the address is a contract.
   * @throws {WalletProofError} if the signature is not valid
   * @throws {ContractUnavailableError | OverloadedError} if a contract cannot be called at the moment
   */
  async verify(proof: WalletProof): Promise<void> {
    const { address, digest, signature } = proof
    // ECDSA first, even if the address has code: an account that uses EIP-7702 delegation still has its key.
    if (recoverSigner(digest, signature) === address) return
    const answer = await this.#callContract({ address, digest, signature })
    if (answer === 'yes') return
    if (signature.toLowerCase().endsWith(ERC6492_MAGIC))
      throw new WalletProofError({ kind: 'counterfactual' })
    const kind = answer === 'no_code' ? 'not_of_address' : 'not_of_contract'
    throw new WalletProofError({ kind, address })
  }

  /** A call that has timed out still counts towards the limit until the node responds. */
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

function schemasOf(purpose: Purpose) {
  return { primaryType: primaryTypeSchema(purpose), proof: walletProofSchema(purpose) }
}

/**
 * Runs before any other check.
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
