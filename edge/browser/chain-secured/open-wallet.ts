/** All requests to the wallet go through the guarded provider. */
import { createClient } from '../../../shared/client/client.ts'
import type { CommonOperations } from '../../../shared/client/core/common-operations.ts'
import type { CommonOptions, Step } from '../../../shared/client/options.ts'
import type { SovereignClient } from '../../../shared/client/sovereign/client.ts'
import { loadContractCodec } from '../../../shared/client/sovereign/contract-codec.ts'
import { addressOf } from '../../../shared/client/sovereign/sign.ts'
import type { Eip1193Provider } from '../../../shared/client/sovereign/signer.ts'
import { WrongContract } from '../../../shared/client/sovereign/transaction-failures.ts'
import { requireChain } from '../../../shared/client/sovereign/wallet-chain.ts'
import { walletOf } from '../../../shared/client/sovereign/wallet-of.ts'
import type { AccountsChain } from './explain-transaction.ts'
import type { Consent } from './explanation.ts'
import { guardedProvider } from './guarded-provider.ts'
import { waitUnlessStopped } from './wait-unless-stopped.ts'
import { readAccount, hasCode, type AdminStatus, readAdminStatus } from './admin-status.ts'

export type OpenedWallet = {
  client: SovereignClient
  /** Address of the wallet, with an EIP-55 checksum. */
  address: string
  chain: AccountsChain
  provider: Eip1193Provider
  /** Reads the admin status of an address, by default of the wallet's own address. */
  adminStatus: (address?: string) => Promise<AdminStatus>
  isContract: (address: string) => Promise<boolean>
}

type Parts = {
  wallet: Eip1193Provider
  /** Client of the origin, with or without a key. It provides the contract address and verifies the origin. */
  core: Pick<CommonOperations, 'getNodeChainConfig' | 'verification'>
  options: Pick<CommonOptions, 'baseUrl' | 'fetch'>
  consent: Consent
  onStep: (step: Step) => void
  now: () => number
  signal: AbortSignal
}

/**
 * Requests the wallet's address, and asks the wallet to switch to the chain that stores the accounts.
 * @throws {WalletRefused | WalletFailed | WrongChain | WrongContract | NoWallet}, and errors from requests to the
 *   origin
 */
export async function openWallet(parts: Parts): Promise<OpenedWallet> {
  const { wallet, core, options, consent, onStep, now, signal } = parts
  await core.verification.beforeCredential(signal)
  const [coding, config] = await Promise.all([
    loadContractCodec(),
    core.getNodeChainConfig({ signal }),
  ])
  const place: AccountsChain = {
    chainId: BigInt(config.chain_id),
    contractAddress: config.contract_address,
    chainName: config.chain_name,
    token: config.token,
  }
  const waitFor = (question: Promise<string>) =>
    waitUnlessStopped(consent, 'show its address', question)
  const address = coding.address(await waitFor(addressOf(walletOf(wallet))))
  const provider: Eip1193Provider = guardedProvider({
    wallet,
    address,
    place,
    consent,
    account: () => readAccount({ provider, place }, address),
    now,
  })
  await requireChain(walletOf(provider), place.chainId)
  const reader = { provider, place }
  if (!(await hasCode(reader, place.contractAddress)))
    throw new WrongContract(place.contractAddress, NO_CODE, CHECK_NODE)
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
    chain: place,
    provider,
    adminStatus: (other = address) => readAdminStatus(reader, other),
    isContract: (other) => hasCode(reader, other),
  }
}

const NO_CODE = 'the wallet reports the right chain, but the contract does not exist there'
const CHECK_NODE =
  'Check which node the wallet uses. It may belong to another chain or to a fork of it.'
