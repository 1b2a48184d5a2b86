/** Core lists (`decisions.md`): a bare array of everything, or one page of it. */
import type { Context } from 'hono'
import { z } from 'zod'
import { validate } from '../../shared/json-body.ts'
import { LIST_PAGE_MAX } from '../../shared/limits.ts'

const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `expected a whole number from ${low} to ${high}`)
    .refine((text) => Number(text) >= low && Number(text) <= high, {
      error: `expected a whole number from ${low} to ${high}`,
    })

/** What every list takes; without either of them it answers everything. */
export const pageQuery = z.object({
  page_number: wholeNumber(0, 999_999_999).optional().describe('The page to answer, from 0.'),
  page_size: wholeNumber(1, LIST_PAGE_MAX)
    .optional()
    .describe(`Records on a page; ${LIST_PAGE_MAX} where only page_number is sent.`),
})

/** The part of a list that was asked for. */
export class PageRequest {
  readonly #from: number
  readonly #to: number

  constructor(from = 0, to = Number.POSITIVE_INFINITY) {
    this.#from = from
    this.#to = to
  }

  /** Records before the page. */
  get offset(): number {
    return this.#from
  }

  /** Records on the page; `{}` where everything is asked for. */
  get limit(): { limit?: number } {
    return this.#to === Number.POSITIVE_INFINITY ? {} : { limit: this.#to - this.#from }
  }

  /** The page of a whole list; what is past its end is empty. */
  of<Item>(all: readonly Item[]): Page<Item> {
    return new Page(all.slice(this.#from, this.#to), all.length)
  }
}

/** Some items of a list, and how many the whole list has. */
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

/** @throws {ApiError} 400 for a page that can not be */
export function pageRequestOf(context: Context, list: true | undefined): PageRequest {
  if (!list) return new PageRequest()
  const { page_number, page_size } = validate(pageQuery, context.req.query())
  if (page_number === undefined && page_size === undefined) return new PageRequest()
  const size = page_size === undefined ? LIST_PAGE_MAX : Number(page_size)
  const from = Number(page_number ?? 0) * size
  return new PageRequest(from, from + size)
}
