/**
 * Measures gas of each write of the AccountConfig contract on anvil: with short names and empty descriptions, for the
 * first write of its kind and the next if they differ, and for the most expensive write that the limits allow.
 */
import { id, type TransactionReceipt } from 'ethers'
import {
  accountConfig,
  addressOf,
  cidHashOf,
  cidOf,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
  type AccountConfig,
} from '../origin/contracts/account-config.ts'
import { attest, NO_POLICY, terms } from '../origin/contracts/policies.ts'
import { report } from './report.ts'

const IDS_MOST = 50
const GROUP_MOST = 500
const GROUPS = 100
const NAME = 'short name'

const texts = [NAME, '']
/** Longest texts that the contract accepts, of the most expensive characters: one check per two bytes. */
const LONGEST = { name: 'ü'.repeat(512), description: 'ü'.repeat(2048) }
const longest = [LONGEST.name, LONGEST.description]
const ids = <T>(count: number, make: (text: string) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(String(index)))

export async function gas(): Promise<void> {
  const config = await startAccountConfig()
  try {
    await deployment(config)
    await wholeAccount(config)
    await accounts(config)
    await policies(config)
    await usage(config)
    await groups(config)
    await actions(config)
    await largestGroup(config)
    await ownership(config)
    await settings(config)
  } finally {
    await config.close()
  }
}

const measure = (metric: string, receipts: TransactionReceipt | TransactionReceipt[]) =>
  report({
    bench: 'gas',
    metric,
    value: [receipts].flat().reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0),
    unit: 'gas',
  })

/** Creates an account and returns a function for the payer's writes to it. */
async function opened(config: AccountConfig, text: string) {
  const hash = await config.newAccount(text)
  return (name: string, ...args: unknown[]) => config.write(config.payer, name, hash, ...args)
}

async function deployment({ provider, block }: AccountConfig): Promise<void> {
  const receipts: TransactionReceipt[] = []
  for (let number = 1; number <= block; number++) {
    const { transactions = [] } = (await provider.getBlock(number)) ?? {}
    for (const hash of transactions) {
      const receipt = await provider.getTransactionReceipt(hash)
      if (receipt) receipts.push(receipt)
    }
  }
  measure('deployment', receipts)
}

/** An account that is ready to run an action, in four transactions. */
async function wholeAccount(config: AccountConfig): Promise<void> {
  const hash = hashOf('whole account')
  const write = (name: string, ...args: unknown[]) =>
    config.write(config.payer, name, hash, ...args)
  const wallet = pkpIdOf('of the whole account')
  const key = usageKey({ name: NAME, executeInGroups: [1n] })
  measure('account_with_wallet_group_and_key', [
    await write('newAccount', addressOf('whole account'), ...texts),
    await write('registerWalletDerivation', wallet, pkpIdOf('path'), ...texts),
    await write('addGroup', ...texts, [wallet], [cidHashOf('action')]),
    await write('setUsageApiKey', hashOf('key of the whole account'), key),
  ])
}

async function accounts(config: AccountConfig): Promise<void> {
  const open = (hash: string) => [hashOf(hash), addressOf(hash), ...texts]
  measure('new_account', await config.write(config.payer, 'newAccount', ...open('a')))
  const described = [hashOf('b'), addressOf('b'), LONGEST.name, LONGEST.name]
  measure('new_account_longest', await config.write(config.payer, 'newAccount', ...described))
  const write = await opened(config, 'wallets')
  const register = (text: string) =>
    write('registerWalletDerivation', pkpIdOf(text), pkpIdOf('path'), ...texts)
  measure('register_wallet_first', await register('first'))
  measure('register_wallet_next', await register('next'))
  measure('rotate_account_api_key', await write('rotateAccountApiKey', hashOf('new key')))
}

