import { z } from 'zod'

const ENTRIES_MAX = 50
const ENTRIES_DEFAULT = 20

/** Input fields of tools that list a page of an audit log. */
export const LOG_PAGE_FIELDS = {
  page_number: z.int().min(0).default(0).describe('Page to return, starting at 0.'),
  page_size: z
    .int()
    .min(1)
    .max(ENTRIES_MAX)
    .default(ENTRIES_DEFAULT)
    .describe(`Entries per page; ${ENTRIES_DEFAULT} by default.`),
}
