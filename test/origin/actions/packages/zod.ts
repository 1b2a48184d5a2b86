import { defineAction } from '@svc-run/cli/action'
import { z } from 'zod'

const order = z.object({
  id: z.uuid(),
  amount: z.coerce.bigint().positive(),
  email: z.email().optional(),
})

export default defineAction(({ event }: { event: unknown }) => {
  const parsed = order.parse(event)
  const wrong = order.safeParse({ id: '1', amount: '-1' })
  return {
    amount: String(parsed.amount),
    issues: wrong.error?.issues.map(({ path, code }) => [path.join('.'), code]) ?? [],
  }
})
