import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Contract, Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import artifacts from '../../../origin/contracts/artifacts.json' with { type: 'json' }
import { contractsProgram } from '../../../origin/contracts/command.ts'
import { FACET_CUT_ACTION } from '../../../origin/contracts/deploy.ts'
import { STORAGE_LAYOUT } from '../../../origin/contracts/upgrade.ts'
import { deployOwnedWallet } from '../../doubles/contract-wallets/deploy.ts'
import { fundedKey } from '../chain.ts'
import { addressOf, startAccountConfig, type AccountConfig } from './account-config.ts'
import { word } from './slots.ts'

const NOBODY = '0x0000000000000000000000000000000000000000'

let config: AccountConfig
let folder: string
beforeAll(async () => {
  config = await startAccountConfig()
  folder = mkdtempSync(join(tmpdir(), 'svc-contracts-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await config.close()
})

/** Runs the command on the chain, with the key of a funded wallet if its index is given. */
async function run(
  args: string[],
  { wallet, rpc = config.rpcUrl }: { wallet?: number; rpc?: string } = {},
) {
  const keyFile = join(folder, `key-${wallet}`)
  if (wallet !== undefined) writeFileSync(keyFile, `${fundedKey(wallet)}\n`)
  const signing = wallet === undefined ? [] : ['--key-file', keyFile]
  let result: any
  const program = contractsProgram((printed) => (result = printed))
  await program.parseAsync([...args, '--rpc', rpc, ...signing], { from: 'user' })
  return result
}

const refusal = (...given: Parameters<typeof run>): Promise<string> =>
  run(...given).then(
    (output) => expect.fail(`succeeded: ${JSON.stringify(output)}`),
    (error: Error) => error.message,
  )

const selector = (name: string) =>
  Object.values(artifacts.facets)
    .flatMap(({ selectors }) => Object.entries(selectors))
    .find(([signature]) => signature.startsWith(`${name}(`))![1]

/** A contract wallet, as a stand-in for a multisig. Its owner executes transactions through it. */
async function contractWallet() {
  const address = await deployOwnedWallet(config.owner, config.stranger.address)
  const abi = ['function execute(address target, bytes data) returns (bytes)']
  const wallet = new Contract(address, abi, config.stranger)
  return {
    address,
    execute: async ({ to, data }: { to: string; data: string }) =>
      (await wallet.getFunction('execute').send(to, data)).wait(),
  }
}

test('a contract wallet becomes the owner, upgrades the contract and registers a payer', async () => {
  const multisig = await contractWallet()
  const deployed = await run(['deploy', '--owner', multisig.address], { wallet: 5 })
  const { address, block } = deployed
  const deployer = new Wallet(fundedKey(5)).address
  expect(deployed).toMatchObject({ chain_id: 31337, owner: deployer, nominee: multisig.address })
  expect(await config.provider.getCode(address, block)).not.toBe('0x')
  expect(await config.provider.getCode(address, block - 1)).toBe('0x')

  // An older version: a function is missing, and another one has a different facet.
  const diamond = new Contract(address, artifacts.diamond.abi, config.wallet(5))
  const other = await (
    await config.wallet(5).sendTransaction({
      data: '0x600a600c600039600a6000f3602a60005260206000f3',
    })
  ).wait()
  const cuts = [
    { target: NOBODY, action: FACET_CUT_ACTION.remove, selectors: [selector('deleteAction')] },
    {
      target: other!.contractAddress,
      action: FACET_CUT_ACTION.replace,
      selectors: Object.values(artifacts.facets.AdminFacet.selectors),
    },
  ]
  await (await diamond.getFunction('diamondCut').send(cuts, NOBODY, '0x')).wait()
  await multisig.execute(deployed.nominee_sends)
  const onContract = ['--address', address]
  const expected = {
    facets: [
      { name: 'WritesFacet', deployed: true, add: ['deleteAction(uint256,uint256)'], replace: [] },
      {
        name: 'AdminFacet',
        deployed: false,
        add: [],
        replace: [
          'checkStorageLayout()',
          'setApiPayers(address[],bool)',
          'setNodeConfiguration(string,string)',
        ],
      },
    ],
    remove: [],
  }
  const before = await run(['status', ...onContract])
  expect(before).toEqual({
    chain_id: 31337,
    address,
    owner: multisig.address,
    nominee: null,
    payers: [],
    upgrade: expected,
  })

  const upgrade = ['upgrade', ...onContract, '--calldata']
  expect(await refusal(upgrade)).toContain('AdminFacet is not deployed yet')
  const proposed = await run(upgrade, { wallet: 6 })
  expect(proposed).toMatchObject({ owner: multisig.address, upgrade: expected })
  await multisig.execute(proposed.owner_sends)
  expect(await run(upgrade)).toMatchObject({ upgrade: { facets: [], remove: [] } })

  const payer = addressOf('a payer')
  const added = await run(['add-payers', ...onContract, payer, '--calldata'])
  await multisig.execute(added.owner_sends)
  const after = await run(['status', ...onContract])
  expect(after.payers).toEqual([{ address: payer, balance: '0.0' }])
})

test('an owner with a key sends the transaction', async () => {
  const payer = addressOf('another payer')
  const onContract = ['--address', config.address]
  const { transaction } = await run(['add-payers', ...onContract, payer], { wallet: 0 })
  expect(await config.provider.getTransactionReceipt(transaction)).toMatchObject({ status: 1 })
  expect(await config.read('apiPayers')).toContain(payer)
  await run(['remove-payers', ...onContract, payer], { wallet: 0 })
  expect(await config.read('apiPayers')).not.toContain(payer)
})

test('a key that is not the owner’s deploys nothing, and is not shown', async () => {
  const diamond = new Contract(config.address, artifacts.diamond.abi, config.owner)
  const cuts = [
    { target: NOBODY, action: FACET_CUT_ACTION.remove, selectors: [selector('deleteAction')] },
  ]
  await (await diamond.getFunction('diamondCut').send(cuts, NOBODY, '0x')).wait()
  const { address } = new Wallet(fundedKey(7))
  const nonce = await config.provider.getTransactionCount(address)
  const text = await refusal(['upgrade', '--address', config.address], { wallet: 7 })
  expect(text).toBe(
    `only the owner, ${config.owner.address}, can send this transaction. Give its key with --key-file, or use --calldata`,
  )
  expect(await config.provider.getTransactionCount(address)).toBe(nonce)
})

test('a transaction that would revert is not proposed', async () => {
  const args = ['add-payers', '--address', config.address, NOBODY, '--calldata']
  expect(await refusal(args)).toBe('the transaction would revert: InvalidRequest')
})

test('an invalid key is not shown', async () => {
  const file = join(folder, 'invalid')
  writeFileSync(file, '0x1234abcd')
  const text = await refusal(['deploy', '--key-file', file])
  expect(text).toContain('expected a private key of 32 bytes')
  expect(text).not.toContain('1234abcd')
})

test('refuses to upgrade a contract whose accounts are stored in an earlier layout', async () => {
  const setVersion = (version: bigint) =>
    config.provider.send('anvil_setStorageAt', [config.address, STORAGE_LAYOUT.slot, word(version)])
  const onContract = ['--address', config.address]
  await setVersion(0n)
  const lost = `the contract ${config.address} stores its accounts in a different layout, and an upgrade would lose them`
  expect(await refusal(['upgrade', ...onContract], { wallet: 0 })).toContain(lost)
  const { upgrade } = await run(['status', ...onContract])
  expect(upgrade).toEqual({ impossible: expect.stringContaining(lost) })
  await setVersion(STORAGE_LAYOUT.version)
})

test('reports an address without a contract, and a node that does not respond', async () => {
  for (const command of ['status', 'upgrade'])
    expect(await refusal([command, '--address', addressOf('nothing')])).toContain('no contract at')
  const status = ['status', '--address', config.address]
  expect(await refusal(status, { rpc: 'http://127.0.0.1:1' })).toContain('ECONNREFUSED')
})
