import type { ResolveLink } from '../../shared/documents/markdown.ts'

/** Arbitrary base URL for resolving relative paths. No request is ever sent to it. */
const REPOSITORY = 'https://repository.invalid/'

/**
 * @param file path of the document, for example `docs/deploy.md`
 * @param pagePathOf returns the page path of a file (such as `/docs/deploy`) or of a folder (such as `docs/decisions/`)
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