async function policies(config: AccountConfig): Promise<void> {
  const policy = terms('policy', 3_600)
  const wallet = (text: string) => [pkpIdOf(text), pkpIdOf('path'), ...texts, policy]
  const write = await opened(config, 'policies')
  measure('register_policy_wallet_first', await write('registerPolicyWallet', ...wallet('a'), '0x'))
  measure('register_policy_wallet_next', await write('registerPolicyWallet', ...wallet('b'), '0x'))
  const set = (replaces: string, next: string, atOnce: boolean) =>
    write('setWalletPolicy', pkpIdOf('a'), replaces, terms(next, 3_600), atOnce, '0x')
  measure('set_wallet_policy_at_once', await set(policy.policyHash, 'tighter', true))
  measure('set_wallet_policy_pending', await set(id('tighter'), 'looser', false))
  measure('set_wallet_policy_cancel', await set(id('tighter'), 'tighter', true))

  const { admin, hash } = await config.newChainSecuredAccount()
  const pkpId = pkpIdOf('attested')
  const created = { accountHash: hash, pkpId, replaces: NO_POLICY, ...policy, atOnce: true }
  const registration = [hash, ...wallet('attested'), attest(config, created)]
  measure(
    'register_policy_wallet_attested',
    await config.write(admin, 'registerPolicyWallet', ...registration),
  )
  const tighter = terms('tighter', 3_600)
  const replaces = policy.policyHash
  const change = { accountHash: hash, pkpId, replaces, ...tighter, atOnce: true }
  const attested = [hash, pkpId, replaces, tighter, true, attest(config, change)]
  measure(
    'set_wallet_policy_at_once_attested',
    await config.write(admin, 'setWalletPolicy', ...attested),
  )
}

async function usage(config: AccountConfig): Promise<void> {
  const write = await opened(config, 'usage')
  await write('addGroup', ...texts, [], [])
  const executeOnly = usageKey({ name: NAME, executeInGroups: [1n] })
  measure('set_usage_api_key_first', await write('setUsageApiKey', hashOf('u1'), executeOnly))
  measure('set_usage_api_key_next', await write('setUsageApiKey', hashOf('u2'), executeOnly))
  measure('set_usage_api_key_again', await write('setUsageApiKey', hashOf('u2'), executeOnly))
  measure(
    'update_usage_api_key_name',
    await write('updateUsageApiKey', hashOf('u2'), 1n, usageKey({ name: 'other name' })),
  )
  measure('remove_usage_api_key', await write('removeUsageApiKey', hashOf('u2')))
  const many = ids(IDS_MOST, () => 1n)
  const largest = usageKey({
    name: NAME,
    manageIpfsIdsInGroups: many,
    addPkpToGroups: many,
    removePkpFromGroups: many,
    executeInGroups: many,
  })
  measure('set_usage_api_key_4x50', await write('setUsageApiKey', hashOf('u3'), largest))
  measure('remove_usage_api_key_4x50', await write('removeUsageApiKey', hashOf('u3')))
  const dearest = { ...largest, ...LONGEST }
  measure(
    'set_usage_api_key_4x50_longest_texts',
    await write('setUsageApiKey', hashOf('u4'), dearest),
  )
}

async function groups(config: AccountConfig): Promise<void> {
  const write = await opened(config, 'groups')
  for (const pkpId of ids(IDS_MOST, pkpIdOf))
    await write('registerWalletDerivation', pkpId, pkpIdOf('path'), ...texts)
  const [wallet, another] = [pkpIdOf('0'), pkpIdOf('1')]
  measure('add_group_empty_first', await write('addGroup', ...texts, [], []))
  measure('add_group_empty_next', await write('addGroup', ...texts, [], []))
  measure('add_group_1_and_1', await write('addGroup', ...texts, [wallet], [1n]))
  const [pkpIds, cidHashes] = [ids(IDS_MOST, pkpIdOf), ids(IDS_MOST, cidHashOf)]
  measure('add_group_50_and_50', await write('addGroup', ...texts, pkpIds, cidHashes))
  measure(
    'add_group_50_and_50_longest_texts',
    await write('addGroup', ...longest, pkpIds, cidHashes),
  )
  measure('add_pkp_to_group_first', await write('addPkpToGroup', 1n, wallet))
  measure('add_pkp_to_group_next', await write('addPkpToGroup', 1n, another))
  measure('add_pkp_to_group_again', await write('addPkpToGroup', 1n, another))
  measure('remove_pkp_from_group', await write('removePkpFromGroup', 1n, another))
  const others = ids(IDS_MOST, (text) => cidHashOf(`other ${text}`))
  const change = { name: 'other name', description: '', pkpIds, cidHashes: others }
  measure('update_group_name', await write('updateGroup', 1n, 1n, change))
  measure('update_group_replace_50_by_50', await write('updateGroup', 4n, 8n, change))
  measure('remove_group', await write('removeGroup', 2n))
}

