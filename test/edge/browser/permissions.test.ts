import { describe, expect, it } from 'vitest'
import { parseCents } from '../../../edge/browser/format/parse-usd.ts'
import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import { groupWarnings, type Permissions } from '../../../edge/browser/console/permissions.ts'
import { diagramLayout } from '../../../edge/browser/console/diagram/layout.ts'
import { describeRights } from '../../../edge/browser/console/keys/describe-rights.ts'
import { NO_LIMITS } from '../../shared/no-limits.ts'

const WALLET = `0x${'1'.repeat(64)}`
const ACTION = `0x${'2'.repeat(64)}`

const group = (over: object = {}) => ({
  id: 1,
  group_id: 1,
  name: 'signers',
  description: '',
  pkp_ids_permitted: [WALLET],
  cid_hashes_permitted: [ACTION],
  ...over,
})
const key = (name: string, over: object = {}) => ({
  id: name,
  api_key_hash: name,
  name,
  description: '',
  can_create_groups: false,
  can_delete_groups: false,
  can_create_pkps: false,
  manage_ipfs_ids_in_groups: [],
  add_pkp_to_groups: [],
  remove_pkp_from_groups: [],
  execute_in_groups: [1],
  created_at: null,
  last_used_at: null,
  spend_cap_cents: null,
  spend_window_seconds: null,
  spent_cents: null,
  ...NO_LIMITS,
  ...over,
})
const account = (over: Partial<Permissions> = {}): Permissions => ({
  groups: [group()],
  wallets: [],
  actions: [],
  keys: [key('narrow')],
  ...over,
})
const dangers = (of: object, keys = [key('narrow')]) => {
  const groups = [group(of)]
  return groupWarnings(groups[0]!, account({ groups, keys })).join(' ')
}

describe('the dangers of a group', () => {
  it('are empty if one action may use one wallet', () => {
    expect(dangers({})).toBe('')
  })

  it('include that every action may use a wallet', () => {
    expect(dangers({ cid_hashes_permitted: [WILDCARD] })).toMatch(/leaks their private keys/)
  })

  it('include that every action may run, even without a wallet', () => {
    const said = dangers({ cid_hashes_permitted: [WILDCARD], pkp_ids_permitted: [] })
    expect(said).toBe('This group permits every action: any code can run here.')
  })

  it('include that the group has every wallet', () => {
    expect(dangers({ pkp_ids_permitted: [WILDCARD] })).toMatch(/every wallet of the account/)
  })

  it('include a usage key that may execute in every group', () => {
    const keys = [key('narrow'), key('wide', { execute_in_groups: [0] })]
    expect(dangers({}, keys)).toMatch(/^The usage key wide can execute in every group/)
  })
})

describe('the permissions diagram', () => {
  it('has one line per permission, and none without a permission', () => {
    const groups = [
      group(),
      group({
        group_id: 2,
        name: 'others',
        pkp_ids_permitted: [],
        cid_hashes_permitted: [WILDCARD],
      }),
    ]
    const keys = [
      key('narrow'),
      key('wide', { execute_in_groups: [0] }),
      key('idle', { execute_in_groups: [] }),
    ]
    const { lines } = diagramLayout(account({ groups, keys }))
    expect(lines.map(({ kind, from, to }) => `${kind} ${from.text} > ${to.text}`)).toEqual([
      'executes narrow > signers (1)',
      'executes wide > signers (1)',
      'runs 0x222222…222222 > signers (1)',
      'uses signers (1) > 0x111111…111111',
      'executes wide > others (2)',
      'runs Every action > others (2)',
    ])
  })

  it('highlights nodes that stand for everything of their kind', () => {
    const keys = [key('wide', { execute_in_groups: [0] })]
    const groups = [group({ cid_hashes_permitted: [WILDCARD] })]
    const { nodes } = diagramLayout(account({ groups, keys }))
    expect(nodes.filter(({ isWide }) => isWide).map(({ text }) => text)).toEqual([
      'wide',
      'Every action',
    ])
  })

  it('gives every node its own position', () => {
    const groups = Array.from({ length: 20 }, (_, i) => group({ group_id: i + 1 }))
    const keys = Array.from({ length: 20 }, (_, i) => key(`key ${i}`))
    const { nodes, height } = diagramLayout(account({ groups, keys }))
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length)
    expect(Math.max(...nodes.map(({ y }) => y))).toBeLessThan(height)
  })
})

describe('the rights of a usage key in words', () => {
  it('name its groups, including removed ones and every group', () => {
    const rights = describeRights(
      key('maker', {
        execute_in_groups: [1, 7],
        add_pkp_to_groups: [0],
        can_create_pkps: true,
        can_create_groups: true,
      }),
      [group()],
    )
    expect(rights).toEqual([
      ['Runs actions of', 'signers (1), removed group 7'],
      ['Adds wallets to', 'every group, including future ones: dangerous'],
      ['Creates', 'wallets, groups'],
    ])
  })

  it('state that it runs nothing', () => {
    const idle = key('idle', { execute_in_groups: [] })
    expect(describeRights(idle, [])).toEqual([['Runs actions of', 'no group']])
  })
})

describe('an amount of dollars', () => {
  it.each([
    ['1', 100],
    ['0.29', 29],
    ['2.5', 250],
    ['0', 0],
    ['1,5', undefined],
    ['1.005', undefined],
    ['-1', undefined],
    ['', undefined],
    ['1e3', undefined],
  ])('%j is %j cents', (text, cents) => {
    expect(parseCents(text)).toBe(cents)
  })
})
