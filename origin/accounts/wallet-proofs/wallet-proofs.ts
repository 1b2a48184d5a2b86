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
  /** Milliseconds since 1970. */
  now: () => number
  /** How long a contract wallet is waited for. */
  askMs?: number
}

/** As long as any question to the chain. */
const ASK_MS = 5_000

/** Typed data has three levels and a list in one; what is deeper is none, and is not written as JSON to be measured. */
const LEVELS = 8

/** Made once: a schema costs more than what it reads. */
const SCHEMAS = {
  ConvertAccount: schemasOf('ConvertAccount'),
  CreateWallet: schemasOf('CreateWallet'),
  AddUsageApiKey: schemasOf('AddUsageApiKey'),
  BillingAuth: schemasOf('BillingAuth'),
}

/** The end of a signature for a wallet that is not deployed (ERC-6492). */
const ERC6492_MAGIC = '6492'.repeat(16)

/** Reads and verifies what wallets sign for this service (specification, ConvertAccount typed data). */
export class WalletProofs {
  readonly #options: WalletProofsOptions
  #asking = 0

  constructor(options: WalletProofsOptions) {
    this.#options = options
  }

  /**
   * What a request carries, once its form, domain, chain and time are right. Costs no chain; the signature is not
   * verified yet.
   * @param body of a request, or what a header holds; other members are ignored
   * @throws {WalletProofRefused} `form` and `outside_window`, which name the field
   */
  read(body: { typed_data?: unknown; signature?: unknown }, purpose: Purpose): WalletProof {
    requireSmall(body.typed_data)
    const schemas = SCHEMAS[purpose]
    // First: the rest of a proof for another purpose would be wrong in all its places.
    fitting(read(schemas.primaryType, body))
    const { typed_data: typedData, signature } = fitting(read(schemas.proof, body))
    const { chainId } = this.#options.chain
    if (typedData.domain.chainId !== chainId)
      throw malformed(`typed_data.domain.chainId: expected ${chainId}, the chain of this node`)
    const { address, issuedAt } = typedData.message
    const now = Math.floor(this.#options.now() / 1000)
    if (issuedAt < BigInt(now - PROOF_WINDOW_S) || issuedAt > BigInt(now + PROOF_WINDOW_S))
      throw new WalletProofRefused({ kind: 'outside_window', issuedAt, now })
    const digest = `0x${encodeHex(digestOf({ purpose, address, issuedAt, chainId }))}`
    const checksummed = getAddress(address.toLowerCase())
    return { address: checksummed, purpose, issuedAt: Number(issuedAt), digest, signature }
  }

  /**
   * Returns where the wallet has signed: by its key, or by the word of the contract at its address.
   * @throws {WalletProofRefused} where it has not
   * @throws {ChainUnavailable | Overloaded} where a contract can not be asked now
   */
  async verify(proof: WalletProof): Promise<void> {
    const { address, digest, signature } = proof
    // First, also where there is code: an account with code of EIP-7702 has its key still.
    if (signerOf(digest, signature) === address) return
    const answer = await this.#ask({ address, digest, signature })
    if (answer === 'yes') return
    if (signature.toLowerCase().endsWith(ERC6492_MAGIC))
      throw new WalletProofRefused({ kind: 'counterfactual' })
    const kind = answer === 'no_code' ? 'not_of_address' : 'not_of_contract'
    throw new WalletProofRefused({ kind, address })
  }

  /** A question that is given up still counts until the node has done with it. */
  async #ask(question: Parameters<typeof askContractWallet>[1]) {
    if (this.#asking >= CONTRACT_SIGNATURES_AT_ONCE)
      throw new Overloaded('too many contract wallets are being asked about signatures')
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

/** Before anything else of it is looked at. @throws {WalletProofRefused} */
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

/** Of the right types, with a bad value. */
function malformed(message: string): WalletProofRefused {
  return new WalletProofRefused({ kind: 'form', message, isOfWrongType: false })
}

async function inTime<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const failure = new ChainUnavailable('a contract wallet was not asked in time')
  const timer = setTimeout(() => late.reject(failure), ms)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}