async function actions(config: AccountConfig): Promise<void> {
  const write = await opened(config, 'actions')
  for (let group = 0; group < GROUPS; group++) await write('addGroup', ...texts, [], [])
  const cidHash = cidHashOf(cidOf('a'))
  measure('add_action_first', await write('addAction', cidOf('first'), ...texts))
  measure('add_action_next', await write('addAction', cidOf('next'), ...texts))
  measure('add_action_longest_texts', await write('addAction', cidOf('long'), ...longest))
  const add = (group: bigint, text: string) =>
    write('addActionToGroup', group, cidOf(text), ...texts)
  measure('add_action_to_group_new_action', await add(1n, 'a'))
  measure('add_action_to_group_known_action', await add(2n, 'a'))
  const permit = (group: bigint) => write('addActionToGroup', group, cidOf('a'), '', '')
  measure('add_action_to_group_without_texts', await permit(3n))
  measure('remove_action_from_group', await write('removeActionFromGroup', 3n, cidHash))
  const rename = [cidHash, 1n, 'other name', '']
  measure('update_action_metadata', await write('updateActionMetadata', ...rename))
  measure('delete_action_in_2_of_100_groups', await write('deleteAction', cidHash))
  for (let group = 1n; group <= GROUPS; group++) await permit(group)
  measure('delete_action_in_100_groups', await write('deleteAction', cidHash))
}

async function largestGroup(config: AccountConfig): Promise<void> {
  const write = await opened(config, 'largest group')
  await write('addGroup', ...texts, [], [])
  const hash = hashOf('largest group')
  const members = ids(GROUP_MOST, (text) => ({ pkpId: pkpIdOf(text), cid: cidOf(text) }))
  await config.sendAll(
    members.flatMap(({ pkpId, cid }) => [
      ['registerWalletDerivation', hash, pkpId, pkpIdOf('path'), ...texts],
      ['addPkpToGroup', hash, 1n, pkpId],
      ['addActionToGroup', hash, 1n, cid, ...texts],
    ]),
  )
  const chosen = members.slice(0, IDS_MOST)
  const change = {
    name: NAME,
    description: '',
    pkpIds: chosen.map(({ pkpId }) => pkpId),
    cidHashes: chosen.map(({ cid }) => cidHashOf(cid)),
  }
  // Measures the required gas limit, which is higher than the gas used after refunds.
  const others = {
    ...LONGEST,
    pkpIds: members.slice(-IDS_MOST).map(({ pkpId }) => pkpId),
    cidHashes: ids(IDS_MOST, (text) => cidHashOf(`other ${text}`)),
  }
  const data = accountConfig.encodeFunctionData('updateGroup', [hash, 1n, 15n, others])
  const call = { from: config.payer.address, to: config.address, data }
  report({
    bench: 'gas',
    metric: 'limit_of_update_group_replace_500_and_500_longest_texts',
    value: Number(await config.provider.estimateGas(call)),
    unit: 'gas',
  })
  measure(
    'update_group_replace_500_and_500_by_50_and_50',
    await write('updateGroup', 1n, 15n, change),
  )
}

async function ownership(config: AccountConfig): Promise<void> {
  const hash = await config.newAccount('owned')
  const admin = await config.freshWallet()
  const convert = [hash, admin.address, id('proof')]
  measure(
    'convert_to_chain_secured_account',
    await config.write(config.payer, 'convertToChainSecuredAccount', ...convert),
  )
  const next = addressOf('next')
  measure(
    'transfer_chain_secured_account_ownership',
    await config.write(admin, 'transferChainSecuredAccountOwnership', hash, next),
  )
  const opener = await config.freshWallet()
  measure(
    'new_chain_secured_account',
    await config.write(opener, 'newChainSecuredAccount', ...texts),
  )
  const writer = await config.freshWallet()
  measure(
    'new_chain_secured_account_longest_texts',
    await config.write(writer, 'newChainSecuredAccount', ...longest),
  )
}

async function settings({ owner, write }: AccountConfig): Promise<void> {
  const payers = ids(IDS_MOST, addressOf)
  measure('set_api_payers_1', await write(owner, 'setApiPayers', [addressOf('payer')], true))
  measure('set_api_payers_50', await write(owner, 'setApiPayers', payers, true))
  measure('set_node_configuration', await write(owner, 'setNodeConfiguration', 'key', 'value'))
}
