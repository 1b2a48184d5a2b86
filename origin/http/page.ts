/** A list response is an array of either all records or the records of one page. */
import type { Context } from 'hono'
import { z } from 'zod'
import { validate } from '../../shared/json/json-body.ts'
import { LIST_PAGE_MAX } from '../../shared/limits.ts'

const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `expected an integer from ${low} to ${high}`)
    .refine((text) => Number(text) >= low && Number(text) <= high, {
      error: `expected an integer from ${low} to ${high}`,
    })

/** If both are absent, the response contains the whole list. */
export const pageQuery = z.object({
  page_number: wholeNumber(0, 999_999_999)
    .optional()
    .describe('The page to return, starting at 0.'),
  page_size: wholeNumber(1, LIST_PAGE_MAX)
    .optional()
    .describe(`Records per page; ${LIST_PAGE_MAX} if only page_number is sent.`),
})

export class PageRequest {
  readonly #from: number
  readonly #to: number

  constructor(from = 0, to = Number.POSITIVE_INFINITY) {
    this.#from = from
    this.#to = to
  }

  get offset(): number {
    return this.#from
  }

  /** Page size as a query option, or `{}` if the whole list is requested. */
  get limit(): { limit?: number } {
    return this.#to === Number.POSITIVE_INFINITY ? {} : { limit: this.#to - this.#from }
  }

  /** A page past the end is empty. */
  of<Item>(all: readonly Item[]): Page<Item> {
    return new Page(all.slice(this.#from, this.#to), all.length)
  }
}

export class Page<Item> {
  readonly items: readonly Item[]
  readonly total: number

  constructor(items: readonly Item[], total: number) {
    this.items = items
    this.total = total
  }

  map<Other>(change: (item: Item) => Other): Page<Other> {
    return new Page(this.items.map(change), this.total)
  }
}

/** @throws {ApiError} 400 if the requested page is invalid */
export function readPageRequest(context: Context, list: true | undefined): PageRequest {
  if (!list) return new PageRequest()
  const { page_number, page_size } = validate(pageQuery, context.req.query())
  if (page_number === undefined && page_size === undefined) return new PageRequest()
  const size = page_size === undefined ? LIST_PAGE_MAX : Number(page_size)
  const from = Number(page_number ?? 0) * size
  return new PageRequest(from, from + size)
}
