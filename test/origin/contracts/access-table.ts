/**
 * Every write of the ABI, the callers that may make it, and arguments that are valid for an account of `openAccount`.
 */
import { id } from 'ethers'
import type { Signer } from 'ethers'
import { addressOf, cidHashOf, cidOf, hashOf, pkpIdOf, usageKey } from './account-config.ts'
import { attest, NO_POLICY, terms } from './policies.ts'
import type { AccountConfig } from './account-config.ts'

/**
 * - `anyone`, `payer`, `owner`: only the caller matters; no credential is passed.
 * - `master`: the account's own credential. `permitted`: also a usage key with the permission.
 * - `managed`, `unmanaged`: the account's own credential, and only accounts of that mode.
 */
export type Access = 'anyone' | 'payer' | 'owner' | 'master' | 'permitted' | 'managed' | 'unmanaged'

export type Write = {
  access: Access
  /** The arguments after the credential, if any. @param text the text that `openAccount` was called with */
  args: (text: string, config: AccountConfig) => unknown[]
  /** The error for a usage key without the permission. */
  withoutPermission?: string
}

const newOwner = addressOf('an owner to come')

export const WRITES: Record<string, Write> = {
  newAccount: {
    access: 'payer',
    args: () => [hashOf('an account to come'), addressOf('its wallet'), '', ''],
  },
  newChainSecuredAccount: { access: 'anyone', args: () => ['', ''] },
  convertToChainSecuredAccount: { access: 'managed', args: () => [newOwner, id('a proof')] },
  transferChainSecuredAccountOwnership: { access: 'unmanaged', args: () => [newOwner] },
  rotateAccountApiKey: { access: 'managed', args: () => [hashOf('the next key')] },
  registerWalletDerivation: {
    access: 'permitted',
    args: () => [pkpIdOf('another wallet'), pkpIdOf('its path'), '', ''],
    withoutPermission: 'NotAllowedToCreatePkps',
  },
  registerPolicyWallet: {
    access: 'permitted',
    args: (text, config) => {
      const pkpId = pkpIdOf('another wallet')
      const change = { accountHash: hashOf(text), pkpId, replaces: NO_POLICY, atOnce: true }
      const signature = attest(config, { ...change, ...terms('a policy') })
      return [pkpId, pkpIdOf('its path'), '', '', terms('a policy'), signature]
    },
    withoutPermission: 'NotAllowedToCreatePkps',
  },
  setWalletPolicy: {
    access: 'master',
    args: (text, config) => {
      const pkpId = pkpIdOf('policy wallet')
      const replaces = terms('policy').policyHash
      const change = { accountHash: hashOf(text), pkpId, replaces, atOnce: false }
      const signature = attest(config, { ...change, ...terms('another policy') })
      return [pkpId, replaces, terms('another policy'), false, signature]
    },
  },
  addGroup: {
    access: 'permitted',
    args: () => ['', '', [], []],
    withoutPermission: 'NotAllowedToCreateGroups',
  },
  updateGroup: {
    access: 'master',
    args: () => [1n, 15n, { name: '', description: '', pkpIds: [], cidHashes: [] }],
  },
  removeGroup: {
    access: 'permitted',
    args: () => [1n],
    withoutPermission: 'NotAllowedToDeleteGroups',
  },
  addPkpToGroup: {
    access: 'permitted',
    args: () => [1n, pkpIdOf('wallet')],
    withoutPermission: 'NotAllowedToAddPkps',
  },
  removePkpFromGroup: {
    access: 'permitted',
    args: () => [1n, pkpIdOf('wallet')],
    withoutPermission: 'NotAllowedToRemovePkps',
  },
  addActionToGroup: {
    access: 'permitted',
    args: () => [1n, cidOf('another action'), '', ''],
    withoutPermission: 'NotAllowedToManageIpfsIds',
  },
  removeActionFromGroup: {
    access: 'permitted',
    args: () => [1n, cidHashOf(cidOf('action'))],
    withoutPermission: 'NotAllowedToManageIpfsIds',
  },
  setUsageApiKey: {
    access: 'master',
    args: () => [hashOf('another usage key'), usageKey({ executeInGroups: [1n] })],
  },
  updateUsageApiKey: {
    access: 'master',
    args: (text) => [usageHashOf(text), 511n, usageKey({ canCreateGroups: true })],
  },
  removeUsageApiKey: { access: 'master', args: (text) => [usageHashOf(text)] },
  addAction: { access: 'master', args: () => [cidOf('another action'), '', ''] },
  updateActionMetadata: {
    access: 'master',
    args: () => [cidHashOf(cidOf('action')), 3n, 'name', 'description'],
  },
  deleteAction: { access: 'master', args: () => [cidHashOf(cidOf('action'))] },
  setApiPayers: { access: 'owner', args: () => [[addressOf('a payer to come')], true] },
  setNodeConfiguration: { access: 'owner', args: () => ['key', 'value'] },
}

/** The hash of a usage key without any permission, in the account that `openAccount` created from this text. */
export const usageHashOf = (text: string): bigint => hashOf(`usage key of ${text}`)
/** The hash of a removed usage key. */
export const removedHashOf = (text: string): bigint => hashOf(`removed key of ${text}`)
/** The hash of an alias that was rotated away. */
export const rotatedHashOf = (text: string): bigint => hashOf(`rotated key of ${text}`)
/** The current credential of that account, an alias: its first key was rotated away too. */
export const currentHashOf = (text: string): bigint => hashOf(`current key of ${text}`)

/** Opens a managed account with a wallet, a policy wallet, an action, a group of both, and keys of every kind. @returns its hash */
export async function openAccount(config: AccountConfig, text: string, wallet: string) {
  const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
  const hash = hashOf(text)
  await write('newAccount', hash, wallet, text, '')
  await write('rotateAccountApiKey', hash, rotatedHashOf(text))
  await write('rotateAccountApiKey', rotatedHashOf(text), currentHashOf(text))
  const own = currentHashOf(text)
  await write('registerWalletDerivation', own, pkpIdOf('wallet'), pkpIdOf('path'), '', '')
  const path = pkpIdOf('path')
  const policyWallet = [pkpIdOf('policy wallet'), path, '', '', terms('policy'), '0x']
  await write('registerPolicyWallet', own, ...policyWallet)
  await write('addAction', own, cidOf('action'), '', '')
  await write('addGroup', own, '', '', [pkpIdOf('wallet')], [cidHashOf(cidOf('action'))])
  for (const key of [usageHashOf(text), removedHashOf(text)])
    await write('setUsageApiKey', own, key, usageKey())
  await write('removeUsageApiKey', own, removedHashOf(text))
  return hash
}

/** Converts an account to ChainSecured with a first wallet as its admin, which transfers it to a second. */
export async function giveAway(
  config: AccountConfig,
  text: string,
  first: Signer & { address: string },
  second: string,
) {
  await config.convert(currentHashOf(text), first.address)
  await config.write(first, 'transferChainSecuredAccountOwnership', hashOf(text), second)
}
