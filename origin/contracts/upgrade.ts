import { Contract, getAddress, ZeroAddress, type Provider, type Signer } from 'ethers'
import artifacts from './artifacts.json' with { type: 'json' }
import { createdContract, FACET_CUT_ACTION } from './deploy.ts'

type AccountConfigUpgrade = {
  provider: Provider
  /** Owner of the diamond. */
  signer: Signer
  address: string
}

type FacetCut = { target: string; action: number; selectors: string[] }

/**
 * Upgrades the facets in one transaction, so that no block contains a mix of old and new functions. The functions of
 * the diamond itself cannot be replaced and stay unchanged.
 * @returns false if no change was necessary
 * @throws if the signer is not the owner or a transaction fails; the diamond is then unchanged
 */
export async function upgradeAccountConfig(upgrade: AccountConfigUpgrade): Promise<boolean> {
  const { provider, signer, address } = upgrade
  const owner = signer.provider === provider ? signer : signer.connect(provider)
  const diamond = new Contract(address, artifacts.diamond.abi, owner)
  const listed: { target: string; selectors: string[] }[] = await diamond.getFunction('facets')()
  const present = new Map<string, string>()
  for (const { target, selectors } of listed) {
    if (target === getAddress(address)) continue
    for (const selector of selectors) present.set(selector, target)
  }

  const cuts: FacetCut[] = []
  for (const { selectors, bytecode } of Object.values(artifacts.facets)) {
    const wanted = Object.values(selectors)
    const target = await findOrDeployFacet(bytecode, new Set(present.values()), owner, provider)
    const missing = wanted.filter((selector) => !present.has(selector))
    const elsewhere = wanted.filter((selector) => (present.get(selector) ?? target) !== target)
    cuts.push({ target, action: FACET_CUT_ACTION.replace, selectors: elsewhere })
    cuts.push({ target, action: FACET_CUT_ACTION.add, selectors: missing })
  }
  const wanted = new Set(Object.values(artifacts.facets).flatMap((f) => Object.values(f.selectors)))
  const superfluous = [...present.keys()].filter((selector) => !wanted.has(selector))
  cuts.push({ target: ZeroAddress, action: FACET_CUT_ACTION.remove, selectors: superfluous })

  const needed = cuts.filter(({ selectors }) => selectors.length > 0)
  if (needed.length === 0) return false
  const sent = await diamond.getFunction('diamondCut').send(needed, ZeroAddress, '0x')
  await sent.wait()
  return true
}

async function findOrDeployFacet(
  bytecode: string,
  targets: ReadonlySet<string>,
  owner: Signer,
  provider: Provider,
): Promise<string> {
  // Obtains the deployed code by simulating the creation code, so that the artifacts do not need to contain both.
  const code = await provider.call({ data: bytecode })
  for (const target of targets) {
    if ((await provider.getCode(target)) === code) return target
  }
  const sent = await owner.sendTransaction({ data: bytecode })
  return createdContract(await sent.wait()).address
}
