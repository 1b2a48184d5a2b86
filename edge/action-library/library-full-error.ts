/** The library of a user has no room for a further action or version. Nothing was stored. */
export class LibraryFullError extends Error {
  readonly limit: 'actions' | 'versions' | 'bytes'
  constructor(limit: LibraryFullError['limit']) {
    super(`library full: ${limit}`)
    this.name = 'LibraryFullError'
    this.limit = limit
  }
}
