import {
  Contract,
  ContractFactory,
  JsonRpcProvider,
  Wallet,
  id as topicOf,
  parseEther,
  solidityPackedKeccak256,
} from 'ethers'

import { convertProof, convertTypedData, nowInSeconds } from '../convert-account.ts'
import { ECHO } from '../action-sources.ts'
import { ALL_ACTIONS, type CoreClient } from '../core.ts'
import { hold, refusal, same, sameAddress } from '../hold.ts'
import { patiently } from '../wait.ts'
import type { Journey, World } from '../world.ts'

const CONVERTED: Journey['needs'] = ['accounts', 'chain-config', 'errors', 'chain-secured']
const TRANSFER = 'transferChainSecuredAccountOwnership'
const TRANSFERRED = 'ChainSecuredAccountOwnershipTransferred(uint256,address,address)'

/** Creates a new account and converts it to a new admin wallet. */
async function converted(core: CoreClient, world: World) {
  const { apiKey } = await world.newAccount('to be converted')
  const { chainId, contractAddress } = await core.getNodeChainConfig()
  const admin = new Wallet(Wallet.createRandom().privateKey)
  const data = convertTypedData(admin.address, chainId, nowInSeconds())
  const answer = await core.convertToChainSecuredAccount(apiKey, await convertProof(admin, data))
  return { apiKey, admin, contractAddress, ...answer }
}

/** Funds the admin wallet and connects it to the contract. */
async function asAdmin(world: World, address: string, admin: Wallet) {
  const { rpcUrl, fundedKey } = world.tools.accountChain!
  const provider = new JsonRpcProvider(rpcUrl)
  const payer = new Wallet(fundedKey, provider)
  await (await payer.sendTransaction({ to: admin.address, value: parseEther('0.1') })).wait()
  return new Contract(
    address,
    [`function ${TRANSFER}(uint256 apiKeyHash, address newAdminWalletAddress)`],
    // No NonceManager, because it would count calls that are rejected before they are sent.
    admin.connect(provider),
  ).getFunction(TRANSFER)
}

export const chainSecured: Journey[] = [
  {
    name: 'a conversion moves the account to its new admin, and the old key no longer writes',
    needs: CONVERTED,
    async run({ core }, world) {
      const { apiKey, admin, walletAddress } = await converted(core, world)
      sameAddress(walletAddress, admin.address, 'wallet_address')
      const write = () => core.addGroup(apiKey, { name: 'too late' })
      await refusal(write, 'the old key is no admin', 401, 403)
    },
  },
  {
    name: 'usage keys, groups and balance outlive a conversion',
    needs: [...CONVERTED, 'groups', 'usage-keys', 'actions', 'billing'],
    async run({ core }, world) {
      const account = await world.newAccount('keeps what it has')
      const fields = { name: 'kept', cid_hashes_permitted: [ALL_ACTIONS] }
      const group = await core.addGroup(account.apiKey, fields)
      const key = await world.executeOnlyKey([group], account)
      await patiently(() => core.svcAction(key, ECHO))
      const before = (await core.balance(key)).cents
      const { chainId } = await core.getNodeChainConfig()
      const admin = new Wallet(Wallet.createRandom().privateKey)
      const data = convertTypedData(admin.address, chainId, nowInSeconds())
      await core.convertToChainSecuredAccount(account.apiKey, await convertProof(admin, data))
      same((await core.balance(key)).cents, before, 'the balance')
      same(await core.svcAction(key, ECHO, { still: 'here' }), { still: 'here' }, 'the key runs')
    },
  },
  {
    name: 'a proof that is old, for another chain, of another shape or by another wallet fails',
    needs: CONVERTED,
    async run({ core }, world) {
      const { apiKey } = await world.newAccount('not to be converted')
      const { chainId } = await core.getNodeChainConfig()
      const admin = new Wallet(Wallet.createRandom().privateKey)
      const now = nowInSeconds()
      const good = convertTypedData(admin.address, chainId, now)
      const { EIP712Domain, ConvertAccount } = good.types
      const odd = [
        convertTypedData(admin.address, chainId, now - 400),
        convertTypedData(admin.address, chainId, now + 400),
        convertTypedData(admin.address, chainId + 1, now),
        { ...good, domain: { ...good.domain, name: 'Another name' } },
        { ...good, domain: { ...good.domain, version: '2' } },
        { ...good, primaryType: 'SomethingElse' },
        { ...good, types: { EIP712Domain, ConvertAccount: ConvertAccount.toReversed() } },
        { ...good, types: { EIP712Domain: EIP712Domain.toReversed(), ConvertAccount } },
      ]
      for (const data of odd) {
        const proof = await convertProof(admin, data)
        const call = () => core.convertToChainSecuredAccount(apiKey, proof)
        await refusal(call, `typed data ${JSON.stringify(data)}`)
      }
      const stranger = new Wallet(Wallet.createRandom().privateKey)
      const forged = await convertProof(stranger, good, admin.address)
      await refusal(() => core.convertToChainSecuredAccount(apiKey, forged), 'another signer')
      await core.convertToChainSecuredAccount(apiKey, await convertProof(admin, good))
    },
  },
  {
    name: 'a contract wallet that answers ERC-1271 may become the admin',
    needs: CONVERTED,
    tools: ['accountChain'],
    async run({ core }, world) {
      const { apiKey } = await world.newAccount('to a contract wallet')
      const { chainId } = await core.getNodeChainConfig()
      const { rpcUrl, fundedKey } = world.tools.accountChain!
      const payer = new Wallet(fundedKey, new JsonRpcProvider(rpcUrl))
      // The code returns the magic value of isValidSignature for every call.
      const runtime = '631626ba7e60e01b60005260206000f3'
      const init = `0x6010600c60003960106000f3${runtime}`
      const contract = await new ContractFactory([], init, payer).deploy()
      await contract.waitForDeployment()
      const address = await contract.getAddress()
      const anyone = new Wallet(Wallet.createRandom().privateKey)
      const data = convertTypedData(address, chainId, nowInSeconds())
      const proof = await convertProof(anyone, data, address)
      const answer = await core.convertToChainSecuredAccount(apiKey, proof)
      sameAddress(answer.walletAddress, address, 'wallet_address')
    },
  },
  {
    name: 'the admin hands the account on, once, and the chain says so',
    needs: CONVERTED,
    tools: ['accountChain'],
    seconds: 120,
    async run({ core }, world) {
      const { admin, contractAddress } = await converted(core, world)
      const transfer = await asAdmin(world, contractAddress, admin)
      const alias = solidityPackedKeccak256(['address'], [admin.address])
      const heir = Wallet.createRandom().address
      for (const target of [`0x${'0'.repeat(40)}`, admin.address]) {
        await reverts(() => transfer.send(alias, target), `to ${target}`)
      }
      await reverts(() => transfer.send(12345n, heir), 'of no account')
      const receipt = await (await transfer.send(alias, heir)).wait()
      const topics = receipt?.logs.map((log) => log.topics[0]) ?? []
      hold(topics.includes(topicOf(TRANSFERRED)), 'the event is emitted')
      const back = () => transfer.send(alias, Wallet.createRandom().address)
      await reverts(back, 'the former admin has no authority')
    },
  },
]

async function reverts(call: () => Promise<unknown>, clause: string): Promise<void> {
  const outcome = await call().then(
    () => 'sent',
    () => 'reverted',
  )
  same(outcome, 'reverted', `transfer ${clause}`)
}
