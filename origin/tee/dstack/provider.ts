import { hash } from 'node:crypto'
import { decodeHex } from '../../../shared/encoding/hex.ts'
import type { OriginLog } from '../../log.ts'
import {
  type Collateral,
  type EvidenceQuote,
  type TeeProvider,
  TeeUnavailableError,
} from '../provider.ts'
import type { AgentInfo, GuestAgent } from './guest-agent.ts'
import { type FetchCollateral, PlatformCollateral } from './collateral.ts'
import { verifyKeyChain } from './key-chain.ts'

/** Also passed as the signed purpose, because only the path affects the key. */
const ROOT_KEY_PATH = 'svc/v1/root'

type DstackProviderOptions = {
  agent: GuestAgent
  kmsRoot: Uint8Array
  pccsUrl: string
  now: () => number
  log: OriginLog
  fetchCollateral?: FetchCollateral
}

/** Checks the agent's responses as far as possible from inside the machine. */
export class DstackProvider implements TeeProvider {
  readonly mode = 'dstack'
  readonly #options: DstackProviderOptions
  readonly #collateral: PlatformCollateral

  constructor(options: DstackProviderOptions) {
    this.#options = options
    const { pccsUrl, now, log, fetchCollateral } = options
    this.#collateral = new PlatformCollateral({
      pccsUrl,
      now,
      quote: async () => bytesOf((await this.quote(new Uint8Array(0))).quote, 'the quote'),
      onFailure: (reason) => log('collateral.failed', { reason: reason.slice(0, 300) }),
      ...(fetchCollateral && { fetchCollateral }),
    })
  }

  /**
   * Returns the root key after verifying that the pinned KMS issued it.
   * @throws {TeeUnavailableError | KeyChainError}
   */
  async rootKey(): Promise<Uint8Array> {
    const { agent, kmsRoot } = this.#options
    const { app_id } = await this.info()
    const { key, signature_chain } = await agent.getKey(ROOT_KEY_PATH, ROOT_KEY_PATH)
    verifyKeyChain({
      key,
      purpose: ROOT_KEY_PATH,
      signatureChain: signature_chain,
      appId: bytesOf(app_id, 'the app ID'),
      kmsRoot,
    })
    return key
  }

  quote(reportData: Uint8Array): Promise<EvidenceQuote> {
    return this.#options.agent.getQuote(reportData)
  }

  /**
   * Returns information about the machine, with `tcb_info` parsed and the app-compose text unchanged.
   * @throws {TeeUnavailableError} also if the compose hash is not the hash of the app-compose text
   */
  async info(): Promise<AgentInfo> {
    const info = await this.#options.agent.info()
    if (hash('sha256', info.tcb_info.app_compose) !== info.compose_hash.toLowerCase())
      throw new TeeUnavailableError(
        'the compose hash of the guest agent does not match its app-compose',
      )
    return info
  }

  get collateralAt(): number | undefined {
    return this.#collateral.fetchedAt
  }

  collateral(): Promise<Collateral> {
    return this.#collateral.current()
  }
}

function bytesOf(hex: string, what: string): Uint8Array {
  const bytes = decodeHex(hex)
  if (!bytes) throw new TeeUnavailableError(`${what} of the guest agent is not hex`)
  return bytes
}
