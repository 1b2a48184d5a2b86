/** Thrown if an operation was not performed because the database does not respond. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  constructor(options?: ErrorOptions) {
    super('the database does not respond', options)
  }
}

/**
 * Awaits a query that must succeed before an operation can start.
 * @throws {DatabaseUnavailableError} if the query fails for any reason
 */
export async function fromDatabase<Row>(query: PromiseLike<Row>): Promise<Row> {
  try {
    return await query
  } catch (error) {
    throw new DatabaseUnavailableError({ cause: error })
  }
}
