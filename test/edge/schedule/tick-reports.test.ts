import { expect, it } from 'vitest'
import { takeTickReports } from '../../../edge/schedule/tick-reports.ts'
import { env } from '../app.ts'

it('takes the reports of the other collectors if one fails and one does not respond', async () => {
  const answers: Record<string, () => Promise<unknown>> = {
    'ticks-0': () => new Promise(() => {}),
    'ticks-1': () => Promise.reject(new Error('away')),
  }
  const getByName = (name: string) => ({
    takeTickReports: answers[name] ?? (async () => [{ id: name, version: 1, nextTickAt: null }]),
  })
  const asked = { ...env, SCHEDULER: { getByName } } as unknown as typeof env
  const reports = await takeTickReports(asked, async () => {})
  expect(reports.map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7].map((n) => `ticks-${n}`))
})
