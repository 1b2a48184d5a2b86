import { Contract, formatEther } from 'ethers'
import { causeCode } from '../../shared/errors/cause-code.ts'
import { type Check, fault, ok, skipped } from '../../shared/preflight/checks.ts'
import { accountConfig, type ContractChain, connectChain } from '../accounts/chain.ts'
import { addressFromPrivateKey, Keyring } from '../keys/keyring.ts'

type ChainChecks = {
  rpcUrls: readonly string[]
  contract: { address: string; block: number } | undefined
  /** Number of payers, without payer 0. Undefined if the setting has a fault. */
  payers: number | undefined
  rootKey: Uint8Array | undefined
}

export async function checkChain(given: ChainChecks): Promise<Check[]> {
  const { rpcUrls, contract = { address: '', block: 0 } } = given
  let chain: ContractChain
  try {
    chain = await connectChain(rpcUrls, contract)
  } catch (error) {
    // The message of the error may contain the URL.
    return [
      fault(
        'chain',
        `the nodes in SVC_CHAIN_RPC did not respond to eth_chainId (${causeCode(error)})`,
      ),
    ]
  }
  try {
    const node = ok('chain', `chain ID ${chain.chainId}`)
    if (!given.contract) return [node, skipped('contract', 'its settings have a fault')]
    const found = await checkContract(chain)
    if (found.outcome !== 'ok') return [node, found]
    return [node, found, await checkPayers(chain, given)]
  } finally {
    chain.provider.destroy()
  }
}

async function checkContract({ provider, contractAddress, contractBlock }: ContractChain) {
  const name = 'contract'
  if ((await provider.getCode(contractAddress)) === '0x')
    return fault(name, 'there is no code at SVC_CONTRACT_ADDRESS on this chain')
  if ((await provider.getBlock(contractBlock)) === null)
    return fault(name, 'the node does not have the block SVC_CONTRACT_BLOCK')
  try {
    const contract = new Contract(contractAddress, accountConfig, provider)
    await contract.getFunction('apiPayers')()
  } catch {
    return fault(name, 'the code at SVC_CONTRACT_ADDRESS is not AccountConfig')
  }
  return ok(name, `AccountConfig at ${contractAddress}`)
}

async function checkPayers(
  { provider, contractAddress }: ContractChain,
  { payers, rootKey }: ChainChecks,
): Promise<Check> {
  const name = 'payers'
  if (rootKey === undefined)
    return skipped(name, 'their keys are derived from the root key; GET /info lists them')
  if (payers === undefined) return skipped(name, 'SVC_PAYERS has a fault')
  const keyring = new Keyring(rootKey)
  const [funder, ...others] = Array.from({ length: payers + 1 }, (_, n) =>
    addressFromPrivateKey(keyring.payerKey(n)),
  )
  const contract = new Contract(contractAddress, accountConfig, provider)
  const registered = await Promise.all(
    others.map(async (payer): Promise<boolean> => contract.getFunction('isApiPayer')(payer)),
  )
  const missing = others.filter((_, n) => !registered[n])
  if (missing.length > 0)
    return fault(name, `not registered in the contract (setApiPayers): ${missing.join(', ')}`)
  const balance = await provider.getBalance(funder!)
  if (balance === 0n) return fault(name, `payer 0 has no ether: ${funder}`)
  return ok(name, `${payers} registered; payer 0 (${funder}) has ${formatEther(balance)} ether`)
}
