import { ZeroAddress, ZeroHash } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHANGE_KIND } from '../../../../origin/contracts/governance/change.ts'
import { HASH, OTHER_HASH, startGovernance, wordOf } from './deployed.ts'

let world: Awaited<ReturnType<typeof startGovernance>>
let governance: Awaited<ReturnType<typeof world.deploy>>
beforeAll(async () => {
  world = await startGovernance()
})
afterAll(() => world.close())
beforeEach(async () => {
  governance = await world.deploy()
})

/** Advances the chain's clock beyond the last second of a proposal. */
async function aWeekLater(): Promise<void> {
  const seconds = Number(await governance.read('PROPOSAL_LASTS'))
  await world.provider.send('evm_increaseTime', [seconds])
  await world.provider.send('evm_mine', [])
}

describe('one member alone', () => {
  it('cannot execute a change', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(one, 'execute', id)).toBe('TooFewApprovals')
  })

  it('cannot count twice by approving twice', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(one, 'approve', id)).toBe('AlreadyApproved')
  })

  it('cannot count twice by withdrawing an approval and giving it again', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(one, 'withdrawApproval', id)
    expect(await governance.refusal(one, 'withdrawApproval', id)).toBe('NotApproved')
    await governance.write(one, 'approve', id)
    expect(await governance.refusal(one, 'execute', id)).toBe('TooFewApprovals')
  })

  it('cannot withdraw another member’s approval', async () => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(two, 'withdrawApproval', id)).toBe('NotApproved')
  })

  it('cannot add up approvals of two proposals of the same change', async () => {
    const [one, two] = world.members
    const first = await governance.propose(one, 'allowComposeHash', HASH)
    const second = await governance.propose(two, 'allowComposeHash', HASH)
    expect(first).not.toBe(second)
    expect(await governance.refusal(one, 'execute', first)).toBe('TooFewApprovals')
    expect(await governance.refusal(two, 'execute', second)).toBe('TooFewApprovals')
  })

  it('cannot execute with the approval of another proposal', async () => {
    const [one, two] = world.members
    const approved = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', approved)
    const other = await governance.propose(one, 'allowComposeHash', OTHER_HASH)
    expect(await governance.refusal(one, 'execute', other)).toBe('TooFewApprovals')
  })
})

describe('a caller who is not a member', () => {
  it.each(['approve', 'execute', 'withdrawApproval'])('cannot %s', async (name) => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    for (const caller of [world.stranger, world.deployer])
      expect(await governance.refusal(caller, name, id)).toBe('NotMember')
  })

  it('cannot propose', async () => {
    const args = [CHANGE_KIND.allowComposeHash, HASH]
    expect(await governance.refusal(world.stranger, 'propose', ...args)).toBe('NotMember')
  })

  it('loses its proposal and approval when it stops being a member', async () => {
    const [one, two, three] = world.members
    const id = await governance.propose(three, 'allowComposeHash', HASH)
    await governance.decide('removeMember', wordOf(three.address), [one, two])
    expect(await governance.refusal(one, 'approve', id)).toBe('NotOpen')
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
  })
})

describe('an approval for something else', () => {
  it('replay: cannot execute an executed proposal again', async () => {
    const [one, two] = world.members
    const id = await governance.decide('allowComposeHash', HASH, [one, two])
    await governance.decide('withdrawComposeHash', HASH, [one, two])
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
    expect(await governance.refusal(one, 'approve', id)).toBe('NotOpen')
  })

  it('cannot restore a hash that was withdrawn in the meantime', async () => {
    const [one, two, three] = world.members
    const kept = await governance.propose(three, 'allowComposeHash', HASH)
    await governance.write(one, 'approve', kept)
    await governance.decide('allowComposeHash', HASH, [one, two])
    await governance.decide('withdrawComposeHash', HASH, [one, two])
    expect(await governance.refusal(three, 'execute', kept)).toBe('NotOpen')
    expect(await governance.isAllowed(HASH)).toBe(false)
  })

  it('does not count if the threshold was lowered in the meantime', async () => {
    const [one, two, three] = world.members
    await governance.decide('setThreshold', wordOf(3), [one, two])
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    await governance.decide('setThreshold', wordOf(2), [one, two, three])
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
  })

  it('expires after a week', async () => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    await aWeekLater()
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
  })

  it('does not count at another governance contract', async () => {
    const [one, two] = world.members
    const elsewhere = await world.deploy()
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    expect(await elsewhere.refusal(one, 'execute', id)).toBe('NotOpen')
  })

  it('cannot belong to a proposal that does not exist', async () => {
    const [one] = world.members
    for (const name of ['approve', 'execute'])
      expect(await governance.refusal(one, name, ZeroHash)).toBe('NotOpen')
  })
})

describe('an unsafe governance contract', () => {
  const addresses = () => world.members.map(({ address }) => address)

  it.each([
    ['a threshold of 0', 0],
    ['a threshold of 1', 1],
    ['a threshold of more than its members', 4],
  ])('cannot be deployed: %s', async (_, threshold) => {
    await expect(world.deploy(addresses(), threshold)).rejects.toThrow()
  })

  it('cannot be deployed with a duplicate member or the zero address', async () => {
    const [one = '', two = ''] = addresses()
    await expect(world.deploy([one, one])).rejects.toThrow()
    await expect(world.deploy([one, two, ZeroAddress])).rejects.toThrow()
  })

  it.each([0, 1, 4])('cannot result from a vote for a threshold of %s', async (threshold) => {
    const args = [CHANGE_KIND.setThreshold, wordOf(threshold)]
    expect(await governance.refusal(world.members[0], 'propose', ...args)).toBe('InvalidThreshold')
  })

  it('cannot result from removing members below the threshold', async () => {
    const [one, two, three] = world.members
    await governance.decide('removeMember', wordOf(three.address), [one, two])
    const args = [CHANGE_KIND.removeMember, wordOf(two.address)]
    expect(await governance.refusal(one, 'propose', ...args)).toBe('InvalidThreshold')
  })

  it.each([
    ['a member who is one already', () => wordOf(world.members[1].address)],
    ['nobody', () => ZeroHash],
    ['more than an address', () => `0x${'ff'.repeat(32)}`],
  ])('cannot add an invalid member: %s', async (_, subject) => {
    const args = [CHANGE_KIND.addMember, subject()]
    expect(await governance.refusal(world.members[0], 'propose', ...args)).toBe('InvalidMember')
  })
})

it('a change without effect cannot be proposed', async () => {
  const [one, two] = world.members
  const withdrawn = [CHANGE_KIND.withdrawComposeHash, HASH]
  expect(await governance.refusal(one, 'propose', ...withdrawn)).toBe('NothingToChange')
  await governance.decide('allowComposeHash', HASH, [one, two])
  const allowed = [CHANGE_KIND.allowComposeHash, HASH]
  expect(await governance.refusal(one, 'propose', ...allowed)).toBe('NothingToChange')
})
