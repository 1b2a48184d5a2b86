import { ContractFactory, JsonRpcProvider, NonceManager, Wallet, id as topicOf } from 'ethers'

import { ECHO } from '../action-sources.ts'
import { hold, refusal, same } from '../hold.ts'
import { fieldsOf, isFields, type Fields } from '../http.ts'
import { until } from '../wait.ts'
import type { Chain, Journey, World } from '../world.ts'
import { USABLE } from './triggers.ts'

const WATCHED: Journey['needs'] = [...USABLE, 'chain-events']
const SIGNATURE = 'Rang(uint256)'
const SOMEWHERE = `0x${'11'.repeat(20)}`

async function chainEvent(world: World, config: Fields) {
  return {
    name: 'when it rings',
    kind: 'chain_event',
    action_code: ECHO,
    usage_api_key: await world.anyActionKey(),
    config,
  }
}

/** Deploys a contract that emits one event per call, with the first word of the call data as its value. */
async function bell({ rpcUrl, fundedKey }: Chain) {
  const signer = new NonceManager(new Wallet(fundedKey, new JsonRpcProvider(rpcUrl)))
  const runtime = `6000356000527f${topicOf(SIGNATURE).slice(2)}60206000a100`
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  const init = `0x60${length}600c60003960${length}6000f3${runtime}`
  const deployed = await new ContractFactory([], init, signer).deploy()
  await deployed.waitForDeployment()
  const address = await deployed.getAddress()
  return {
    address,
    async ring(value: number) {
      const data = `0x${value.toString(16).padStart(64, '0')}`
      const receipt = await (await signer.sendTransaction({ to: address, data })).wait()
      hold(receipt?.status === 1, 'the transaction is mined')
      return { block: receipt.blockNumber, hash: receipt.hash }
    },
  }
}

export const chainEvents: Journey[] = [
  {
    name: 'a chain event is created on a known chain, with up to three topic filters',
    needs: WATCHED,
    tools: ['eventChain'],
    async run({ triggers: service }, world) {
      const token = await world.token()
      const topic = `0x${'00'.repeat(31)}01`
      const filters: unknown[] = [[], [topic], [null, [topic, topic], topic]]
      for (const topic_filters of filters) {
        const fields = await chainEvent(world, {
          chain: world.tools.eventChain!.name,
          contract_address: SOMEWHERE,
          event_signature: 'Transfer(address,address,uint256)',
          start_block: '0x1',
          topic_filters,
        })
        const { id } = await service.create(token, fields)
        await service.delete(token, id)
      }
    },
  },
  {
    name: 'a chain event with a wrong or missing part is not created',
    needs: WATCHED,
    async run({ triggers: service }, world) {
      const token = await world.token()
      const good: Fields = {
        chain: world.tools.eventChain?.name ?? 'ethereum',
        contract_address: SOMEWHERE,
        event_signature: SIGNATURE,
      }
      const broken: Fields[] = [
        { ...good, chain: 'atlantis' },
        { ...good, contract_address: '0x1234' },
        { ...good, event_signature: 'not a signature' },
        { ...good, topic_filters: [null, null, null, null] },
        { ...good, topic_filters: ['0x12'] },
        ...Object.keys(good).map((name) => ({ ...good, [name]: undefined })),
      ]
      for (const config of broken) {
        const fields = await chainEvent(world, config)
        await refusal(() => service.create(token, fields), `config ${JSON.stringify(config)}`)
      }
    },
  },
  {
    name: 'a matching log fires a run with its decoded arguments',
    needs: [...WATCHED, 'runs'],
    tools: ['eventChain'],
    seconds: 180,
    async run({ triggers: service }, world) {
      const token = await world.token()
      const contract = await bell(world.tools.eventChain!)
      const fields = await chainEvent(world, {
        chain: world.tools.eventChain!.name,
        contract_address: contract.address,
        event_signature: SIGNATURE,
      })
      const { id } = await service.create(token, fields)
      const { hash } = await contract.ring(42)
      const run = await until('the run of a log', 120, async () =>
        (await service.runs(token, id)).find((row) => row['status'] === 'success'),
      )
      const event = fieldsOf(run['response'])['event']
      hold(isFields(event) && isFields(event['decoded']), 'event.decoded')
      same(String(event['decoded']['arg0']), '42', 'arg0')
      hold(JSON.stringify(event).includes(hash), 'the transaction hash')
      hold(JSON.stringify(event).includes(topicOf(SIGNATURE)), 'the topics')
    },
  },
  {
    name: 'start_block brings back what happened before the trigger',
    needs: [...WATCHED, 'runs'],
    tools: ['eventChain'],
    seconds: 180,
    async run({ triggers: service }, world) {
      const token = await world.token()
      const contract = await bell(world.tools.eventChain!)
      const { block } = await contract.ring(7)
      const fields = await chainEvent(world, {
        chain: world.tools.eventChain!.name,
        contract_address: contract.address,
        event_signature: SIGNATURE,
        start_block: block,
      })
      const { id } = await service.create(token, fields)
      await until('the run of an old log', 120, async () =>
        (await service.runs(token, id)).find((row) => row['status'] === 'success'),
      )
    },
  },
]
