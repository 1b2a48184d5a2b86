import { ZeroAddress, ZeroHash } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHANGE } from '../../../../origin/contracts/governance/change.ts'
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

/** Lets the chain's clock pass the last second of a proposal. */
async function aWeekLater(): Promise<void> {
  const seconds = Number(await governance.read('PROPOSAL_LASTS'))
  await world.provider.send('evm_increaseTime', [seconds])
  await world.provider.send('evm_mine', [])
}

describe('one member alone', () => {
  it('executes nothing', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(one, 'execute', id)).toBe('TooFewApprovals')
  })

  it('does not count twice by approving twice', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(one, 'approve', id)).toBe('AlreadyApproved')
  })

  it('does not count twice by taking an approval back and giving it again', async () => {
    const [one] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(one, 'withdrawApproval', id)
    expect(await governance.refusal(one, 'withdrawApproval', id)).toBe('NotApproved')
    await governance.write(one, 'approve', id)
    expect(await governance.refusal(one, 'execute', id)).toBe('TooFewApprovals')
  })

  it('does not take back another’s approval', async () => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    expect(await governance.refusal(two, 'withdrawApproval', id)).toBe('NotApproved')
  })

  it('does not add up approvals of two proposals of the same change', async () => {
    const [one, two] = world.members
    const first = await governance.propose(one, 'allowComposeHash', HASH)
    const second = await governance.propose(two, 'allowComposeHash', HASH)
    expect(first).not.toBe(second)
    expect(await governance.refusal(one, 'execute', first)).toBe('TooFewApprovals')
    expect(await governance.refusal(two, 'execute', second)).toBe('TooFewApprovals')
  })

  it('does not execute with the approval of another proposal', async () => {
    const [one, two] = world.members
    const approved = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', approved)
    const other = await governance.propose(one, 'allowComposeHash', OTHER_HASH)
    expect(await governance.refusal(one, 'execute', other)).toBe('TooFewApprovals')
  })
})

describe('a caller who is no member', () => {
  it.each(['approve', 'execute', 'withdrawApproval'])('does not %s', async (name) => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    for (const caller of [world.stranger, world.deployer])
      expect(await governance.refusal(caller, name, id)).toBe('NotMember')
  })

  it('does not propose', async () => {
    const args = [CHANGE.allowComposeHash, HASH]
    expect(await governance.refusal(world.stranger, 'propose', ...args)).toBe('NotMember')
  })

  it('is who was a member when it proposed: its approval goes with it', async () => {
    const [one, two, three] = world.members
    const id = await governance.propose(three, 'allowComposeHash', HASH)
    await governance.decide('removeMember', wordOf(three.address), [one, two])
    expect(await governance.refusal(one, 'approve', id)).toBe('NotOpen')
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
  })
})

describe('an approval that was given for something else', () => {
  it('is not replayed: what was executed is not executed again', async () => {
    const [one, two] = world.members
    const id = await governance.decide('allowComposeHash', HASH, [one, two])
    await governance.decide('withdrawComposeHash', HASH, [one, two])
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
    expect(await governance.refusal(one, 'approve', id)).toBe('NotOpen')
  })

  it('does not bring back a hash that was withdrawn since', async () => {
    const [one, two, three] = world.members
    const kept = await governance.propose(three, 'allowComposeHash', HASH)
    await governance.write(one, 'approve', kept)
    await governance.decide('allowComposeHash', HASH, [one, two])
    await governance.decide('withdrawComposeHash', HASH, [one, two])
    expect(await governance.refusal(three, 'execute', kept)).toBe('NotOpen')
    expect(await governance.isAllowed(HASH)).toBe(false)
  })

  it('does not count under a threshold that was lowered since', async () => {
    const [one, two, three] = world.members
    await governance.decide('setThreshold', wordOf(3), [one, two])
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    await governance.decide('setThreshold', wordOf(2), [one, two, three])
    expect(await governance.refusal(one, 'execute', id)).toBe('NotOpen')
  })

  it('does not count after a week', async () => {
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

  it('is not of a proposal that nobody made', async () => {
    const [one] = world.members
    for (const name of ['approve', 'execute'])
      expect(await governance.refusal(one, name, ZeroHash)).toBe('NotOpen')
  })
})

describe('a governance that one could hold alone, or nobody', () => {
  const addresses = () => world.members.map(({ address }) => address)

  it.each([
    ['a threshold of 0', 0],
    ['a threshold of 1', 1],
    ['a threshold of more than its members', 4],
  ])('is not deployed: %s', async (_, threshold) => {
    await expect(world.deploy(addresses(), threshold)).rejects.toThrow()
  })

  it('is not deployed with a member twice, or with nobody as a member', async () => {
    const [one = '', two = ''] = addresses()
    await expect(world.deploy([one, one])).rejects.toThrow()
    await expect(world.deploy([one, two, ZeroAddress])).rejects.toThrow()
  })

  it.each([0, 1, 4])('is not voted for: a threshold of %s', async (threshold) => {
    const args = [CHANGE.setThreshold, wordOf(threshold)]
    expect(await governance.refusal(world.members[0], 'propose', ...args)).toBe('InvalidThreshold')
  })

  it('is not made by removing members below the threshold', async () => {
    const [one, two, three] = world.members
    await governance.decide('removeMember', wordOf(three.address), [one, two])
    const args = [CHANGE.removeMember, wordOf(two.address)]
    expect(await governance.refusal(one, 'propose', ...args)).toBe('InvalidThreshold')
  })

  it.each([
    ['a member who is one already', () => wordOf(world.members[1].address)],
    ['nobody', () => ZeroHash],
    ['more than an address', () => `0x${'ff'.repeat(32)}`],
  ])('takes in no member that is none: %s', async (_, subject) => {
    const args = [CHANGE.addMember, subject()]
    expect(await governance.refusal(world.members[0], 'propose', ...args)).toBe('InvalidMember')
  })
})

it('a change that changes nothing is not proposed', async () => {
  const [one, two] = world.members
  const withdrawn = [CHANGE.withdrawComposeHash, HASH]
  expect(await governance.refusal(one, 'propose', ...withdrawn)).toBe('NothingToChange')
  await governance.decide('allowComposeHash', HASH, [one, two])
  const allowed = [CHANGE.allowComposeHash, HASH]
  expect(await governance.refusal(one, 'propose', ...allowed)).toBe('NothingToChange')
})
