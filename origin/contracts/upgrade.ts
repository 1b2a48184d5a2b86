import { Contract, getAddress, Interface, ZeroAddress, type Provider, type Signer } from 'ethers'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import artifacts from './artifacts.json' with { type: 'json' }
import { createdContract, FACET_CUT_ACTION } from './deploy.ts'

type AccountConfigUpgrade = {
  provider: Provider
  /** Owner of the diamond. */
  signer: Signer
  address: string
}

/** `AccountConfigStorage.VERSION`, and the slot of `Layout.version`. */
export const STORAGE_LAYOUT = {
  version: 2n,
  slot: '0x47949fe6d4d4625f90c325c4b50f5c206c20580bb58a9aa26646cd8667612600',
} as const

/** The contract's state is in another storage layout, so the facets of the artifacts would not find its accounts. */
export class StorageLayoutError extends Error {
  constructor(address: string) {
    super(
      `the contract ${address} stores its accounts in a different layout, and an upgrade would lose them. Keep the version that deployed the contract, or deploy a new contract (docs/contracts.md#storage)`,
    )
    this.name = 'StorageLayoutError'
  }
}

export type FacetCut = { target: string; action: number; selectors: string[] }

export type FacetName = keyof typeof artifacts.facets

/** Arguments of `diamondCut`. */
export type DiamondCut = readonly [cuts: readonly FacetCut[], init: string, calldata: string]

/** Differences between a deployed diamond and the artifacts. */
export type FacetDifferences = {
  facets: {
    name: FacetName
    /** Address of a facet that the diamond uses and that has the code of the artifact. */
    target: string | undefined
    /** Selectors that the diamond does not have. */
    missing: string[]
    /** Selectors that the diamond takes from another facet. */
    elsewhere: string[]
  }[]
  /** Selectors of the diamond that no artifact has. */
  superfluous: string[]
}

/** @throws {StorageLayoutError} */
export async function requireStorageLayout(provider: Provider, address: string): Promise<void> {
  const version = BigInt(await provider.getStorage(address, STORAGE_LAYOUT.slot))
  if (version !== STORAGE_LAYOUT.version) throw new StorageLayoutError(address)
}

/** Compares the facets. The diamond's own functions are not compared, because they cannot change. */
export async function compareFacets(
  provider: Provider,
  address: string,
): Promise<FacetDifferences> {
  const diamond = new Contract(address, artifacts.diamond.abi, provider)
  const listed: { target: string; selectors: string[] }[] = await diamond.getFunction('facets')()
  const present = new Map<string, string>()
  for (const { target, selectors } of listed) {
    if (target === getAddress(address)) continue
    for (const selector of selectors) present.set(selector, target)
  }
  const facets: FacetDifferences['facets'] = []
  for (const [name, { selectors, bytecode }] of Object.entries(artifacts.facets)) {
    const target = await findFacet(bytecode, new Set(present.values()), provider)
    const wanted = Object.values(selectors)
    facets.push({
      name: name as FacetName,
      target,
      missing: wanted.filter((selector) => !present.has(selector)),
      elsewhere: wanted.filter(
        (selector) => present.has(selector) && present.get(selector) !== target,
      ),
    })
  }
  const wanted = new Set(Object.values(artifacts.facets).flatMap((f) => Object.values(f.selectors)))
  return { facets, superfluous: [...present.keys()].filter((selector) => !wanted.has(selector)) }
}

/**
 * Deploys the facets that are missing. Anyone can deploy them, because a facet has no effect until the owner adds it.
 * @returns the cut that turns the diamond into the artifacts' version; its list is empty if it already is. The
 *   transaction reverts if the diamond has another storage layout
 * @throws {Error} if a transaction fails, or a facet is missing and there is no deployer
 */
export async function prepareUpgrade(
  { facets, superfluous }: FacetDifferences,
  deployer?: Signer,
): Promise<DiamondCut> {
  const cuts: FacetCut[] = []
  let init = ZeroAddress
  for (const { name, target, missing, elsewhere } of facets) {
    const differs = missing.length + elsewhere.length > 0
    const facet = target ?? (differs ? await deployFacet(name, deployer) : ZeroAddress)
    if (name === 'AdminFacet') init = facet
    if (!differs) continue
    cuts.push({ target: facet, action: FACET_CUT_ACTION.replace, selectors: elsewhere })
    cuts.push({ target: facet, action: FACET_CUT_ACTION.add, selectors: missing })
  }
  cuts.push({ target: ZeroAddress, action: FACET_CUT_ACTION.remove, selectors: superfluous })
  const check = new Interface(accountConfigAbi).encodeFunctionData('checkStorageLayout')
  return [cuts.filter(({ selectors }) => selectors.length > 0), init, check]
}

/**
 * Upgrades the facets in one transaction, so that no block contains a mix of old and new functions. The functions of
 * the diamond itself cannot be replaced and stay unchanged.
 * @returns false if no change was necessary
 * @throws {StorageLayoutError}
 * @throws if the signer is not the owner or a transaction fails; the diamond is then unchanged
 */
export async function upgradeAccountConfig(upgrade: AccountConfigUpgrade): Promise<boolean> {
  const { provider, signer, address } = upgrade
  const owner = signer.provider === provider ? signer : signer.connect(provider)
  await requireStorageLayout(provider, address)
  const cut = await prepareUpgrade(await compareFacets(provider, address), owner)
  if (cut[0].length === 0) return false
  const diamond = new Contract(address, artifacts.diamond.abi, owner)
  const sent = await diamond.getFunction('diamondCut').send(...cut)
  await sent.wait()
  return true
}

async function findFacet(
  bytecode: string,
  targets: ReadonlySet<string>,
  provider: Provider,
): Promise<string | undefined> {
  // Obtains the deployed code by simulating the creation code, so that the artifacts do not need to contain both.
  const code = await provider.call({ data: bytecode })
  for (const target of targets) {
    if ((await provider.getCode(target)) === code) return target
  }
  return undefined
}

async function deployFacet(name: FacetName, deployer: Signer | undefined): Promise<string> {
  if (!deployer)
    throw new Error(`${name} is not deployed yet; give the key of a wallet that deploys it`)
  const sent = await deployer.sendTransaction({ data: artifacts.facets[name].bytecode })
  return createdContract(await sent.wait()).address
}
