import { ECHO } from '../action-sources.ts'
import { hold, refusal, same } from '../hold.ts'
import { isFields } from '../http.ts'
import { until } from '../wait.ts'
import type { Journey, World } from '../world.ts'
import { USABLE } from './triggers.ts'

const SCHEDULED: Journey['needs'] = [...USABLE, 'schedules']

async function schedule(world: World, cron: string) {
  return {
    name: 'on time',
    kind: 'schedule' as const,
    action_code: ECHO,
    usage_api_key: await world.anyActionKey(),
    config: { cron },
  }
}

export const schedules: Journey[] = [
  {
    name: 'five fields and six fields of cron are accepted',
    needs: SCHEDULED,
    async run({ triggers: service }, world) {
      const token = await world.token()
      for (const cron of ['0 3 1 1 *', '* * * * *', '0 0 3 1 1 *', '*/30 * * * * *']) {
        const { id } = await service.create(token, await schedule(world, cron))
        await service.delete(token, id)
      }
    },
  },
  {
    name: 'an interval under 30 seconds is rejected, however it is written',
    needs: SCHEDULED,
    async run({ triggers: service }, world) {
      const token = await world.token()
      for (const cron of ['* * * * * *', '*/29 * * * * *', '0,29 * * * * *', '0,45 * * * * *']) {
        const fields = await schedule(world, cron)
        await refusal(() => service.create(token, fields), `cron ${cron}`)
      }
    },
  },
  {
    name: 'what is no cron is rejected',
    needs: SCHEDULED,
    async run({ triggers: service }, world) {
      const token = await world.token()
      for (const cron of ['', 'soon', '* * * *', '99 * * * *']) {
        const fields = await schedule(world, cron)
        await refusal(() => service.create(token, fields), `cron ${JSON.stringify(cron)}`)
      }
      const without = { ...(await schedule(world, '* * * * *')), config: {} }
      await refusal(() => service.create(token, without), 'no cron')
    },
  },
  {
    name: 'a schedule fires with source, time and cron as its params, until it is disabled',
    needs: [...SCHEDULED, 'runs', 'trigger-updates'],
    seconds: 180,
    async run({ triggers: service }, world) {
      const token = await world.token()
      const cron = '*/30 * * * * *'
      const { id } = await service.create(token, await schedule(world, cron))
      const run = await until('a tick', 95, async () =>
        (await service.runs(token, id)).find((row) => row['status'] === 'success'),
      )
      const params = run['response']
      hold(isFields(params), 'the params')
      same(params['source'], 'schedule', 'source')
      same(params['cron'], cron, 'cron')
      hold('scheduled_at' in params, 'scheduled_at')
      await service.setEnabled(token, id, false)
      await service.delete(token, id)
    },
  },
]
