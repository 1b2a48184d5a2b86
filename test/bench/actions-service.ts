/** Measures a `svc_action` over HTTPS with a usage key. */
import { freshDatabase } from '../origin/db/fresh-database.ts'
import { startLoneOrigin, usageKeyFor } from './lone-origin.ts'
import { median, type Metric } from './report.ts'

const CODE = 'async function main(params) { return params.a + 1 }'
const WARM_UP = 300
const CALLS = 1_500

export async function measureService(metric: (values: Omit<Metric, 'bench'>) => void) {
  const database = await freshDatabase()
  const { origin, close } = await startLoneOrigin(database.url)
  try {
    const key = await usageKeyFor(origin, CODE)
    const body = { code: CODE, js_params: { a: 41 } }
    for (let call = 0; call < WARM_UP; call++) await origin.ok('svc_action', { key, body })
    const times: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const { status, sentAt, answeredAt } = await origin.call('svc_action', { key, body })
      if (status !== 200) throw new Error(`svc_action answered ${status}`)
      times.push(answeredAt - sentAt)
    }
    const floor: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const { sentAt, answeredAt } = await origin.call('version')
      floor.push(answeredAt - sentAt)
    }
    const [value, baseline] = [median(times), median(floor)]
    const ratio = value / baseline
    metric({ metric: 'svc_action_p50_ms', value, unit: 'ms', baseline, ratio })
  } finally {
    await close()
    await database.drop()
  }
}
