import { expect, it } from 'vitest'
import { nameLookup } from '../../edge/browser/chain-secured/name-lookup.ts'
import { nameOfAction, nameOfWallet } from '../../edge/browser/console/permissions.ts'

const action = (name: string, digit: string) => ({
  name,
  cid_hash: `0x${digit.repeat(64)}`,
  action_ipfs_cid: `Qm${digit.repeat(44)}`,
})
const wallet = (name: string, digit: string) => ({
  name,
  pkp_id: `0x${digit.repeat(64)}`,
  wallet_address: `0x${digit.repeat(40)}`,
})

it('impostor: shows similar names of actions and wallets with their IDs', () => {
  const actions = [action('Sign', '1'), action('sign\u200B', '2'), action('Other', '3')]
  const wallets = [wallet('Hot', '4'), wallet('Hot ', '5'), wallet('Cold', '6')]
  expect(actions.map(({ cid_hash }) => nameOfAction(cid_hash, { actions }))).toEqual([
    'Sign (Qm111111…111111)',
    'sign‹U+200B› (Qm222222…222222)',
    'Other',
  ])
  expect(wallets.map(({ pkp_id }) => nameOfWallet(pkp_id, { wallets }))).toEqual([
    'Hot (0x444444…444444)',
    'Hot  (0x555555…555555)',
    'Cold',
  ])
})

it('smuggling: a group name cannot end a sentence about it or push text out of view', () => {
  const groups = [
    { id: 3, name: 'a”. It can be undone. “b' },
    { id: 4, name: 'n'.repeat(256) },
  ]
  const words = nameLookup({ groups, wallets: [], actions: [], usageApiKeys: [] } as never)
  expect(words.group(3n)).toBe('group 3 “a". It can be undone. "b”')
  expect(words.group(4n)).toBe(`group 4 “${'n'.repeat(64)}”`)
})
