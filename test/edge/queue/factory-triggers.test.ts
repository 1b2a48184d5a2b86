import { afterAll, describe, expect, it } from 'vitest'
import { CHAIN_EVENT_ADDRESSES_MAX, USER_ADDRESSES_MAX } from '../../../shared/limits.ts'
import {
  newSubscriptionState,
  startSubscription,
  subscriptionOf,
} from '../../../edge/queue/subscription-state.ts'
import { withFactoryContracts } from '../../../edge/chain/factory/factory-contracts.ts'
import { readChainConfig } from '../../../edge/chain/chain-config.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { deleteTriggers, kill, someOwner } from '../app.ts'
import { eventTriggersOf, HEAD, tell, transfer } from './event-triggers.ts'

const owner = await someOwner()
afterAll(() => deleteTriggers(owner))
const { begin, patch, runs } = eventTriggersOf(owner)

const readTrigger = async (id: string) =>
  (await owner.api(`/api/triggers/${id}`)).json<TriggerRecord>()

const factory = {
  address: `0x${'fa'.repeat(20)}`,
  event: 'PoolMade(address indexed token, address pool)',
  parameter: 'pool',
}
const config = {
  chain: 'arbitrum',
  event_signature: 'Transfer(address,address,uint256)',
  factory,
}

describe('a trigger on contracts of a factory', () => {
  it('creates runs, and shows its factory', async () => {
    const { id } = await begin({ config })
    const record = await readTrigger(id)
    expect(record.config).toEqual(config)
    expect(record.factory_contracts).toEqual({ count: 0, learning_at: HEAD + 1 })
    expect(await tell(id, [transfer(7, 1_100)])).toEqual({ state: 'taken', count: 1 })
    expect(await runs(id)).toHaveLength(1)
  })

  it('is disabled with a reason if the factory has too many contracts, and can be enabled again', async () => {
    const { id } = await begin({ config })
    const full = { isFactoryFull: true } as const
    expect(await tell(id, [], { ...full, generation: 0 })).toEqual({ state: 'over' })
    expect((await readTrigger(id)).enabled).toBe(true)
    expect(await tell(id, [], full)).toEqual({ state: 'over' })
    await kill(id)
    const disabled = await readTrigger(id)
    expect(disabled.enabled).toBe(false)
    expect(disabled.factory_contracts).toBeUndefined()
    expect(disabled.disabled_reason).toContain(`more than ${CHAIN_EVENT_ADDRESSES_MAX} contracts`)
    expect(await tell(id, [transfer(7, 1_100)])).toEqual({ state: 'over' })
  })

  it('is shown without its number of contracts if the watcher does not respond', async () => {
    const { id } = await begin({ config })
    const { factory_contracts: _, ...shown } = await readTrigger(id)
    const never = { factoryContracts: () => new Promise<never>(() => {}) }
    const broken = { factoryContracts: () => Promise.reject(new Error('reset')) }
    const unknown = { factoryContracts: async () => undefined }
    for (const watcher of [never, broken, unknown]) {
      const options = { watcherOf: () => watcher, sleep: async () => {} }
      expect(await withFactoryContracts(shown, options)).toEqual(shown)
    }
  })

  it('counts as the most addresses in the limit of its user', async () => {
    const other = await someOwner()
    const { begin: create } = eventTriggersOf(other)
    const most = USER_ADDRESSES_MAX / CHAIN_EVENT_ADDRESSES_MAX
    for (let made = 0; made < most; made++) await create({ config, enabled: false })
    await expect(create({ config, enabled: false })).rejects.toThrow('field')
    await deleteTriggers(other)
  })

  it('learns from its start block, or from the block after its first start', () => {
    const read = readChainConfig(config)
    const learnFrom = (watch: Parameters<typeof subscriptionOf>[1]) =>
      subscriptionOf({ triggerId: 'a', version: 1 }, watch, read, 0)?.learnFrom
    const first = startSubscription(newSubscriptionState('arbitrum'), null, HEAD)
    expect(learnFrom(first)).toBe(HEAD + 1)
    expect(learnFrom(startSubscription(first, null, HEAD + 50))).toBe(HEAD + 1)
    expect(learnFrom(startSubscription(newSubscriptionState('arbitrum'), 7, HEAD))).toBe(7)
  })

  it('is stored only with a valid factory', async () => {
    const { id } = await begin({ config, enabled: false })
    const wrong = { ...config, factory: { ...factory, parameter: 'nothing' } }
    const response = await patch(id, { config: wrong })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('config.factory.parameter')
  })
})
