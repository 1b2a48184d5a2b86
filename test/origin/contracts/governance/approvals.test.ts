import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHANGE_KIND, makeChange } from '../../../../origin/contracts/governance/change.ts'
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

describe('two of three members', () => {
  it('allow a compose hash', async () => {
    const [one, two] = world.members
    expect(await governance.isAllowed(HASH)).toBe(false)
    await makeChange(governance.address, 'allowComposeHash', HASH, [one, two])
    expect(await governance.isAllowed(HASH)).toBe(true)
    expect(await governance.isAllowed(OTHER_HASH)).toBe(false)
  })

  it('withdraw a compose hash', async () => {
    const [one, two, three] = world.members
    await governance.decide('allowComposeHash', HASH, [one, two])
    await governance.decide('withdrawComposeHash', HASH, [three, two])
    expect(await governance.isAllowed(HASH)).toBe(false)
  })

  it('replace a third member', async () => {
    const [one, two, three] = world.members
    await governance.decide('addMember', wordOf(world.stranger.address), [one, two])
    await governance.decide('removeMember', wordOf(three.address), [one, world.stranger])
    expect(await governance.read('isMember', three.address)).toBe(false)
    expect(await governance.refusal(three, 'propose', CHANGE_KIND.allowComposeHash, HASH)).toBe(
      'NotMember',
    )
  })

  it('raise the threshold to three', async () => {
    const [one, two, three] = world.members
    await governance.decide('setThreshold', wordOf(3), [one, two])
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    expect(await governance.refusal(one, 'execute', id)).toBe('TooFewApprovals')
    await governance.write(three, 'approve', id)
    await governance.write(three, 'execute', id)
    expect(await governance.isAllowed(HASH)).toBe(true)
  })

  it('emit an event for each step', async () => {
    const [one, two] = world.members
    const id = await governance.propose(one, 'allowComposeHash', HASH)
    await governance.write(two, 'approve', id)
    const { logs } = await governance.write(two, 'execute', id)
    expect(logs).toHaveLength(2)
    expect(logs[1]!.topics[1]).toBe(HASH)
  })
})

describe('queries of the machine’s key server', () => {
  const bootInfo = (appId: string, composeHash: string) => ({
    appId,
    composeHash,
    instanceId: appId,
    deviceId: wordOf(1),
    mrAggregated: wordOf(2),
    mrSystem: wordOf(3),
    osImageHash: wordOf(4),
    tcbStatus: 'UpToDate',
    advisoryIds: [],
  })

  it('return that this application may run with an allowed hash, and with no other', async () => {
    const [one, two] = world.members
    await governance.decide('allowComposeHash', HASH, [one, two])
    const ask = (appId: string, hash: string) =>
      governance.read('isAppAllowed', bootInfo(appId, hash)).then(([allowed]) => allowed)
    expect(await ask(governance.address, HASH)).toBe(true)
    expect(await ask(governance.address, OTHER_HASH)).toBe(false)
    expect(await ask(world.stranger.address, HASH)).toBe(false)
  })

  it('are supported under the expected interface id', async () => {
    expect(await governance.read('supportsInterface', '0x1e079198')).toBe(true)
    expect(await governance.read('supportsInterface', '0xffffffff')).toBe(false)
  })
})
