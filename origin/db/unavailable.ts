/** The database did not answer; what was to be decided by it was not done. */
export class DatabaseUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the database does not answer', options)
    this.name = 'DatabaseUnavailable'
  }
}

/**
 * The answer of a query that has to come before anything is done.
 * @throws {DatabaseUnavailable} for any failure of it
 */
export async function fromDatabase<Row>(query: PromiseLike<Row>): Promise<Row> {
  try {
    return await query
  } catch (error) {
    throw new DatabaseUnavailable({ cause: error })
  }
}
