import { expect } from 'vitest'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { booksOf } from './process.ts'

/** Checks sums that must always hold. */
export async function expectSoundBooks(db: OpenDatabase['db'], account: string) {
  const books = await booksOf(db, account)
  expect(books.total).toBe(0)
  expect(books.credited).toBe(books.balance)
  expect(books.inLeases).toBe(books.leased)
  expect(books.leased).toBeLessThanOrEqual(books.balance)
  return books
}
