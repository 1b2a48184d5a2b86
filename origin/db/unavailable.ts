/** The database did not answer. The operation that depended on it was not performed. */
export class DatabaseUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the database does not answer', options)
    this.name = 'DatabaseUnavailable'
  }
}

/**
 * Returns the result of a query that must succeed before anything is done.
 * @throws {DatabaseUnavailable} for any failure of the query
 */
export async function fromDatabase<Row>(query: PromiseLike<Row>): Promise<Row> {
  try {
    return await query
  } catch (error) {
    throw new DatabaseUnavailable({ cause: error })
  }
}
