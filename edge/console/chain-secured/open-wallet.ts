/** All requests to the wallet go through the guarded provider. */
import { createClient } from '../../../shared/client/client.ts'
import type { CommonOperations } from '../../../shared/client/core/common-operations.ts'
import type { CommonOptions, Step } from '../../../shared/client/options.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import { contractCoding } from '../../../shared/client/sovereign/contract-coding.ts'
import { addressOf } from '../../../shared/client/sovereign/sign.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import { WrongContract } from '../../../shared/client/sovereign/transaction-failures.ts'
import { requireChain } from '../../../shared/client/sovereign/wallet-chain.ts'
import type { Place } from './explain-transaction.ts'
import type { Consent } from './explanation.ts'
import { guardedProvider } from './guarded-provider.ts'
import { patiently } from './patiently.ts'
import { accountOf, hasCode, type Standing, standingOf } from './standing.ts'

export type OpenedWallet = {
  client: SovereignClient
  /** With an EIP-55 checksum. */
  address: string
  place: Place
  /** Guarded provider, for requests by an API-mode client. */
  provider: Eip1193Provider
  /** Defaults to the wallet's own address. */
  standing: (address?: string) => Promise<Standing>
  isContract: (address: string) => Promise<boolean>
}

type Parts = {
  wallet: Eip1193Provider
  /** Client of the origin, with or without a key: provides the contract address and verifies the origin. */
  core: Pick<CommonOperations, 'getNodeChainConfig' | 'verification'>
  options: Pick<CommonOptions, 'baseUrl' | 'fetch'>
  consent: Consent
  onStep: (step: Step) => void
  /** Unix milliseconds. */
  now: () => number
  /** Aborts all pending requests to the wallet. */
  signal: AbortSignal
}

/**
 * Requests the address, and asks the wallet to switch to the chain that stores the accounts.
 * @throws {WalletRefused | WalletFailed | WrongChain | WrongContract | NoWallet}, and errors from requests to the
 *   origin
 */
export async function openWallet(parts: Parts): Promise<OpenedWallet> {
  const { wallet, core, options, consent, onStep, now, signal } = parts
  await core.verification.beforeCredential(signal)
  const [coding, config] = await Promise.all([
    contractCoding(),
    core.getNodeChainConfig({ signal }),
  ])
  const place: Place = {
    chainId: BigInt(config.chain_id),
    contractAddress: config.contract_address,
    chainName: config.chain_name,
    token: config.token,
  }
  const answered = (question: Promise<string>) => patiently(consent, 'show its address', question)
  const address = coding.address(await answered(addressOf(wallet)))
  const provider: Eip1193Provider = guardedProvider({
    wallet,
    address,
    place,
    consent,
    account: () => accountOf({ provider, place }, address),
    now,
  })
  await requireChain(provider, place.chainId)
  const asking = { provider, place }
  if (!(await hasCode(asking, place.contractAddress)))
    throw new WrongContract(place.contractAddress, NO_CODE, LOOK)
  const client = createClient({
    ...options,
    mode: 'sovereign',
    verification: core.verification,
    signer: provider,
    contractAddress: place.contractAddress,
    onStep,
    signal,
  })
  return {
    client,
    address,
    place,
    provider,
    standing: (other = address) => standingOf(asking, other),
    isContract: (other) => hasCode(asking, other),
  }
}

const NO_CODE = 'the wallet reports the right chain, but the contract does not exist there'
const LOOK = 'Check which node the wallet uses. It may belong to another chain or to a fork of it.'
