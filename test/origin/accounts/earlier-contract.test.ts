/** An origin of this version with a contract that an earlier version deployed and that is not upgraded yet. */
import { Contract, Wallet, ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import artifacts from '../../../origin/contracts/artifacts.json' with { type: 'json' }
import { FACET_CUT_ACTION } from '../../../origin/contracts/deploy.ts'
import { fundedKey } from '../chain.ts'
import { newHash, startWriting, type Writing } from './writing.ts'

const { selectors } = artifacts.facets.ViewsFacet
const NEW_VIEWS = [
  selectors['allApiKeyHashesToMaster(uint256)'],
  selectors['adminWalletAddress(uint256)'],
]

let world: Writing
beforeAll(async () => {
  world = await startWriting()
  const { provider, contractAddress } = world.chain
  const owner = new Wallet(fundedKey(0), provider)
  const diamond = new Contract(contractAddress, artifacts.diamond.abi, owner)
  const cut = [{ target: ZeroAddress, action: FACET_CUT_ACTION.remove, selectors: NEW_VIEWS }]
  await (await diamond.getFunction('diamondCut').send(cut, ZeroAddress, '0x')).wait()
})
afterAll(async () => {
  await world.closeWriters()
  await world.close()
})

it('reads and writes a contract without the newest views', async () => {
  const { mirror, newAccount, addGroup } = await world.open()
  const hash = newHash()
  await newAccount(hash)
  await addGroup(hash, 'first')
  expect(mirror.current().account(hash)?.groups.size).toBe(1)
})
