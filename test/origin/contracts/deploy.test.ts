import { Contract, Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import artifacts from '../../../origin/contracts/artifacts.json' with { type: 'json' }
import { deployAccountConfig } from '../../../origin/contracts/deploy.ts'
import { startAccountConfig } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let diamond: Contract

beforeAll(async () => {
  config = await startAccountConfig({ chain_name: 'local', token: 'ETH' })
  diamond = new Contract(config.address, artifacts.diamond.abi, config.provider)
})
afterAll(() => config.close())

test('the deployer owns the diamond', async () => {
  expect(await diamond.getFunction('owner')()).toBe(config.owner.address)
})

test('the payers and the node configuration apply from the first block', async () => {
  const logs = await config.provider.getLogs({ address: config.address, fromBlock: 0 })
  expect(new Set(logs.map(({ blockNumber }) => blockNumber))).toEqual(new Set([config.block]))
  expect(await config.read('apiPayers')).toEqual([config.payer.address])
  expect(await config.read('nodeConfiguration', 'chain_name')).toBe('local')
  expect(await config.read('nodeConfiguration', 'token')).toBe('ETH')
})

test('the deployment returns its chain ID', () => {
  expect(config.chainId).toBe(31337)
})

test("deploys through a node's URL, with only payers given", async () => {
  const signer = config.wallet(5)
  const other = await deployAccountConfig({ rpcUrl: config.rpcUrl, signer, payers: [] })
  const apiPayers = await new Contract(
    other.address,
    ['function apiPayers() view returns (address[])'],
    config.provider,
  ).getFunction('apiPayers')()
  expect(apiPayers).toEqual([])
  expect(other.block).toBeGreaterThan(config.block)
})

test('the loupe lists each facet with exactly its selectors', async () => {
  const facets: { target: string; selectors: string[] }[] = await diamond.getFunction('facets')()
  const listed = facets.map(({ selectors }) => [...selectors].toSorted())
  for (const facet of Object.values(artifacts.facets)) {
    expect(listed).toContainEqual(Object.values(facet.selectors).toSorted())
  }
  expect(facets).toHaveLength(Object.keys(artifacts.facets).length + 1)
})

test.each([
  ['ERC-165', '0x01ffc9a7', true],
  ['the diamond cut', '0x1f931c1c', true],
  ['the loupe', '0x48e2b093', true],
  ['ERC-173 ownership', '0x7f5828d0', true],
  ['what no interface may be', '0xffffffff', false],
])('ERC-165 query for %s returns the right answer', async (_name, interfaceId, supported) => {
  expect(await diamond.getFunction('supportsInterface')(interfaceId)).toBe(supported)
})

test.each(['payer', 'stranger'] as const)('a %s cannot upgrade it', async (who) => {
  const cut = new Contract(config.address, artifacts.diamond.abi, config[who])
  await expect(
    cut.getFunction('diamondCut').staticCall([], '0x' + '0'.repeat(40), '0x'),
  ).rejects.toMatchObject({ revert: { name: 'Ownable__NotOwner' } })
})

test('not even the owner can remove the ownership functions', async () => {
  const cut = new Contract(config.address, artifacts.diamond.abi, config.owner)
  const selector = new Interface(artifacts.diamond.abi).getFunction('transferOwnership')?.selector
  const removal = { target: '0x' + '0'.repeat(40), action: 2, selectors: [selector] }
  await expect(
    cut.getFunction('diamondCut').staticCall([removal], '0x' + '0'.repeat(40), '0x'),
  ).rejects.toMatchObject({ revert: { name: 'DiamondWritable__SelectorIsImmutable' } })
})

test.each([
  ['plain ether', { value: 1n }],
  ['an unknown function', { data: '0x12345678' }],
])('rejects %s', async (_name, transaction) => {
  await expect(
    config.provider.call({ from: config.stranger.address, to: config.address, ...transaction }),
  ).rejects.toThrow(/revert/)
})

test('a direct call to a facet, bypassing the diamond, cannot write', async () => {
  const facets: { target: string }[] = await diamond.getFunction('facets')()
  const targets = facets.map(({ target }) => target).filter((target) => target !== config.address)
  const call = new Interface([
    'function setApiPayers(address[],bool)',
    'function newAccount(uint256,address,string,string)',
  ])
  for (const to of targets) {
    for (const data of [
      call.encodeFunctionData('setApiPayers', [[config.owner.address], true]),
      call.encodeFunctionData('newAccount', [1, config.owner.address, '', '']),
    ]) {
      await expect(config.provider.call({ from: config.owner.address, to, data })).rejects.toThrow(
        /revert/,
      )
    }
  }
})
