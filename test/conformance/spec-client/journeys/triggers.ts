import { ECHO } from '../action-sources.ts'
import { newToken } from '../client.ts'
import { hold, refusal, same } from '../hold.ts'
import type { SpecClient } from '../client.ts'
import type { TriggerFields } from '../triggers.ts'
import type { Journey, World } from '../world.ts'

export const USABLE: Journey['needs'] = [
  'accounts',
  'groups',
  'usage-keys',
  'actions',
  'agent-authorization',
]
const STORED: Journey['needs'] = [...USABLE, 'webhook-triggers']

export async function webhook(
  client: SpecClient,
  world: World,
  action: string,
  extra: Partial<TriggerFields> = {},
) {
  const token = await world.token()
  const fields: TriggerFields = {
    name: 'from outside',
    kind: 'webhook',
    action_code: action,
    usage_api_key: await world.anyActionKey(),
    config: {},
    ...extra,
  }
  const { id } = await client.triggers.create(token, fields)
  return { id, token }
}

export const triggers: Journey[] = [
  {
    name: 'a token works from the moment a human approves its hash',
    needs: ['agent-authorization'],
    async run(client) {
      const token = newToken()
      same(token.length, 64, '48 random bytes in base64url')
      await refusal(() => client.triggers.me(token), 'not approved yet')
      await client.authorize(token)
      const me = await client.triggers.me(token)
      hold(me.id && me.email, 'the identity that approved it')
    },
  },
  {
    name: 'nothing under /api/ answers without an approved token',
    needs: ['agent-authorization', 'webhook-triggers'],
    async run({ triggers: service }) {
      for (const token of ['', newToken()]) {
        await refusal(() => service.me(token), 'GET /api/me')
        await refusal(() => service.list(token), 'GET /api/triggers')
        await refusal(() => service.create(token, {}), 'POST /api/triggers')
        await refusal(() => service.runs(token, 'any'), 'GET runs')
      }
    },
  },
  {
    name: 'the guide for agents tells of the authorization',
    needs: ['agent-guide'],
    async run({ triggers: service }) {
      hold((await service.skill()).includes('/agent/authorize'), 'SKILL.md covers the handshake')
    },
  },
  {
    name: 'a webhook trigger with an empty config is created, read and listed',
    needs: STORED,
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO, { name: 'read back' })
      const trigger = await client.triggers.get(token, id)
      same(trigger.id, id, 'id')
      same(trigger['name'], 'read back', 'name')
      same(trigger['kind'], 'webhook', 'kind')
      same(trigger['action_code'], ECHO, 'action_code')
      const listed = await client.triggers.list(token)
      hold(
        listed.some((row) => row['id'] === id),
        'the list holds it',
      )
    },
  },
  {
    name: 'the optional fields are accepted',
    needs: STORED,
    async run(client, world) {
      await webhook(client, world, ECHO, {
        default_params: { greeting: 'hello' },
        max_runs_per_minute: 30,
        max_queued_runs: 20,
      })
    },
  },
  {
    name: 'a trigger without a required field, or of no known kind, is not created',
    needs: STORED,
    async run({ triggers: service }, world) {
      const token = await world.token()
      const whole = {
        name: 'n',
        kind: 'webhook',
        action_code: ECHO,
        usage_api_key: await world.anyActionKey(),
        config: {},
      }
      for (const field of ['name', 'kind', 'action_code', 'usage_api_key'] as const) {
        const { [field]: _left, ...rest } = whole
        await refusal(() => service.create(token, rest), `without ${field}`)
      }
      const odd = { ...whole, kind: 'carrier_pigeon' }
      await refusal(() => service.create(token, odd), 'an unknown kind')
      for (const kind of ['schedule', 'chain_event']) {
        const bare = { ...whole, kind, config: undefined }
        await refusal(() => service.create(token, bare), `${kind} without config`)
      }
    },
  },
  {
    name: 'a deleted trigger is gone, and its address fires nothing',
    needs: [...STORED, 'webhook-firing'],
    async run(client, world) {
      const { id, token } = await webhook(client, world, ECHO)
      await client.triggers.fire(id, { body: '{}' })
      await client.triggers.delete(token, id)
      await refusal(() => client.triggers.get(token, id), 'it is gone')
      const listed = await client.triggers.list(token)
      hold(!listed.some((row) => row['id'] === id), 'the list no longer holds it')
      const answer = await client.triggers.deliver(id, { body: '{}' })
      hold(answer.status >= 400, 'no run for a removed trigger')
    },
  },
]
