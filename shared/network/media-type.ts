/** Media type of a `Content-Type` header: lower case, without parameters, and empty if the header is missing. */
export function mediaTypeOf(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}
