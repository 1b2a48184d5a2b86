import { getAddress, type JsonRpcProvider } from 'ethers'
import { encodeHex } from '../../../shared/hex.ts'
import { isDeeper } from '../../../shared/json-depth.ts'
import { type Misfit, read } from '../../../shared/json-body.ts'
import {
  CONTRACT_SIGNATURES_AT_ONCE,
  PROOF_WINDOW_S,
  TYPED_DATA_MAX_BYTES,
} from '../../../shared/limits.ts'
import { digestOf, type Purpose } from '../../../shared/typed-data.ts'
import { primaryTypeSchema, walletProofSchema } from '../../../shared/wire/wallet-proofs.ts'
import { Overloaded } from '../../admission/event-loop-load.ts'
import { ChainUnavailable } from '../chain.ts'
import { askContractWallet } from './contract-wallet.ts'
import { signerOf } from './ecdsa.ts'
import type { WalletProof } from './proof.ts'
import { WalletProofRefused } from './refusal.ts'

export type WalletProofsOptions = {
  chain: { provider: JsonRpcProvider; chainId: bigint }
  /** Unix milliseconds. */
  now: () => number
  askMs?: number
}

/** As for other RPC requests. */
const ASK_MS = 5_000

/**
 * Valid typed data has three levels and one list. Anything deeper is rejected before it is serialized to measure its
 * size.
 */
const LEVELS = 8

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
  #asking = 0

  constructor(options: WalletProofsOptions) {
    this.#options = options
  }

  /**
   * Checks a proof's form, domain, chain and time. Makes no RPC request, and does not verify the signature.
   * @param body a request body or a decoded header; other properties are ignored
   * @throws {WalletProofRefused} `form` or `outside_window`; the error names the field
   */
  read(body: { typed_data?: unknown; signature?: unknown }, purpose: Purpose): WalletProof {
    requireSmall(body.typed_data)
    const schemas = SCHEMAS[purpose]
    // A proof for another purpose would also fail in every other field.
    fitting(read(schemas.primaryType, body))
    const { typed_data: typedData, signature } = fitting(read(schemas.proof, body))
    const { chainId } = this.#options.chain
    if (typedData.domain.chainId !== chainId)
      throw malformed(`typed_data.domain.chainId: expected ${chainId}, the chain of this origin`)
    const { address, issuedAt } = typedData.message
    const now = Math.floor(this.#options.now() / 1000)
    if (issuedAt < BigInt(now - PROOF_WINDOW_S) || issuedAt > BigInt(now + PROOF_WINDOW_S))
      throw new WalletProofRefused({ kind: 'outside_window', issuedAt, now })
    const digest = `0x${encodeHex(digestOf({ purpose, address, issuedAt, chainId }))}`
    const checksummed = getAddress(address.toLowerCase())
    return { address: checksummed, purpose, issuedAt: Number(issuedAt), digest, signature }
  }

  /**
   * ECDSA recovery, or ERC-1271 if the address is a contract.
   * @throws {WalletProofRefused} if the signature is not valid
   * @throws {ChainUnavailable | Overloaded} if a contract cannot be called at the moment
   */
  async verify(proof: WalletProof): Promise<void> {
    const { address, digest, signature } = proof
    // ECDSA first, even if the address has code: an account that uses EIP-7702 delegation still has its key.
    if (signerOf(digest, signature) === address) return
    const answer = await this.#ask({ address, digest, signature })
    if (answer === 'yes') return
    if (signature.toLowerCase().endsWith(ERC6492_MAGIC))
      throw new WalletProofRefused({ kind: 'counterfactual' })
    const kind = answer === 'no_code' ? 'not_of_address' : 'not_of_contract'
    throw new WalletProofRefused({ kind, address })
  }

  /** A call that has timed out still counts towards the limit until the node responds. */
  async #ask(question: Parameters<typeof askContractWallet>[1]) {
    if (this.#asking >= CONTRACT_SIGNATURES_AT_ONCE)
      throw new Overloaded('too many contract wallet signatures are being verified')
    this.#asking++
    const answer = askContractWallet(this.#options.chain.provider, question).finally(() => {
      this.#asking--
    })
    return inTime(answer, this.#options.askMs ?? ASK_MS)
  }
}

function schemasOf(purpose: Purpose) {
  return { primaryType: primaryTypeSchema(purpose), proof: walletProofSchema(purpose) }
}

/**
 * Runs before any other check.
 * @throws {WalletProofRefused}
 */
function requireSmall(typedData: unknown): void {
  if (isDeeper(typedData, LEVELS)) throw malformed('typed_data: nested too deeply')
  const bytes = Buffer.byteLength(JSON.stringify(typedData) ?? '')
  if (bytes > TYPED_DATA_MAX_BYTES)
    throw malformed(`typed_data: expected at most ${TYPED_DATA_MAX_BYTES} bytes of JSON`)
}

function fitting<Value>(result: { value: Value } | Misfit): Value {
  if ('value' in result) return result.value
  throw new WalletProofRefused({ kind: 'form', ...result })
}

function malformed(message: string): WalletProofRefused {
  return new WalletProofRefused({ kind: 'form', message, isOfWrongType: false })
}

async function inTime<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const failure = new ChainUnavailable('a contract wallet did not respond in time')
  const timer = setTimeout(() => late.reject(failure), ms)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}
