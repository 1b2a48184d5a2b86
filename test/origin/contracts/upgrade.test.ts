import { Contract, ContractFactory, id } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import artifacts from '../../../origin/contracts/artifacts.json' with { type: 'json' }
import { FACET_CUT_ACTION } from '../../../origin/contracts/deploy.ts'
import {
  compareFacets,
  prepareUpgrade,
  STORAGE_LAYOUT,
  StorageLayoutError,
  upgradeAccountConfig,
} from '../../../origin/contracts/upgrade.ts'
import { accountConfig, hashOf, pkpIdOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { terms } from './policies.ts'
import { word } from './slots.ts'

let config: AccountConfig
let diamond: Contract
beforeAll(async () => {
  config = await startAccountConfig({ token: 'ETH' })
  diamond = new Contract(config.address, artifacts.diamond.abi, config.owner)
})
afterAll(() => config.close())

const NOBODY = '0x0000000000000000000000000000000000000000'
const selectorsOf = (facet: keyof typeof artifacts.facets): string[] =>
  Object.values(artifacts.facets[facet].selectors)
const selectorOf = (name: string): string =>
  Object.values(artifacts.facets)
    .flatMap(({ selectors }) => Object.entries(selectors))
    .find(([signature]) => signature.startsWith(`${name}(`))?.[1] ?? ''

const cut = async (target: string, action: number, selectors: string[]) => {
  const cuts = [{ target, action, selectors }]
  await (await diamond.getFunction('diamondCut').send(cuts, NOBODY, '0x')).wait()
}
const upgrade = (signer = config.owner) =>
  upgradeAccountConfig({ provider: config.provider, signer, address: config.address })

/** Returns the code and the selectors of each facet, as the chain reports them. */
async function facets() {
  const listed: { target: string; selectors: string[] }[] = await diamond.getFunction('facets')()
  const others = listed.filter(({ target }) => target !== config.address)
  return Promise.all(
    others.map(async ({ target, selectors }) => ({
      code: await config.provider.getCode(target),
      selectors: [...selectors].toSorted(),
    })),
  )
}

/** Deploys a facet that differs from all artifacts and returns 42 for every call. */
async function otherFacet(): Promise<string> {
  const initCode = '0x600a600c600039600a6000f3602a60005260206000f3'
  const facet = await new ContractFactory([], initCode, config.owner).deploy()
  await facet.waitForDeployment()
  return facet.getAddress()
}

/** The views that the first version did not have. */
const NEW_VIEWS = ['allApiKeyHashesToMaster', 'adminWalletAddress']

test('policies: a diamond of the version before them gets their facet, and no other change', async () => {
  const account = await config.newAccount('before policies')
  const plain = pkpIdOf('plain')
  const register = [account, plain, pkpIdOf('p'), 'w', '']
  await config.write(config.payer, 'registerWalletDerivation', ...register)
  const before = (await config.read('accountOf', account)).toArray(true)
  await cut(NOBODY, FACET_CUT_ACTION.remove, selectorsOf('PolicyFacet'))
  const policy = terms('policy')
  const created = [account, pkpIdOf('with policy'), pkpIdOf('p'), 'w', '', policy, '0x']
  await expect(config.read('walletPoliciesOf', account)).rejects.toThrow(/revert/)
  await expect(config.ask(config.payer, 'registerPolicyWallet', ...created)).rejects.toThrow(
    /revert/,
  )

  const differences = await compareFacets(config.provider, config.address)
  expect(differences.superfluous).toEqual([])
  const different = differences.facets.filter(
    ({ missing, elsewhere }) => missing.length + elsewhere.length > 0,
  )
  expect(different).toEqual([
    {
      name: 'PolicyFacet',
      target: undefined,
      missing: selectorsOf('PolicyFacet'),
      elsewhere: [],
    },
  ])
  expect(await upgrade()).toBe(true)
  expect((await config.read('accountOf', account)).toArray(true)).toEqual(before)
  expect(await config.refusal(config.payer, 'walletPolicyOf', account, plain)).toEqual([
    'WalletHasNoPolicy',
    account,
    plain,
  ])
  await config.write(config.payer, 'registerPolicyWallet', ...created)
  const [{ policyHash }] = await config.read('walletPoliciesOf', account)
  expect(policyHash).toBe(policy.policyHash)
  expect(await upgrade()).toBe(false)
})

/**
 * Turns the diamond into an earlier version: some functions missing, one with older code, one that was removed since.
 */
async function makeOld() {
  const older = await otherFacet()
  await cut(
    NOBODY,
    FACET_CUT_ACTION.remove,
    ['deleteAction', 'mayExecute', ...NEW_VIEWS].map(selectorOf),
  )
  await cut(older, FACET_CUT_ACTION.replace, [selectorOf('addGroup'), selectorOf('apiPayers')])
  await cut(older, FACET_CUT_ACTION.add, [id('registerWallet(uint256)').slice(0, 10)])
}

let asDeployed: Awaited<ReturnType<typeof facets>>
beforeEach(async () => {
  asDeployed ??= await facets()
})

test('an up-to-date diamond is left unchanged, without a transaction', async () => {
  const nonce = await config.owner.getNonce()
  expect(await upgrade()).toBe(false)
  expect(await config.owner.getNonce()).toBe(nonce)
})

test('an old diamond gets the facets of the artifacts in one cut, and keeps its state', async () => {
  const account = await config.newAccount('from before')
  const write = (name: string, ...args: unknown[]) =>
    config.write(config.payer, name, account, ...args)
  await write('registerWalletDerivation', pkpIdOf('w'), pkpIdOf('p'), 'w', '')
  await write('addGroup', 'g', '', [pkpIdOf('w')], [0n])
  await write('setUsageApiKey', hashOf('k'), usageKey({ executeInGroups: [1n] }))
  const before = (await config.read('accountOf', account)).toArray(true)
  await makeOld()
  expect(await facets()).not.toEqual(asDeployed)

  const from = (await config.provider.getBlockNumber()) + 1
  expect(await upgrade()).toBe(true)
  const cuts = await config.provider.getLogs({
    address: config.address,
    fromBlock: from,
    topics: [diamond.interface.getEvent('DiamondCut')?.topicHash ?? null],
  })
  expect(cuts).toHaveLength(1)
  const bySelector = (a: { selectors: string[] }, b: { selectors: string[] }) =>
    (a.selectors[0] ?? '').localeCompare(b.selectors[0] ?? '')
  expect((await facets()).toSorted(bySelector)).toEqual(asDeployed.toSorted(bySelector))
  expect((await config.read('accountOf', account)).toArray(true)).toEqual(before)
  expect([...(await config.read('apiPayers'))]).toEqual([config.payer.address])
  expect(await config.read('nodeConfiguration', 'token')).toBe('ETH')
  expect(await config.read('mayExecute', hashOf('k'), 7n, pkpIdOf('w'))).toBe(true)
  expect(await config.read('allApiKeyHashesToMaster', account)).toBe(account)
  expect(await upgrade()).toBe(false)
})

test('a facet with completely different code is redeployed', async () => {
  const older = await otherFacet()
  await cut(older, FACET_CUT_ACTION.replace, selectorsOf('WritesFacet'))
  expect(await upgrade()).toBe(true)
  expect(await config.refusal(config.payer, 'addGroup', hashOf('nobody'), '', '', [], [])).toEqual([
    'AccountDoesNotExist',
    hashOf('nobody'),
  ])
  expect(await upgrade()).toBe(false)
})

test('only the owner can upgrade, and a rejected upgrade changes nothing', async () => {
  await makeOld()
  const old = await facets()
  await expect(upgrade(config.stranger)).rejects.toMatchObject({
    code: 'CALL_EXCEPTION',
    data: id('Ownable__NotOwner()').slice(0, 10),
  })
  expect(await facets()).toEqual(old)
  expect(await upgrade()).toBe(true)
})

describe('of a contract with another storage layout', () => {
  const setVersion = (version: bigint) =>
    config.provider.send('anvil_setStorageAt', [config.address, STORAGE_LAYOUT.slot, word(version)])
  let old: Awaited<ReturnType<typeof facets>>
  beforeAll(async () => {
    await makeOld()
    old = await facets()
  })
  afterAll(() => setVersion(STORAGE_LAYOUT.version))

  // The first layout has no version, in another namespace. A later version would have its own number.
  test.each([0n, STORAGE_LAYOUT.version + 1n])(
    'version %s: an upgrade is refused before it deploys anything',
    async (version) => {
      await setVersion(version)
      const nonce = await config.owner.getNonce()
      await expect(upgrade()).rejects.toThrow(StorageLayoutError)
      expect(await config.owner.getNonce()).toBe(nonce)
    },
  )

  test('the transaction of an upgrade reverts, for example if it is sent to another contract', async () => {
    await setVersion(0n)
    const differences = await compareFacets(config.provider, config.address)
    const transaction = await prepareUpgrade(differences, config.owner)
    await expect(
      diamond.getFunction('diamondCut').staticCall(...transaction),
    ).rejects.toMatchObject({
      data: accountConfig.encodeErrorResult('InvalidRequest', [
        'the contract has another storage layout',
      ]),
    })
    await setVersion(STORAGE_LAYOUT.version)
    await diamond.getFunction('diamondCut').staticCall(...transaction)
    expect(await facets()).toEqual(old)
  })

  test('each contract of this version has the layout', async () => {
    await setVersion(STORAGE_LAYOUT.version)
    expect(await upgrade()).toBe(true)
    expect((await config.read('checkStorageLayout')).toArray()).toEqual([])
  })
})
