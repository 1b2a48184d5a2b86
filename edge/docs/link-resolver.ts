/** Resolves links between documents, which refer to files, to the URLs of the pages. */
import type { ResolveLink } from '../../shared/documents/markdown.ts'

/** Base URL for resolving relative paths. Never requested. */
const REPOSITORY = 'https://repository.invalid/'

/**
 * @param file path of the document, for example `docs/deploy.md`
 * @param pagePathOf returns the page (`/docs/deploy`) of a file, or of a folder (`docs/decisions/`)
 */
export function linkResolver(
  file: string,
  pagePathOf: (file: string) => string | undefined,
): ResolveLink {
  return (href) => {
    if (/^(https?:|mailto:|#)/.test(href) || href.startsWith('/')) return href
    const { pathname, hash } = new URL(href, REPOSITORY + file)
    const page = pagePathOf(decodeURIComponent(pathname.slice(1)))
    return page === undefined ? undefined : page + hash
  }
}
