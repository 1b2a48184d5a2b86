/**
 * Drafts of actions, stored in `sessionStorage` so that they survive reloads. The console does not treat the source and
 * the params as secrets.
 */

export type Draft = { source: string; params: string }

const KEPT = 'svc/action-draft'

export function storedDraft(): Draft | undefined {
  try {
    const { source, params } = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Draft
    return typeof source === 'string' && typeof params === 'string' ? { source, params } : undefined
  } catch {
    return undefined
  }
}

/** A draft that exceeds the storage quota is not stored, so it is lost when the page is closed. */
export function storeDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(KEPT)
  }
}
