/** Brings a deployed AccountConfig diamond to the facets of the committed artifacts; its state stays. */
import { Contract, getAddress } from 'ethers'
import type { Provider, Signer } from 'ethers'
import artifacts from './artifacts.json' with { type: 'json' }
import { created, CUT } from './deploy.ts'

export type AccountConfigUpgrade = {
  provider: Provider
  /** The diamond's owner. */
  signer: Signer
  /** The diamond's. */
  address: string
}

type Cut = { target: string; action: number; selectors: string[] }

const NOBODY = '0x0000000000000000000000000000000000000000'

/**
 * Compares each facet's code and selectors with the artifacts, deploys the facets that are on no target, and cuts
 * everything in with one transaction: there is no block in which old and new functions are mixed. The functions of
 * the diamond itself can not be replaced and are left alone.
 * @returns whether there was anything to do
 * @throws when the signer is not the owner or a transaction fails; the diamond is as it was then
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

  const cuts: Cut[] = []
  for (const { selectors, bytecode } of Object.values(artifacts.facets)) {
    const wanted = Object.values(selectors)
    const target = await targetOf(bytecode, new Set(present.values()), owner, provider)
    const missing = wanted.filter((selector) => !present.has(selector))
    const elsewhere = wanted.filter((selector) => (present.get(selector) ?? target) !== target)
    cuts.push({ target, action: CUT.replace, selectors: elsewhere })
    cuts.push({ target, action: CUT.add, selectors: missing })
  }
  const wanted = new Set(Object.values(artifacts.facets).flatMap((f) => Object.values(f.selectors)))
  const superfluous = [...present.keys()].filter((selector) => !wanted.has(selector))
  cuts.push({ target: NOBODY, action: CUT.remove, selectors: superfluous })

  const needed = cuts.filter(({ selectors }) => selectors.length > 0)
  if (needed.length === 0) return false
  const sent = await diamond.getFunction('diamondCut').send(needed, NOBODY, '0x')
  await sent.wait()
  return true
}

/** A target that has the facet's code: one of those in use, else a new one. */
async function targetOf(
  bytecode: string,
  targets: ReadonlySet<string>,
  owner: Signer,
  provider: Provider,
): Promise<string> {
  // What the creation code would leave on the chain: the artifacts hold no second copy of each facet.
  const code = await provider.call({ data: bytecode })
  for (const target of targets) {
    if ((await provider.getCode(target)) === code) return target
  }
  const sent = await owner.sendTransaction({ data: bytecode })
  return created(await sent.wait()).address
}
