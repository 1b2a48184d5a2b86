import { afterAll, describe, expect, it } from 'vitest'
import { WILDCARD } from '../../../../shared/cid/wildcard.ts'
import { SEND_TRANSACTION_CID } from '../../../../shared/wire/send-transaction-action.ts'
import { EMPTY, removeProjectFolders } from './project-folder.ts'
import {
  ADDRESS,
  idOf,
  project,
  changed,
  group,
  deployed,
  plan,
  steps,
  permissions,
  payCid,
} from './deployed-shop.ts'

afterAll(removeProjectFolders)

describe('groups', () => {
  it('permit an action and a wallet once, also under two names', async () => {
    const repeated = await changed((json) => {
      json['actions'].again = 'pay.js'
      json['groups'].payers = { actions: ['pay', 'again', 'pay'], wallets: ['ops', 'ops'] }
    })
    const operations = plan(repeated, EMPTY).changes.map(({ operation }) => operation)
    expect(operations.filter((operation) => operation.do === 'add_action')).toHaveLength(1)
    expect(operations).toContainEqual({ do: 'create_group', name: 'payers', wallets: ['ops'] })
  })

  it('say what the actions of a group may do with a wallet that is added', async () => {
    const more = await changed(({ groups }) => groups.payers.wallets.push('ops'))
    const made = plan(more, deployed())
    expect(steps(made)).toEqual(['add_wallet'])
    expect(permissions(made)).toEqual([
      `the action pay (${payCid()}) may use the wallet ops without limits, and read its private key`,
    ])
  })

  it('note members that were added by hand, and remove them with --prune', () => {
    const state = deployed({
      groups: [
        group({
          pkp_ids_permitted: [idOf(ADDRESS.treasury), idOf(ADDRESS.ops), WILDCARD],
          cid_hashes_permitted: [project.actions.get('pay')!.hash, WILDCARD],
        }),
      ],
    })
    const made = plan(project, state)
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the group shop/payers still permits every action; --prune removes it',
      `the group shop/payers still contains the wallet shop/ops (${ADDRESS.ops}); --prune removes it`,
      'the group shop/payers still contains every wallet of the account; --prune removes it',
    ])
    expect(steps(plan(project, state, true))).toEqual([
      'remove_action',
      'remove_wallet',
      'remove_wallet',
    ])
  })

  it('can permit the CID of another action', async () => {
    const sending = await changed(({ groups }) => groups.payers.actions.push(SEND_TRANSACTION_CID))
    const made = plan(sending, deployed())
    expect(made.changes[0]!.operation).toMatchObject({ cid: SEND_TRANSACTION_CID, label: '' })
    expect(permissions(made)).toEqual([
      'the built-in action sendTransaction may use the wallet treasury within its policy',
    ])
  })

  it('that several have the same name are an error, which lists them', () => {
    const state = deployed({ groups: [group(), group({ group_id: 9 })] })
    expect(() => plan(project, state)).toThrow('2 groups are named shop/payers: 3, 9.')
  })

  it('that the file no longer lists stay, or are deleted with --prune after the key and the trigger', async () => {
    const without = await changed((json) => {
      json['groups'] = {}
      json['keys'] = {}
      json['triggers'] = {}
    })
    const made = plan(without, deployed())
    expect(made.changes).toEqual([])
    expect(made.notes).toContain('the group shop/payers (3) is not in the file; --prune deletes it')
    expect(steps(plan(without, deployed(), true))).toEqual([
      'remove_trigger',
      'remove_key',
      'remove_group',
    ])
  })

  it('a rerun after a crash between the creation and the first action only permits the action', () => {
    const state = {
      ...EMPTY,
      wallets: deployed().wallets,
      groups: [group({ cid_hashes_permitted: [] })],
    }
    expect(steps(plan(project, state)).slice(0, 2)).toEqual(['add_action', 'create_key'])
  })
})
