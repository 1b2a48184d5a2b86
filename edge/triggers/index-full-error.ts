/** The database of the index has reached `INDEX_BYTES_MAX`. */
export class IndexFullError extends Error {
  override readonly name = 'IndexFullError'
}
