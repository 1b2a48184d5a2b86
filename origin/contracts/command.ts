/**
 * `npm run contracts -- <command>`: deploys, upgrades and inspects the AccountConfig contract
 * (docs/contracts.md#deployment-and-upgrade).
 */
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { Contract, formatEther, getAddress, JsonRpcProvider, Wallet } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import artifacts from './artifacts.json' with { type: 'json' }
import { deployAccountConfig } from './deploy.ts'
import {
  acceptanceTransaction,
  type OwnerTransaction,
  ownersOf,
  payersTransaction,
  simulate,
  upgradeTransaction,
} from './owner-transaction.ts'
import {
  compareFacets,
  type FacetDifferences,
  prepareUpgrade,
  requireStorageLayout,
  StorageLayoutError,
} from './upgrade.ts'

type OnChain = { rpc: string }
type OnContract = OnChain & { address: string }
type AsOwner = OnContract & { keyFile?: string; calldata?: true }

const KEY_FILE = 'file with the private key that signs, in hex; - for standard input'

/** @param print receives the result of a command; an error is thrown by `parseAsync` */
export function contractsProgram(print: (result: object) => void): Command {
  const program = new Command('npm run contracts --').description(
    'Deploys, upgrades and inspects the AccountConfig contract. Prints JSON.',
  )

  const perform = async (
    rpc: string,
    command: (provider: JsonRpcProvider) => Promise<object>,
  ): Promise<void> => {
    const provider = new JsonRpcProvider(rpc, undefined, {
      staticNetwork: true,
      cacheTimeout: -1,
      pollingInterval: 500,
    })
    try {
      // Fails if the node does not respond; other calls would retry forever.
      const { chainId } = await provider._detectNetwork()
      print({ chain_id: Number(chainId), ...(await command(provider)) })
    } finally {
      provider.destroy()
    }
  }
  const onChain = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .requiredOption('--rpc <url>', 'node of the chain that holds the contract')
  const onContract = (name: string, description: string) =>
    onChain(name, description).requiredOption('--address <address>', 'the contract', addressOf)
  const asOwner = (name: string, description: string) =>
    onContract(name, description)
      .option('--key-file <file>', KEY_FILE)
      .option('--calldata', 'print the transaction for the owner, such as a multisig')

  onContract('status', 'show the owner, the payers, and what an upgrade would change').action(
    ({ rpc, address }: OnContract) =>
      perform(rpc, async (provider) => ({
        address,
        ...(await ownersOf(provider, address)),
        payers: await payersOf(provider, address),
        upgrade: await upgradeOf(provider, address),
      })),
  )

  onChain('deploy', 'deploy the contract, without payers')
    .requiredOption('--key-file <file>', KEY_FILE)
    .option('--owner <address>', 'owner-to-be, which has to accept the ownership', addressOf)
    .action(({ rpc, keyFile, owner }: OnChain & { keyFile: string; owner?: string }) =>
      perform(rpc, async (provider) => {
        const signer = signerOf(keyFile, provider)
        const { address, block } = await deployAccountConfig({ provider, signer, payers: [] })
        if (owner === undefined) return { address, block, ...(await ownersOf(provider, address)) }
        const diamond = new Contract(address, artifacts.diamond.abi, signer)
        await (await diamond.getFunction('transferOwnership').send(owner)).wait()
        const owners = await ownersOf(provider, address)
        return { address, block, ...owners, nominee_sends: acceptanceTransaction(address) }
      }),
    )

  asOwner(
    'upgrade',
    'replace the functions that differ from this checkout, in one transaction',
  ).action((options: AsOwner) =>
    perform(options.rpc, async (provider) => {
      const { address } = options
      await ownersOf(provider, address)
      await requireStorageLayout(provider, address)
      const differences = await compareFacets(provider, address)
      const upgrade = summary(differences)
      if (upgrade.facets.length + upgrade.remove.length === 0) return { address, upgrade }
      const { signer, send } = await ownerOf(provider, options)
      const cut = await prepareUpgrade(differences, signer)
      return { address, upgrade, ...(await send(upgradeTransaction(address, cut))) }
    }),
  )

  for (const [name, description, allowed] of [
    ['add-payers', 'let wallets write to all accounts that are managed through the API', true],
    ['remove-payers', 'take this right away from wallets', false],
  ] as const)
    asOwner(name, description)
      .argument('<addresses...>', 'the wallets; /info of an origin lists its own', addressesOf)
      .action((payers: string[], options: AsOwner) =>
        perform(options.rpc, async (provider) => {
          const { send } = await ownerOf(provider, options)
          const { address } = options
          const result = await send(payersTransaction(address, payers, allowed))
          return { address, payers, allowed, ...result }
        }),
      )

  return program
}

