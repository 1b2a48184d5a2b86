import { defineAction } from '@svc-run/cli/action'
import * as v from 'valibot'

const order = v.object({ id: v.pipe(v.string(), v.uuid()), amount: v.pipe(v.string(), v.digits()) })

export default defineAction(({ event }: { event: unknown }) => {
  const parsed = v.parse(order, event)
  const wrong = v.safeParse(order, { id: '1', amount: 'x' })
  return { amount: parsed.amount, issues: wrong.issues?.map(({ type }) => type) ?? [] }
})
