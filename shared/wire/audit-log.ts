import { z } from 'zod'
import { LIST_PAGE_MAX } from '../limits.ts'

export { auditLogResponse } from '../audit-log/entry.ts'

const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `expected an integer from ${low} to ${high}`)
    .refine((text) => Number(text) >= low && Number(text) <= high, {
      error: `expected an integer from ${low} to ${high}`,
    })
    .transform(Number)

export const auditLogQuery = z.object({
  order: z
    .enum(['newest', 'oldest'])
    .default('newest')
    .describe('Which entries come first. newest by default.'),
  page_number: wholeNumber(0, 999_999_999)
    .default(0)
    .describe('The page to return, starting at 0. With order=oldest, a full page never changes.'),
  page_size: wholeNumber(1, LIST_PAGE_MAX)
    .default(LIST_PAGE_MAX)
    .describe(`Entries per page; ${LIST_PAGE_MAX} by default.`),
})