/** Checks that the signer is the owner before a command deploys anything. */
async function ownerOf(provider: JsonRpcProvider, { address, keyFile, calldata }: AsOwner) {
  const { owner } = await ownersOf(provider, address)
  const signer = keyFile === undefined ? undefined : signerOf(keyFile, provider)
  if (!calldata && signer?.address !== owner)
    throw new Error(
      `only the owner, ${owner}, can send this transaction. Give its key with --key-file, or use --calldata`,
    )
  const send = async (transaction: OwnerTransaction) => {
    await simulate(provider, transaction, owner)
    if (calldata || !signer) return { owner_sends: transaction, owner }
    const sent = await signer.sendTransaction(transaction)
    await sent.wait()
    return { transaction: sent.hash }
  }
  return { signer, send }
}

async function payersOf(provider: JsonRpcProvider, address: string) {
  const contract = new Contract(address, accountConfigAbi, provider)
  const payers: string[] = await contract.getFunction('apiPayers')()
  return Promise.all(
    payers.map(async (payer) => ({
      address: payer,
      balance: formatEther(await provider.getBalance(payer)),
    })),
  )
}

/** Returns what an upgrade would change, or why it is impossible. */
async function upgradeOf(provider: JsonRpcProvider, address: string) {
  try {
    await requireStorageLayout(provider, address)
  } catch (error) {
    if (error instanceof StorageLayoutError) return { impossible: error.message }
    throw error
  }
  return summary(await compareFacets(provider, address))
}

/** Lists the functions that an upgrade would add, replace and remove. */
function summary({ facets, superfluous }: FacetDifferences) {
  const names = new Map(
    Object.values(artifacts.facets).flatMap(({ selectors }) =>
      Object.entries(selectors).map(([signature, selector]) => [selector, signature]),
    ),
  )
  const functions = (selectors: string[]) => selectors.map((selector) => names.get(selector))
  return {
    facets: facets
      .filter(({ missing, elsewhere }) => missing.length + elsewhere.length > 0)
      .map(({ name, target, missing, elsewhere }) => ({
        name,
        deployed: target !== undefined,
        add: functions(missing),
        replace: functions(elsewhere),
      })),
    remove: superfluous,
  }
}

function signerOf(file: string, provider: JsonRpcProvider): Wallet {
  const key = readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  try {
    return new Wallet(key, provider)
  } catch {
    // The original error may contain the key.
    throw new Error(`${file}: expected a private key of 32 bytes, in hex`)
  }
}

function addressOf(text: string): string {
  try {
    return getAddress(text)
  } catch {
    throw new InvalidArgumentError('expected an address')
  }
}

function addressesOf(text: string, previous: string[] = []): string[] {
  return [...previous, addressOf(text)]
}

if (import.meta.main) {
  try {
    await contractsProgram((result) => console.log(JSON.stringify(result, null, 2))).parseAsync()
  } catch (error) {
    // The message of ethers' errors contains the whole request.
    const { shortMessage, message } = error as Error & { shortMessage?: string }
    console.error(`contracts: ${shortMessage ?? message}`)
    process.exitCode = 1
  }
}
